"""The manifests of the games as Coworlds, generated from the models and documents of this package.

python -m bitworld.coworld.manifest     regenerate the packaged manifests
"""

import json
import sys
from dataclasses import dataclass, field
from importlib.metadata import version
from importlib.resources import files
from pathlib import Path
from typing import Any

from bitworld.coworld import worlds
from bitworld.coworld.config import config_schema
from bitworld.coworld.images import GAME_IMAGE, PLAYER_IMAGE
from bitworld.coworld.results import results_schema
from bitworld.registry import game_class

__all__ = ["WORLDS", "World", "make_manifest", "manifest_text"]

DEFAULT_REPORTER = "softmax/default-reporter@1"
_ROLES = {
    "commissioner": "Schedules rounds and ranks by mean score.",
    "grader": "Scores how interesting an episode was.",
    "diagnoser": "Advises one policy after an episode.",
    "optimizer": "Suggests what to change next.",
}
Player = tuple[str, str, str]
"""id, name and description"""
_PLAYERS: list[Player] = [
    ("wander", "Wanderer", "Walks in changing directions and presses A now and then."),
    ("mash", "Masher", "Presses random buttons."),
]
_SCRIPTED: Player = ("scripted", "Scripted", "Works, reports, argues and votes by rules; as imposter it stays unseen.")


@dataclass(frozen=True)
class World:
    """What differs between the manifests."""

    path: Path
    slots: int
    tags: list[str]
    max_ticks: int = 7200
    settings: dict[str, Any] = field(default_factory=dict)
    quick: dict[str, Any] = field(default_factory=dict)
    """settings of the short game that certification plays"""
    own_players: list[Player] = field(default_factory=list)
    """players that know this game; one of each takes part in the certification"""


WORLDS = {
    "among_them": World(
        worlds.AMONG_THEM,
        8,
        ["pixels", "social-deduction", "hidden-roles"],
        max_ticks=10_000,
        quick={"startWaitTicks": 0, "roleRevealTicks": 10, "gameOverTicks": 10},
        own_players=[_SCRIPTED],
    ),
    "fancy_cookout": World(
        worlds.FANCY_COOKOUT, 4, ["pixels", "cooperative", "cooking"], max_ticks=4320, quick={"gameOverTicks": 10}
    ),
    "ice_brawl": World(
        worlds.ICE_BRAWL,
        4,
        ["pixels", "competitive", "action"],
        quick={"gameOverTicks": 10, "rounds": 1, "roundTicks": 100},
    ),
    "infinite_blocks": World(
        worlds.INFINITE_BLOCKS, 2, ["pixels", "shared-resource", "puzzle"], max_ticks=4320, quick={"gameOverTicks": 10}
    ),
    "stag_hunt": World(worlds.STAG_HUNT, 4, ["pixels", "social-dilemma", "hunting"], quick={"gameOverTicks": 10}),
}
QUICK_TICKS = 120


def make_manifest(game: str) -> dict[str, Any]:
    """Return the manifest of a game."""
    world, kind = WORLDS[game], game_class(game)
    seats = [{"name": f"Player {slot}"} for slot in range(world.slots)]
    standard = {"players": seats, "seed": 0, "max_ticks": world.max_ticks, "settings": world.settings}
    quick = {**standard, "max_ticks": QUICK_TICKS, "settings": {**world.settings, **world.quick}}
    others = world.slots - len(world.own_players)
    seated = [*world.own_players, *(_PLAYERS[slot % len(_PLAYERS)] for slot in range(others))]
    return {
        "tags": world.tags,
        "game": {
            "name": game.replace("_", "-"),
            "version": version("bitworld"),
            "description": kind.summary,
            "owner": "alignment-league",
            "runnable": {"type": "game", "image": GAME_IMAGE, "run": [], "env": {"BITWORLD_GAME": game}},
            "config_schema": config_schema(world.slots),
            "results_schema": results_schema(world.slots),
            "protocols": {"player": _document("player_protocol"), "global": _document("global_protocol")},
            "docs": {
                "readme": _text(_readme(kind.title, kind.summary, world.slots)),
                "pages": [
                    {"id": "rules.md", "title": "Rules", "content": _document(f"rules/{game}")},
                    {"id": "play_pixels.md", "title": "Write a player", "content": _document("play_pixels")},
                ],
            },
        },
        "player": [
            {
                "type": "player",
                "id": key,
                "name": name,
                "description": description,
                "image": PLAYER_IMAGE,
                "run": [],
                "env": {"BITWORLD_PLAYER": key},
            }
            for key, name, description in (*world.own_players, *_PLAYERS)
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
        "variants": [
            _variant("standard", "Standard", "The whole game, as fast as its players.", standard),
            _variant("quick", "Quick", "A game of a few seconds.", quick),
            _variant("by-hand", "By hand", "24 ticks per second, for human players.", {**standard, "tick_rate": 24}),
        ],
        "certification": {
            "game_config": {
                **quick,
                "player_connect_timeout_seconds": 60,
                "players": [{"name": name} for _, name, _ in seated],
            },
            "players": [{"player_id": key} for key, _, _ in seated],
        },
    }


def manifest_text(game: str) -> str:
    """Return the manifest as text of a file."""
    return json.dumps(make_manifest(game), indent=2, ensure_ascii=False) + "\n"


def _variant(key: str, name: str, description: str, config: dict[str, Any]) -> dict[str, Any]:
    return {"id": key, "name": name, "description": description, "game_config": config}


def _readme(title: str, summary: str, slots: int) -> str:
    return (
        f"# {title}\n\n{summary}\n\nEach of {slots} players sees a picture of 128 x 128 pixels and holds buttons. "
        "`rules.md` has the rules, `play_pixels.md` a player in eight lines, and the protocols describe the bytes.\n"
    )


def _document(name: str) -> dict[str, str]:
    return _text((files(__package__) / "docs" / f"{name}.md").read_text(encoding="utf-8"))


def _text(value: str) -> dict[str, str]:
    return {"type": "text", "value": value}


def main() -> int:
    for game, world in WORLDS.items():
        world.path.parent.mkdir(exist_ok=True)
        world.path.write_text(manifest_text(game), encoding="utf-8")
        print(world.path)
    return 0


if __name__ == "__main__":
    sys.exit(main())
