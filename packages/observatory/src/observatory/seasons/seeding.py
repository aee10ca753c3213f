"""Create the documented seasons in an empty database."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime
from pathlib import Path

from sqlalchemy import select

from observatory.database import Database
from observatory.database.tables.seasons import Season
from observatory.errors import Unprocessable
from observatory.seasons.creation import create_season
from observatory.seasons.sources import PRESETS, env_config_of_game, parse_preset

__all__ = ["find_preset", "preset_files", "seed", "seed_if_empty"]


def preset_files() -> list[Path]:
    """Return the preset files, sorted by name."""
    return sorted(PRESETS.glob("*.yaml"), key=lambda path: path.stem)


def find_preset(text: str) -> Path:
    """Return the file that `text` names: its path, or a documented season such as `beta-cvc`.

    Raises `Unprocessable` with the documented seasons when there is neither.
    """
    path = Path(text)
    documented = {file.stem: file for file in preset_files()}
    if path.exists() or text not in documented:
        if not path.is_file():
            raise Unprocessable(f"There is no file {text!r}, and the documented seasons are {', '.join(documented)}")
        return path
    return documented[text]


def seed_if_empty(database: Database, now: datetime) -> None:
    """Seed a database without any season."""
    with database.read() as session:
        if session.scalars(select(Season.id).limit(1)).first() is not None:
            return
    seed(database, preset_files(), now)


def seed(database: Database, files: Iterable[Path], now: datetime, *, keep_defaults: bool = False) -> list[str]:
    """Create the seasons of these files whose names do not exist yet; return their names.

    With `keep_defaults` none of them becomes the default season. Configs are computed before the transaction begins,
    since that takes a while.
    """
    texts = [(path.name, path.read_text(encoding="utf-8")) for path in files]
    presets = [(parse_preset(text, source=name), text) for name, text in texts]
    with database.read() as session:
        existing = set(session.scalars(select(Season.name)))
    missing = [(preset, text) for preset, text in presets if preset.name not in existing]
    games = {}
    for preset, _ in missing:
        key = preset.play.game.model_dump_json()
        if key not in games:
            games[key] = env_config_of_game(preset.play.game)
    with database.transaction() as session:
        for preset, text in missing:
            if keep_defaults:
                preset = preset.model_copy(update={"is_default": False})
            create_season(session, preset, games[preset.play.game.model_dump_json()], now=now, source=text)
    return [preset.name for preset, _ in missing]
