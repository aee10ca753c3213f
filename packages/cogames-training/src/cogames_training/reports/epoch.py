"""The numbers of one epoch: a rollout and the update that follows it."""

from __future__ import annotations

import json
import math
from dataclasses import asdict, dataclass, field, fields
from typing import Any

__all__ = ["PHASES", "EpochReport"]

PHASES = (
    "env",
    "teacher",
    "copy",
    "forward",
    "advantage",
    "train_forward",
    "learn",
    "other",
    "evaluate",
    "checkpoint",
)
"""parts of an epoch's time, in the order in which they are shown"""

_SPECIAL = {"nan": math.nan, "inf": math.inf, "-inf": -math.inf}


@dataclass
class EpochReport:
    """Numbers of an epoch. Means are over what happened in this epoch, not over the whole run."""

    epoch: int
    """number of updates so far, this one included"""
    agent_steps: int
    """agent steps so far"""
    total_steps: int
    """agent steps of the whole run"""
    seconds: float
    """time of this epoch"""
    uptime: float
    """time since the run started, without interruptions"""
    phases: dict[str, float] = field(default_factory=dict)
    """seconds of this epoch by phase; see `PHASES`"""
    losses: dict[str, float] = field(default_factory=dict)
    """policy_loss, value_loss, entropy, approx_kl and so on"""
    episode: dict[str, float] = field(default_factory=dict)
    """means over the episodes that ended: reward, length, env_agent/*, env_game/*, env_collective/<team>/*"""
    episodes: int = 0
    """episodes that ended"""
    learning_rate: float = 0.0
    """step size of the optimizer"""
    hyperparameters: dict[str, float] = field(default_factory=dict)
    """settings that change during the run"""
    experience: dict[str, float] = field(default_factory=dict)
    """number of segments by kind, and other facts about the batch"""
    evaluation: dict[str, Any] | None = None
    """score, low and high (the 95% interval), episodes; `missions` has the same by name"""
    epoch_steps: int = 0
    """agent steps of this epoch; 0: the mean of all epochs"""

    @property
    def steps_per_second(self) -> float:
        """Agent steps per second of this epoch."""
        steps = self.epoch_steps or self.agent_steps / max(self.epoch, 1)
        return steps / self.seconds if self.seconds > 0 else 0.0

    @property
    def score(self) -> float | None:
        """The score of the evaluation, else the reward of the episodes; None if neither exists."""
        value = (self.evaluation or {}).get("score", self.episode.get("reward"))
        return float(value) if isinstance(value, int | float) and math.isfinite(value) else None

    def to_json(self) -> str:
        """Return one line of JSON. Numbers that JSON lacks become the texts `nan`, `inf` and `-inf`."""
        return json.dumps(_encoded(asdict(self)), allow_nan=False, separators=(",", ":"))

    @classmethod
    def from_json(cls, text: str | bytes) -> EpochReport:
        """Read a line that `to_json` wrote; unknown keys are ignored. Raise `ValueError` for anything else."""
        document = json.loads(text)
        names = {item.name for item in fields(cls)}
        if not isinstance(document, dict):
            raise ValueError("an epoch must be a JSON object")
        known = {name: _decoded(value) for name, value in document.items() if name in names}
        try:
            report = cls(**known)
        except TypeError as error:
            raise ValueError(f"an epoch lacks a value: {error}") from None
        for item in fields(cls):
            value = getattr(report, item.name)
            is_table = item.name in _TABLES
            is_fine = isinstance(value, dict) if is_table else isinstance(value, int | float)
            if not is_fine and not (item.name == "evaluation" and value is None):
                raise ValueError(f"{item.name} of an epoch cannot be {value!r}")
        return report


_TABLES = {"phases", "losses", "episode", "hyperparameters", "experience", "evaluation"}


def _encoded(value: Any) -> Any:
    if isinstance(value, dict):
        return {str(key): _encoded(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_encoded(item) for item in value]
    if isinstance(value, bool | int | str) or value is None:
        return value
    number = float(value)  # also NumPy's and PyTorch's numbers
    if math.isfinite(number):
        return number
    return "nan" if math.isnan(number) else "inf" if number > 0 else "-inf"


def _decoded(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _decoded(item) for key, item in value.items()}
    if isinstance(value, list):
        return [_decoded(item) for item in value]
    return _SPECIAL.get(value, value) if isinstance(value, str) else value
