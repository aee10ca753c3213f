"""The parts of a broken manifest that can still be checked."""

from __future__ import annotations

from typing import Any

from coworld.models.game import CoworldGameManifest
from coworld.models.manifest import (
    CoworldCertificationFixture,
    CoworldCertificationPlayer,
    CoworldManifest,
    CoworldVariant,
)
from coworld.schema.base import DocumentModel

__all__ = ["partial_manifest"]


def partial_manifest(document: dict[str, Any]) -> CoworldManifest | None:
    """Return only the game's schemas, the variants and the fixture, for the rules about configurations; None when one
    of them has a wrong shape."""
    game, variants, fixture = (document.get(key) for key in ("game", "variants", "certification"))
    if not isinstance(game, dict) or not isinstance(variants, list) or not isinstance(fixture, dict):
        return None
    schemas = [game.get("config_schema"), game.get("results_schema")]
    seats, config = fixture.get("players"), fixture.get("game_config")
    objects = [*schemas, *variants, config, *(seats if isinstance(seats, list) else [None])]
    if not all(isinstance(part, dict) for part in objects):
        return None
    if not all(isinstance(variant.get("game_config"), dict) for variant in variants):
        return None
    assert isinstance(seats, list)
    manifest: CoworldManifest = _unchecked(
        CoworldManifest,
        game=_unchecked(CoworldGameManifest, config_schema=schemas[0], results_schema=schemas[1]),
        variants=[
            _unchecked(CoworldVariant, id=str(variant.get("id", index)), game_config=variant["game_config"])
            for index, variant in enumerate(variants)
        ],
        certification=_unchecked(
            CoworldCertificationFixture,
            game_config=config,
            players=[_unchecked(CoworldCertificationPlayer, player_id="") for _ in seats],
        ),
    )
    return manifest


def _unchecked(model: type[DocumentModel], **fields: Any) -> Any:
    return model.model_construct(**fields)
