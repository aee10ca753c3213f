"""The results of a game as a league counts them: a score and metrics for each seat, and numbers of the whole game."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from typing import Any, NoReturn

__all__ = ["read_result", "scores_problem"]

MAX_METRICS, MAX_NAME = 200, 100
_STEPS = ("steps", "ticks")


def read_result(data: bytes) -> dict[str, Any]:
    """Return `rewards`, `action_timeouts`, `stats` and `steps` from a `results.json`; raise `ValueError`.

    A list of numbers with one for each seat is a metric of the seats; a number is one of the game.
    """
    results = json.loads(data, parse_constant=_refuse_constant)
    if not isinstance(results, dict):
        raise ValueError("results.json must hold an object")
    if problem := scores_problem(results, None):
        raise ValueError(problem)
    scores = [float(score) for score in results["scores"]]
    game = {name: float(value) for name, value in _metrics(results) if _is_number(value)}
    agents: list[dict[str, float]] = [{} for _ in scores]
    for name, values in _metrics(results):
        if (
            name != "scores"
            and isinstance(values, list)
            and len(values) == len(scores)
            and all(map(_is_number, values))
        ):
            for agent, value in zip(agents, values, strict=True):
                agent[name] = float(value)
    steps = next((results[name] for name in _STEPS if isinstance(results.get(name), int)), 0)
    return {
        "rewards": scores,
        "action_timeouts": [0 for _ in scores],
        "stats": {"game": game, "agent": agents},
        "steps": max(0, min(int(steps), 2**31 - 1)),
    }


def scores_problem(results: Mapping[str, Any], seats: int | None) -> str | None:
    """Return what is wrong with the scores of a game; None if there is a finite number for each seat."""
    scores = results.get("scores")
    if not isinstance(scores, list) or not scores or not all(map(_is_number, scores)):
        return "$.scores: must be a list with a number for each slot"
    if seats is not None and len(scores) != seats:
        return f"$.scores: must be one number for each of the {seats} slots"
    return None


def _metrics(results: Mapping[str, Any]) -> list[tuple[str, Any]]:
    return [(name, value) for name, value in results.items() if len(name) <= MAX_NAME][:MAX_METRICS]


def _is_number(value: object) -> bool:
    if isinstance(value, bool) or not isinstance(value, int | float):
        return False
    try:
        return math.isfinite(float(value))
    except OverflowError:
        return False


def _refuse_constant(word: str) -> NoReturn:
    raise ValueError(f"{word} is not a JSON number")
