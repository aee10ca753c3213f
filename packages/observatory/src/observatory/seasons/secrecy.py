"""Seeds are hidden while a season plays: who knows one knows its maps. This is the one place that decides it.

All chance of a version comes from its seed. A version that has ended tells it, and the seeds of its matches.
"""

from __future__ import annotations

from typing import Any

from observatory.seasons.tables import Season

__all__ = ["seeds_are_told", "told_seed", "without_seeds"]

_SEEDS = ("seed", "policy_seed", "map_seed")


def seeds_are_told(season: Season) -> bool:
    return season.completed_at is not None


def told_seed(season: Season, seed: int) -> str | None:
    """A seed of a season for everybody, in digits because it is longer than a browser's numbers; None while hidden."""
    return str(seed) if seeds_are_told(season) else None


def without_seeds(spec: dict[str, Any]) -> dict[str, Any]:
    """The spec of a job without what its chance comes from; the rest is shared with the original."""
    shown = {name: value for name, value in spec.items() if name not in _SEEDS}
    env = spec.get("env")
    if isinstance(env, dict) and isinstance(env.get("game"), dict):
        builder = env["game"].get("map_builder")
        if isinstance(builder, dict) and "seed" in builder:
            shown["env"] = {**env, "game": {**env["game"], "map_builder": {**builder, "seed": None}}}
    return shown
