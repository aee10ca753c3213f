"""Write the manifests of Paint Arena from its documents: `python -m coworld.examples.paintarena.build`.

Documents of a manifest are inline text, so they live as files in `docs/` and are put in here. Three files come out:
the manifest, the template that `coworld build` fills in (image names open, no version), and the manifest of the same
game with its replay page as a static viewer bundle.
"""

from __future__ import annotations

import json
from pathlib import Path

HERE = Path(__file__).parent
VERSION = "1.0.0"
IMAGE = "softmax/paintarena:latest"
SCHEMA = "https://json-schema.org/draft/2020-12/schema"
NAMES = [{"name": "Sweep 1"}, {"name": "Sweep 2"}]

CONFIG_SCHEMA = {
    "$schema": SCHEMA,
    "type": "object",
    "additionalProperties": False,
    "required": ["tokens", "players", "width", "height", "max_ticks", "tick_rate"],
    "properties": {
        "tokens": {"type": "array", "minItems": 2, "maxItems": 2, "items": {"type": "string", "minLength": 1}},
        "players": {
            "type": "array",
            "minItems": 2,
            "maxItems": 2,
            "items": {
                "type": "object",
                "additionalProperties": False,
                "required": ["name"],
                "properties": {"name": {"type": "string", "minLength": 1}},
            },
        },
        "width": {"type": "integer", "minimum": 4, "maximum": 40},
        "height": {"type": "integer", "minimum": 4, "maximum": 40},
        "max_ticks": {"type": "integer", "minimum": 1, "maximum": 10000},
        "tick_rate": {"type": "number", "exclusiveMinimum": 0, "maximum": 60},
        "player_connect_timeout_seconds": {"type": "number", "minimum": 0, "default": 180},
        "lockstep": {"type": "boolean", "default": False},
    },
}

RESULTS_SCHEMA = {
    "$schema": SCHEMA,
    "type": "object",
    "additionalProperties": False,
    "required": ["scores", "painted_tiles", "ticks"],
    "properties": {
        "scores": {"type": "array", "minItems": 1, "maxItems": 4, "items": {"type": "number"}},
        "painted_tiles": {"type": "array", "minItems": 1, "maxItems": 4, "items": {"type": "integer", "minimum": 0}},
        "ticks": {"type": "integer", "minimum": 0},
    },
}


def config(width: int, height: int, max_ticks: int, tick_rate: float, *, lockstep: bool = False) -> dict[str, object]:
    """Return a game configuration without tokens."""
    document: dict[str, object] = {
        "width": width,
        "height": height,
        "max_ticks": max_ticks,
        "tick_rate": tick_rate,
        "player_connect_timeout_seconds": 180,
        "players": NAMES,
    }
    return document | ({"lockstep": True} if lockstep else {})


def variant(name: str, title: str, description: str, game_config: dict[str, object]) -> dict[str, object]:
    return {"id": name, "name": title, "description": description, "game_config": game_config}


VARIANTS = [
    variant("default", "Duel", "12 x 8 tiles, 20 seconds.", config(12, 8, 100, 5)),
    variant("small", "Small board", "6 x 6 tiles, 12 seconds.", config(6, 6, 60, 5)),
    variant("tall", "Tall board", "8 x 14 tiles, 24 seconds.", config(8, 14, 120, 5)),
    variant("quick", "Duel in lockstep", "12 x 8 tiles, as fast as both answer.", config(12, 8, 60, 1, lockstep=True)),
    variant(
        "quick-small", "Small in lockstep", "6 x 6 tiles, as fast as both answer.", config(6, 6, 24, 1, lockstep=True)
    ),
    variant(
        "quick-tall", "Tall in lockstep", "8 x 14 tiles, as fast as both answer.", config(8, 14, 70, 1, lockstep=True)
    ),
]


def manifest(*, image: str = IMAGE, version: str | None = VERSION, static_viewer: bool = False) -> dict[str, object]:
    """Return the manifest as a document; with `version` None, the template that a build fills in."""
    game: dict[str, object] = {
        "name": "paintarena",
        "version": version,
        "description": "Two players paint a board; whoever owns more tiles at the end has won.",
        "owner": "alignment-league",
        "runnable": {
            "type": "game",
            "image": image,
            "run": ["python", "-m", "coworld.examples.paintarena.game.server"],
        },
        "config_schema": CONFIG_SCHEMA,
        "results_schema": RESULTS_SCHEMA,
        "protocols": {"player": _text("player_protocol.md"), "global": _text("global_protocol.md")},
        "docs": {
            "readme": _text("readme.md"),
            "pages": [
                {"id": "rules.md", "title": "Rules", "content": _text("rules.md")},
                {"id": "play_paintarena.md", "title": "Play Paint Arena", "content": _text("play_paintarena.md")},
            ],
        },
    }
    if version is None:
        del game["version"]
    if static_viewer:
        game["replay_viewer"] = {"bundle": "game/client"}
    return {
        "tags": ["example", "board", "two-players"],
        "game": game,
        "player": [
            {
                "id": "sweep",
                "type": "player",
                "name": "Sweep",
                "description": "Paints the board row by row.",
                "image": image,
                "run": ["python", "-m", "coworld.examples.paintarena.player.player"],
            }
        ],
        **{role: [_default(role, does)] for role, does in _DEFAULT_ROLES.items()},
        "reporter": [{"reporter": "softmax/default-reporter@1"}],
        "variants": VARIANTS,
        "certification": {
            "game_config": config(12, 8, 100, 20),
            "players": [{"player_id": "sweep"}, {"player_id": "sweep"}],
        },
    }


_DEFAULT_ROLES = {
    "commissioner": "Schedules rounds of every champion against every other and ranks by mean score.",
    "grader": "How decided an episode was: the margin as a share of the board.",
    "diagnoser": "What one policy should look at after an episode.",
    "optimizer": "A plan from reports, grades and diagnoses.",
}


def _default(role: str, does: str) -> dict[str, object]:
    name = f"default-{role}"
    return {"id": name, "type": role, "name": f"Default {role}", "description": does, "image": f"softmax/{name}:latest"}


def _text(name: str) -> dict[str, str]:
    return {"type": "text", "value": (HERE / "docs" / name).read_text()}


def files() -> dict[str, str]:
    """Return the files to write, by name."""
    documents = {
        "coworld_manifest.json": manifest(),
        "coworld_manifest_static_viewer.json": manifest(static_viewer=True),
        "coworld_manifest_template.json": manifest(image="{{PAINTARENA_IMAGE}}", version=None),
    }
    return {name: json.dumps(document, indent=2, ensure_ascii=False) + "\n" for name, document in documents.items()}


def main() -> None:
    for name, text in files().items():
        (HERE / name).write_text(text)
        print(HERE / name)


if __name__ == "__main__":
    main()
