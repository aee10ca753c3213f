"""Convert older shapes of stored manifests to the current one."""

from __future__ import annotations

from typing import Any

__all__ = ["lift_stored_manifest", "with_readme"]


def lift_stored_manifest(document: dict[str, Any]) -> dict[str, Any]:
    """Return a downloaded document in the current shape; the input is not changed.

    Protocols that are bare strings become text documents. A game without `docs` or `docs.readme` gets its description
    as readme, else its name.
    """
    game = document.get("game")
    if not isinstance(game, dict):
        return document
    lifted = dict(game)
    protocols = game.get("protocols")
    if isinstance(protocols, dict):
        lifted["protocols"] = {
            key: {"type": "text", "value": value} if key in ("player", "global") and isinstance(value, str) else value
            for key, value in protocols.items()
        }
    return with_readme({**document, "game": lifted})


def with_readme(document: dict[str, Any]) -> dict[str, Any]:
    """Return the document with a readme; a missing one becomes the game's description, else its name."""
    game = document.get("game")
    if not isinstance(game, dict):
        return document
    docs = game.get("docs")
    if docs is not None and (not isinstance(docs, dict) or docs.get("readme") is not None):
        return document
    readme = {"type": "text", "value": game.get("description") or game.get("name") or "(no README)"}
    return {**document, "game": {**game, "docs": {**(docs or {}), "readme": readme}}}
