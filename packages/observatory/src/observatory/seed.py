"""The documented seasons, put into a database that has none."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime
from pathlib import Path

from sqlalchemy import select

from observatory.database import Database
from observatory.seasons.creation import create_season
from observatory.seasons.sources import PRESETS, env_config_of_game, parse_preset
from observatory.seasons.tables import Season

__all__ = ["preset_files", "seed", "seed_if_empty"]


def preset_files() -> list[Path]:
    """Our presets, in order of their names."""
    return sorted(PRESETS.glob("*.yaml"))


def seed_if_empty(database: Database, now: datetime) -> None:
    """Seed a database without any season."""
    with database.read() as session:
        if session.scalars(select(Season.id).limit(1)).first() is not None:
            return
    seed(database, preset_files(), now)


def seed(database: Database, files: Iterable[Path], now: datetime) -> list[str]:
    """Make the seasons of these files whose names are not there yet; their names.

    Configs are computed before the transaction begins, since that takes a while.
    """
    texts = [(path.name, path.read_text(encoding="utf-8")) for path in files]
    presets = [(parse_preset(text, called=name), text) for name, text in texts]
    with database.read() as session:
        known = set(session.scalars(select(Season.name)))
    wanted = [(preset, text) for preset, text in presets if preset.name not in known]
    games = {}
    for preset, _ in wanted:
        key = preset.play.game.model_dump_json()
        if key not in games:
            games[key] = env_config_of_game(preset.play.game)
    with database.transaction() as session:
        for preset, text in wanted:
            create_season(session, preset, games[preset.play.game.model_dump_json()], now=now, source=text)
    return [preset.name for preset, _ in wanted]
