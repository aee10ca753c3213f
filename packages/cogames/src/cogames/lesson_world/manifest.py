"""The manifest of the lessons as a Coworld.

python -m cogames.lesson_world.manifest     regenerate the packaged manifest
"""

from __future__ import annotations

import json
from importlib.metadata import version
from importlib.resources import files
from typing import Any

from cogames.lesson_world.config import LessonConfig, lessons
from cogames.lesson_world.images import GAME_IMAGE
from cogames.lesson_world.world import MANIFEST as PACKAGED
from cogsguard.coworld.config import config_schema
from cogsguard.coworld.manifest import make_manifest as make_game_manifest
from cogsguard.coworld.results import results_schema

__all__ = ["PACKAGED", "make_manifest", "manifest_text"]

PLAYER = "random"
"""plays the certification, in which no person takes part"""
STEPS = 60


def make_manifest() -> dict[str, Any]:
    """Return the manifest: the programs and roles of Cogs vs Clips with one seat, and a variant for each lesson."""
    base = make_game_manifest()
    seat = {"players": [{"name": "You"}]}
    variants = [
        {
            "id": lesson.name,
            "name": lesson.title,
            "description": lesson.briefing,
            "game_config": {"lesson": lesson.name, "seed": 42, **seat},
        }
        for lesson in lessons()
    ]
    fixture = {"lesson": lessons()[0].name, "max_steps": STEPS, "player_connect_timeout_seconds": 60, **seat}
    game = {
        **base["game"],
        "name": "lessons",
        "version": version("cogames"),
        "description": "Lessons that teach Cogs vs Clips by playing it. The game waits for you.",
        "runnable": {"type": "game", "image": GAME_IMAGE, "run": [], "env": {}},
        "config_schema": config_schema(1, LessonConfig),
        "results_schema": results_schema(1),
        "docs": {"readme": {"type": "text", "value": _readme()}, "pages": []},
    }
    return {
        **base,
        "tags": ["grid", "lesson", "single-player"],
        "game": game,
        "player": [player for player in base["player"] if player["id"] == PLAYER],
        "variants": variants,
        "certification": {"game_config": fixture, "players": [{"player_id": PLAYER}]},
    }


def manifest_text() -> str:
    """Return the manifest as text of a file."""
    return json.dumps(make_manifest(), indent=2, ensure_ascii=False) + "\n"


def _readme() -> str:
    return (files(__package__) / "readme.md").read_text(encoding="utf-8")


if __name__ == "__main__":
    PACKAGED.write_text(manifest_text(), encoding="utf-8")
    print(PACKAGED)
