"""Configurations to start from, as plain JSON: recorded games, missions and games of the compat generator."""

from __future__ import annotations

import gzip
import json
import os
import random
from functools import lru_cache
from pathlib import Path
from typing import Any

from tests.compat.generator import random_case

Json = Any

ROOT = Path(__file__).resolve().parents[2]
GENERATED = 2000  # games of the generator to choose from


def oracle_folder() -> Path | None:
    """Return the recorded games: in $LEAGUE_SHARED, or in `shared` beside the repository; None when there are none."""
    folder = Path(os.environ.get("LEAGUE_SHARED") or ROOT.parent / "shared") / "oracle"
    return folder if folder.is_dir() else None


@lru_cache(maxsize=1)
def recorded_games() -> dict[str, Path]:
    return _configs("cases")


@lru_cache(maxsize=1)
def missions() -> dict[str, Path]:
    """Return the arena, as it is and as it was played: a thousand times the size of other games."""
    return _configs("missions")


def _configs(folder: str) -> dict[str, Path]:
    oracle = oracle_folder()
    files = sorted((oracle / folder).glob("*.json*")) if oracle else []
    return {path.name.split(".")[0]: path for path in files if not path.name.endswith(".meta.json")}


@lru_cache(maxsize=256)
def _text(path: Path) -> str:
    content = path.read_bytes()
    return (gzip.decompress(content) if path.suffix == ".gz" else content).decode()


def recorded_game(name: str) -> Json:
    """Return a new copy of a recorded game or mission."""
    return json.loads(_text((recorded_games() | missions())[name]))


def draw_game(rng: random.Random, *, small: bool = False) -> tuple[str, Json]:
    """(name, config) of a random game; `small` leaves out the missions."""
    draw = rng.random()
    if missions() and draw < 0.01 and not small:
        name = rng.choice(sorted(missions()))
    elif recorded_games() and draw < 0.45:
        name = rng.choice(sorted(recorded_games()))
    else:
        seed = rng.randrange(GENERATED)
        return f"generated {seed}", random_case(seed).config
    return name, recorded_game(name)
