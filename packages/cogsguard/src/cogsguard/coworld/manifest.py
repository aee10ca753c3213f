"""The manifest of Cogs vs Clips as a Coworld, generated from the models and documents of this package.

python -m cogsguard.coworld.manifest                            regenerate the packaged manifest
python -m cogsguard.coworld.manifest --slots 8 --output FILE    write one for another number of slots
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Sequence
from importlib.metadata import version
from importlib.resources import files
from pathlib import Path
from typing import Any

from cogsguard.coworld.config import MAX_SLOTS, GameConfig, config_schema
from cogsguard.coworld.errors import BadConfig, CoworldGameError
from cogsguard.coworld.images import GAME_IMAGE, PLAYER_IMAGE
from cogsguard.coworld.results import results_schema
from cogsguard.coworld.world import MANIFEST as PACKAGED

__all__ = ["PACKAGED", "make_manifest", "manifest_text"]

SLOTS = 4
STEPS = 100

# id, name, description, config; variants that do not support the number of slots are omitted
_VARIANTS: list[tuple[str, str, str, dict[str, Any]]] = [
    ("tutorial", "Tutorial", "A small map and one team.", {"mission": "tutorial"}),
    ("arena", "Arena", "The full game on a small map with many buildings.", {"mission": "arena"}),
    ("machina-1", "Machina 1", "The full game: hold junctions against the clips.", {"mission": "machina_1"}),
    ("four-score", "Four score", "Four teams compete for one large map.", {"mission": "four_score"}),
    ("by-hand", "By hand", "Five steps per second, for human players.", {"mission": "tutorial", "tick_rate": 5}),
]

_PLAYERS = [
    ("starter", "Starter", "Takes a role, gathers elements and aligns junctions."),
    ("random", "Random", "Takes random actions."),
]

DEFAULT_REPORTER = "softmax/default-reporter@1"
_ROLES = {
    "commissioner": "Schedules rounds and ranks by mean score.",
    "grader": "Scores how interesting an episode was.",
    "diagnoser": "Advises one policy after an episode.",
    "optimizer": "Suggests what to change next.",
}


def make_manifest(slots: int = SLOTS, *, steps: int = STEPS) -> dict[str, Any]:
    """Return the manifest for a number of slots; raise `BadConfig` if no mission supports that number."""
    variants: list[dict[str, Any]] = [
        {
            "id": key,
            "name": name,
            "description": description,
            "game_config": {**config, "seed": 0, "players": _seats(slots, "Cog")},
        }
        for key, name, description, config in _VARIANTS
        if _fits(config, slots)
    ]
    if not variants:
        raise BadConfig(f"No mission supports {slots} slots")
    seated = [_PLAYERS[slot % len(_PLAYERS)][0] for slot in range(slots)]
    fixture = {**variants[0]["game_config"], "max_steps": steps, "player_connect_timeout_seconds": 60}
    return {
        "tags": ["grid", "cooperative", "resources", "partially-observed"],
        "game": {
            "name": "cogs-vs-clips",
            "version": version("cogsguard"),
            "description": "A team of cogs mines, crafts and holds junctions on a map that it explores.",
            "owner": "alignment-league",
            "runnable": {"type": "game", "image": GAME_IMAGE, "run": [], "env": {}},
            "config_schema": config_schema(slots),
            "results_schema": results_schema(slots),
            "protocols": {
                "player": _document("player_protocol"),
                "global": _document("global_protocol"),
                "engine_runtime": "mettagrid",
            },
            "docs": {
                "readme": _document("readme"),
                "pages": [
                    {"id": "rules.md", "title": "Rules", "content": _document("rules")},
                    {"id": "play_cog.md", "title": "Write a player", "content": _document("play_cog")},
                ],
            },
        },
        "player": [
            {
                "type": "player",
                "id": policy,
                "name": name,
                "description": description,
                "image": PLAYER_IMAGE,
                "run": [],
                "env": {"COGSGUARD_POLICY": policy},
            }
            for policy, name, description in _PLAYERS
        ],
        **{
            role: [
                {
                    "type": role,
                    "id": f"default-{role}",
                    "name": f"Default {role}",
                    "description": description,
                    "image": f"softmax/default-{role}:latest",
                    "run": [],
                    "env": {},
                }
            ]
            for role, description in _ROLES.items()
        },
        "reporter": [{"reporter": DEFAULT_REPORTER}],
        "variants": variants,
        "certification": {
            "game_config": {**fixture, "players": [{"name": name.title()} for name in seated]},
            "players": [{"player_id": player} for player in seated],
        },
    }


def manifest_text(slots: int = SLOTS) -> str:
    """Return the manifest as text of a file."""
    return json.dumps(make_manifest(slots), indent=2, ensure_ascii=False) + "\n"


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="python -m cogsguard.coworld.manifest", description="Write the manifest.")
    parser.add_argument("--slots", type=int, default=SLOTS, choices=range(1, MAX_SLOTS + 1), metavar="N")
    parser.add_argument("--output", type=Path, default=PACKAGED, metavar="FILE")
    options = parser.parse_args(arguments)
    try:
        options.output.write_text(manifest_text(options.slots), encoding="utf-8")
    except (CoworldGameError, OSError) as error:
        print(f"Error: {error}", file=sys.stderr)
        return 1
    print(options.output)
    return 0


def _fits(config: dict[str, Any], slots: int) -> bool:
    if not 1 <= slots <= MAX_SLOTS:
        return False
    try:
        GameConfig(tokens=[""] * slots, **config).environment()
    except BadConfig:
        return False
    return True


def _seats(slots: int, name: str) -> list[dict[str, str]]:
    return [{"name": f"{name} {slot}"} for slot in range(slots)]


def _document(name: str) -> dict[str, str]:
    return {"type": "text", "value": (files(__package__) / "docs" / f"{name}.md").read_text(encoding="utf-8")}


if __name__ == "__main__":
    sys.exit(main())
