"""What the pages ask for beside their files: `/client/game.json`, and `/client/events.json` of a replay."""

import json
from typing import Any

from bitworld.game import TICKS_PER_SECOND, Game
from bitworld.picture import PALETTE, SIDE
from bitworld.server.match import Match
from bitworld.server.pages import PREFIXES
from bitworld.server.replay_room import ReplayRoom
from bitworld.server.requests import NO_CACHE, Response
from bitworld.server.room import Room
from bitworld.wire.player import Button

__all__ = ["document"]

SECONDS_PER_REQUEST = 0.1
"""for reading events; a page asks again until all are read"""


def document(room: Room, path: str) -> Response | None:
    """Return the document of an address, or None if there is none."""
    name = next((path.removeprefix(prefix) for prefix in PREFIXES if path.startswith(prefix)), None)
    if name == "game.json":
        return _json(_game(room))
    if name == "events.json" and isinstance(room, ReplayRoom):
        return _json(_events(room))
    return None


def _game(room: Room) -> dict[str, Any]:
    game = room.game
    return {
        "name": game.name,
        "title": game.title,
        "summary": game.summary,
        "has_chat": type(game).chat is not Game.chat,
        "is_replay": room.is_replay,
        "is_stepped": isinstance(room, Match) and room.is_stepped,
        "side": SIDE,
        "palette": PALETTE,
        "buttons": {button.name: button.value for button in Button},
        "ticks_per_second": TICKS_PER_SECOND,
    }


def _events(room: ReplayRoom) -> dict[str, Any]:
    story = room.story
    is_complete = story.read(seconds=SECONDS_PER_REQUEST)
    return {
        "length": room.playback.length,
        "is_complete": is_complete,
        "position": story.position,
        "error": story.error,
        "players": [{"name": name, "slot": slot, "colour": c} for name, (slot, c) in story.players.items()],
        "events": [
            {
                "position": listed.position,
                "tick": listed.tick,
                "kind": listed.event.kind,
                "player": listed.event.player,
                "text": listed.event.text,
            }
            for listed in story.events
        ],
    }


def _json(value: dict[str, Any]) -> Response:
    body = json.dumps(value, separators=(",", ":")).encode()
    return Response(200, body, {"Content-Type": "application/json", **NO_CACHE})
