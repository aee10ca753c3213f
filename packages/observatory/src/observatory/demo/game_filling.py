"""Publish installed Coworlds that have no league in the demo. A second call changes nothing."""

from __future__ import annotations

from collections.abc import Sequence

from fastapi import FastAPI

from observatory.accounts.principal import Principal
from observatory.coworlds import repository as coworlds
from observatory.coworlds.inspection import inspect_manifest
from observatory.coworlds.publishing import Publisher
from observatory.database.tables.accounts import User
from observatory.games.coworlds import coworlds as coworld_games

__all__ = ["GAMES", "GUEST_GAMES", "fill_games"]

GAMES = ("lessons",)
GUEST_GAMES = ("cogs-vs-clips:by-hand", "paintarena:default", "lessons:moving")
"""games that visitors of the demo play without an account"""


def fill_games(app: FastAPI, house: User, worlds: Sequence[str] = GAMES) -> None:
    """Publish the newest version of each installed Coworld for the house; those that are not installed are left out."""
    for world in worlds:
        manifest = coworld_games().installed_manifest(world)
        if manifest is None:
            continue
        game = manifest["game"]
        with app.state.database.read() as session:
            is_published = any(row.version == game["version"] for row in coworlds.versions(session, game["name"]))
        if is_published:
            continue
        inspect_manifest(manifest)
        with app.state.database.transaction() as session:
            publisher = Publisher(app.state.database, app.state.store, app.state.settings)
            publisher.record(session, Principal(house), manifest, "public", [], now=app.state.clock())
