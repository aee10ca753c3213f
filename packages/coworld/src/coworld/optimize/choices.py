"""The choices an author makes on the page, checked one by one."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from coworld.optimize.errors import OptimizeError
from coworld.optimize.run_settings import RunSettings
from coworld.optimize.statistics import MIN_PAIRS

MAX_ITERATIONS, MAX_PAIRS, MAX_WORKERS, MAX_SEED = 1000, 1000, 64, 2**31 - 1
CHOICES = ("player_folder", "player", "variants", "opponents", "iterations", "pairs", "workers", "seed")


def chosen(defaults: RunSettings, choices: Mapping[str, Any]) -> RunSettings:
    """Return the settings with the choices of the page; missing choices keep their defaults.

    Raises:
        OptimizeError: a value has the wrong type or size, or a key is unknown.
    """
    if unknown := sorted(choices.keys() - set(CHOICES)):
        raise OptimizeError(f"{unknown[0]!r} is not a setting", hint=f"known: {', '.join(CHOICES)}")
    folder = _text(choices, "player_folder") or str(defaults.player_folder)
    return replace(
        defaults,
        player_folder=Path(folder).expanduser().resolve(),
        player=_text(choices, "player") or defaults.player,
        variants=_texts(choices, "variants", defaults.variants),
        opponents=_texts(choices, "opponents", defaults.opponents),
        iterations=_number(choices, "iterations", defaults.iterations, 0, MAX_ITERATIONS),
        pairs=_number(choices, "pairs", defaults.pairs, MIN_PAIRS, MAX_PAIRS),
        workers=_number(choices, "workers", defaults.workers, 1, MAX_WORKERS),
        seed=_number(choices, "seed", defaults.seed, 0, MAX_SEED),
    )


def _text(choices: Mapping[str, Any], name: str) -> str:
    value = choices.get(name) or ""
    if not isinstance(value, str) or "\0" in value:
        raise OptimizeError(f"`{name}` must be text, not {value!r}")
    return value


def _texts(choices: Mapping[str, Any], name: str, default: Sequence[str]) -> list[str]:
    value = choices.get(name, list(default))
    if not isinstance(value, list) or not all(isinstance(item, str) for item in value):
        raise OptimizeError(f"`{name}` must be a list of texts, not {value!r}")
    return value


def _number(choices: Mapping[str, Any], name: str, default: int, minimum: int, maximum: int) -> int:
    value = choices.get(name, default)
    if isinstance(value, bool) or not isinstance(value, int) or not minimum <= value <= maximum:
        raise OptimizeError(f"`{name}` must be a number from {minimum} to {maximum}, not {value!r}")
    return value
