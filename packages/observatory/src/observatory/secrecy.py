"""Hide the seeds of a season while it plays: a seed reveals its maps. Only this module decides that.

All randomness of a version comes from its seed. Once a version has ended, its seed and those of its matches are public.
"""

from __future__ import annotations

from typing import Any

from observatory.database.tables.seasons import Season

__all__ = ["seeds_are_public", "visible_seed", "without_seeds"]

_SEEDS = ("seed", "policy_seed", "map_seed")


def seeds_are_public(season: Season) -> bool:
    return season.completed_at is not None


def visible_seed(season: Season, seed: int) -> str | None:
    """Return a seed of a season as digits, because it exceeds JavaScript's integer range; None while it is hidden."""
    return str(seed) if seeds_are_public(season) else None


def without_seeds(spec: dict[str, Any]) -> dict[str, Any]:
    """Return the spec of a job without its seeds; the rest is shared with the original."""
    visible = {name: value for name, value in spec.items() if name not in _SEEDS}
    env = spec.get("env")
    if isinstance(env, dict) and isinstance(env.get("game"), dict):
        builder = env["game"].get("map_builder")
        if isinstance(builder, dict) and "seed" in builder:
            visible["env"] = {**env, "game": {**env["game"], "map_builder": {**builder, "seed": None}}}
    return visible
