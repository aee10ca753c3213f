"""The settings that a sweep searches, and their ranges.

parse_search("trainer.losses.ppo_actor.ent_coef", "0.005..0.02:log")
parse_search("trainer.optimizer.type", "adam,muon")
parse_search("clip_coef", None)        # the range that the training guide recommends
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal, get_args

from cogames_training.recipes.binding import keys_of
from cogames_training.recipes.config import TrainConfig
from cogames_training.recipes.grammar import parse_value
from cogames_training.sweeps.errors import SweepError

__all__ = ["DOCUMENTED", "SHORT_NAMES", "Parameter", "flatten", "full_key", "parse_search"]

Scale = Literal["linear", "log", "pow2"]

DOCUMENTED = {
    "teacher.teacher_led_proportion": "0.3..0.7",
    "trainer.batch_size": "4096..2097152:pow2",
    "trainer.total_timesteps": "1_000_000_000..20_000_000_000:log",
    "trainer.losses.ppo_actor.ent_coef": "0.005..0.02:log",
    "trainer.losses.ppo_actor.clip_coef": "0.1..0.3",
}
"""ranges of the training guide's tuning table"""

SHORT_NAMES = {key.rpartition(".")[2]: key for key in DOCUMENTED}
"""names of the tuning table"""


@dataclass(frozen=True)
class Parameter:
    """A setting and the values to try: `choices`, or numbers from `low` to `high`.

    With the scale `pow2` the values are powers of two.
    """

    key: str
    low: float | None = None
    high: float | None = None
    scale: Scale = "linear"
    is_whole: bool = False
    choices: tuple[Any, ...] = ()

    def suggest(self, trial: Any) -> Any:
        """Ask an Optuna trial for a value."""
        if self.choices:
            return trial.suggest_categorical(self.key, list(self.choices))
        assert self.low is not None and self.high is not None
        if self.scale == "pow2":
            return 2 ** trial.suggest_int(self.key, math.ceil(math.log2(self.low)), math.floor(math.log2(self.high)))
        if self.is_whole:
            return trial.suggest_int(self.key, int(self.low), int(self.high), log=self.scale == "log")
        return trial.suggest_float(self.key, self.low, self.high, log=self.scale == "log")

    def text(self) -> str:
        """Return the values as `--search` writes them."""
        if self.choices:
            return ",".join(map(str, self.choices))
        return f"{self.low:g}..{self.high:g}" + ("" if self.scale == "linear" else f":{self.scale}")


def full_key(key: str) -> str:
    """Return the setting that a key or a short name means; raise `SweepError` for an unknown one."""
    known = set(keys_of(TrainConfig))
    full = SHORT_NAMES.get(key, key)
    if full not in known:
        same_end = [each for each in sorted(known) if each.rpartition(".")[2] == key.rpartition(".")[2]]
        hints = [f"did you mean {' or '.join(same_end[:3])}?"] if same_end else []
        raise SweepError(f"{key!r} is not a setting", [*hints, f"short names: {', '.join(SHORT_NAMES)}"])
    return full


def parse_search(key: str, values: Any) -> Parameter:
    """Return the parameter of a key.

    `values` is `low..high`, `low..high:log`, `low..high:pow2`, `a,b,c`, a list of choices, or None for the documented
    range. Raises `SweepError`.
    """
    full = full_key(key)
    if values is None or values == "":
        if full not in DOCUMENTED:
            raise SweepError(f"{key}: the guide has no range for it", [f"write {key}=LOW..HIGH, or {key}=A,B,C"])
        values = DOCUMENTED[full]
    if isinstance(values, list | tuple):
        return _choices(full, list(values))
    text = str(values)
    if ".." not in text:
        return _choices(full, [parse_value(part) for part in text.split(",")])
    ends, colon, scale = text.partition(":")
    low, _, high = ends.partition("..")
    bounds = [parse_value(low), parse_value(high)]
    if not all(isinstance(bound, int | float) and not isinstance(bound, bool) for bound in bounds):
        raise SweepError(f"{key}: {text!r} is not a range", [f"write {key}=LOW..HIGH or {key}=LOW..HIGH:log"])
    if colon and scale not in ("log", "pow2"):
        raise SweepError(f"{key}: {scale!r} is not a scale", ["write :log or :pow2, or nothing"])
    if bounds[0] >= bounds[1] or (colon and bounds[0] <= 0):
        raise SweepError(f"{key}: {text!r} needs a lower end below the upper end, and above 0 with :{scale or 'log'}")
    if scale == "pow2" and math.ceil(math.log2(bounds[0])) > math.floor(math.log2(bounds[1])):
        raise SweepError(f"{key}: there is no power of two in {text!r}")
    whole = _annotation(full) is int
    return Parameter(full, bounds[0], bounds[1], scale or "linear", whole)  # type: ignore[arg-type]


def flatten(values: Mapping[str, Any], prefix: str = "") -> dict[str, Any]:
    """Return nested mappings as one mapping with dotted keys."""
    flat: dict[str, Any] = {}
    for key, value in values.items():
        if isinstance(value, Mapping):
            flat |= flatten(value, f"{prefix}{key}.")
        else:
            flat[prefix + key] = value
    return flat


def _choices(key: str, choices: list[Any]) -> Parameter:
    if len(choices) < 2:
        raise SweepError(
            f"{key}: a search needs at least two values", [f"to fix it, write the setting {key}={choices[0]}"]
        )
    return Parameter(key, choices=tuple(choices))


def _annotation(key: str) -> Any:
    """Return the type of a setting; `int` for `int | None`."""
    kind: Any = TrainConfig
    for part in key.split("."):
        fields = getattr(kind, "model_fields", None)
        if fields is None:
            return None
        kind = fields[part].annotation
    kinds = [each for each in get_args(kind) if each is not type(None)]
    return kinds[0] if len(kinds) == 1 and kind not in (list, dict) else kind
