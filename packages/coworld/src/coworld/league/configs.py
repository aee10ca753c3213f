"""The configuration of an episode on request: a variant of the manifest with overrides."""

from __future__ import annotations

import copy
from collections.abc import Mapping
from typing import Any

from coworld.errors import DocumentError
from coworld.manifest.reader import read_downloaded_manifest
from coworld.manifest.tokens import infer_token_count_for_game_config, token_count_bounds
from coworld.models.manifest import CoworldManifest

__all__ = ["episode_config"]

_SECRET = "secret://"


def episode_config(
    document: Mapping[str, Any], *, variant_id: str | None, overrides: Mapping[str, Any], seats: int
) -> dict[str, Any]:
    """Return the configuration of a variant, or of the certification fixture, with overrides; raise `ValueError`.

    The game's schema is not applied: that takes a sandbox (`coworld.league.inspection`).
    Overrides replace whole keys. A list of `players` that the variant has for another number of seats is repeated or
    shortened, and so is a `num_agents`, unless an override gives them.
    """
    if "tokens" in overrides:
        raise ValueError("game_config_overrides must not have `tokens`: every episode gets new ones")
    if _mentions_secret(overrides):
        raise ValueError(f"game_config_overrides must not refer to a secret ({_SECRET}...): they are public")
    manifest = read_downloaded_manifest(dict(document))
    schema = manifest.game.config_schema
    config = {**copy.deepcopy(_authored(manifest, variant_id)), **overrides}
    try:
        fewest, most = token_count_bounds(schema)
        if not fewest <= seats <= most:
            allowed = str(fewest) if fewest == most else f"{fewest} to {most}"
            raise ValueError(f"the game has {allowed} seats, not {seats}")
        if infer_token_count_for_game_config(schema, config) not in (None, seats):
            config = _for_seats(config, overrides, seats)
    except DocumentError as error:
        raise ValueError(str(error)) from None
    return config


def _authored(manifest: CoworldManifest, variant_id: str | None) -> dict[str, Any]:
    if variant_id is None:
        return manifest.certification.game_config
    for variant in manifest.variants:
        if variant.id == variant_id:
            return variant.game_config
    known = ", ".join(variant.id for variant in manifest.variants)
    raise ValueError(f"there is no variant {variant_id!r}; there are: {known}")


def _for_seats(config: dict[str, Any], overrides: Mapping[str, Any], seats: int) -> dict[str, Any]:
    players = config.get("players")
    if isinstance(players, list):
        if "players" in overrides or not players:
            raise ValueError(f"there are {seats} seats and {len(players)} `players` in the configuration")
        return {**config, "players": [copy.deepcopy(players[slot % len(players)]) for slot in range(seats)]}
    if "num_agents" in overrides:
        raise ValueError(f"there are {seats} seats, and `num_agents` is {config['num_agents']}")
    return {**config, "num_agents": seats}


def _mentions_secret(value: object) -> bool:
    if isinstance(value, Mapping):
        return any(_mentions_secret(part) for pair in value.items() for part in pair)
    if isinstance(value, list):
        return any(_mentions_secret(part) for part in value)
    return isinstance(value, str) and _SECRET in value
