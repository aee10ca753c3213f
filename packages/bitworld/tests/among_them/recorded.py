"""Recorded games of the published simulation: load them, play them again, name the first difference."""

import gzip
import json
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bitworld.errors import JoinRefused
from bitworld.games.among_them import AmongThem
from bitworld.games.among_them.map import GameMap, load_map
from tests.support import find_shared

PLAYER_FIELDS = (
    "x y homeX homeY velX velY carryX carryY flipH role alive killCooldown joinOrder colour taskProgress activeTask "
    "ventCooldown buttonCallsUsed lastChatTick reward"
).split()


def folder() -> Path | None:
    shared = find_shared()
    path = shared / "oracle" / "bitworld" if shared else None
    return path if path and path.is_dir() else None


def names(kind: str, ending: str = "") -> list[str]:
    """Return the names of the recordings; without the folder `shared`, one name that stands for all."""
    home = folder()
    if home is None:
        return ["every recorded game"]
    return sorted(path.name.removesuffix(ending) for path in (home / kind).glob(f"*{ending}") if _is_game(path, ending))


def _is_game(path: Path, ending: str) -> bool:
    return path.is_file() if ending else path.is_dir()


@cache
def recorded_map(home: Path) -> GameMap:
    return load_map(str(home / "map" / "map.json"))


def lines(path: Path) -> Iterator[dict[str, Any]]:
    with gzip.open(path, "rt") as file:
        for line in file:
            yield json.loads(line)


@dataclass(frozen=True)
class Recording:
    config: dict[str, Any]
    inputs: NDArray[np.uint8]
    """[steps, 16]"""
    hashes: NDArray[np.uint64]
    actions: dict[int, list[dict[str, Any]]]
    states: dict[int, dict[str, Any]]
    """some states, by the step before"""
    meta: dict[str, Any]

    @classmethod
    def load(cls, path: Path) -> "Recording":
        run = np.load(path / "run.npz")
        actions: dict[int, list[dict[str, Any]]] = {}
        for action in lines(path / "actions.jsonl.gz"):
            actions.setdefault(action["step"], []).append(action)
        states = {state["step"]: state for state in lines(path / "state.jsonl.gz")}
        config = json.loads((path / "config_input.json").read_text())
        meta = json.loads((path / "meta.json").read_text())
        return cls(config, run["inputs"], run["hashes"], actions, states, meta)


def act(game: AmongThem, action: dict[str, Any]) -> None:
    match action["action"]:
        case "join":
            try:
                player = game.join(action["name"], action["slot"], action["token"])
            except JoinRefused as refusal:
                assert not action["accepted"], f"{action}: {refusal}"
            else:
                assert action["accepted"], f"{action}: accepted"
                assert game.seats[player].slot == action["gotSlot"], action
        case "leave":
            game.leave_unrepaired(action["player"])
        case "chat":
            text = bytes(action["bytes"]).decode("latin-1")
            assert game.chat(action["player"], text) == action["accepted"], action
        case "clear_needs_reregister":
            game.rejoin_done()


def difference(game: AmongThem, state: dict[str, Any]) -> str:
    """Return the first field in which the game differs from a recorded state; empty if there is none."""
    actual = game.session.describe()
    actual["rng"] = [f"{word:016X}" for word in actual["rng"]]
    for field, value in actual.items():
        if field != "players" and value != state[field]:
            return f"{field} is {value}, recorded {state[field]}"
    for player, (here, there) in enumerate(zip(actual["players"], state["players"], strict=True)):
        for field, value, recorded in zip(PLAYER_FIELDS, here, there, strict=True):
            if value != recorded:
                return f"{field} of player {player} is {value}, recorded {recorded}"
    return ""
