"""A game with everything that a server and a replay must cope with, in as few lines as possible."""

import pickle
import zlib
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from bitworld._native import hash_words

from bitworld.errors import BadConfig, JoinRefused
from bitworld.game import Account, Game, Seat
from bitworld.picture import SIDE, Picture
from bitworld.scene import Layer, LayerType, Object, Scene, Sprite

SQUARE = {colour: Sprite(4, 4, bytes((colour * 16, 0, 0, 255)) * 16, f"player {colour}") for colour in range(16)}


class Tiny(Game):
    """Players move a square and score with A. `votes` follow the players, except in an unrepaired leave."""

    name = "tiny"
    title = "Tiny"
    summary = "Move a square"

    def __init__(self, config: Mapping[str, Any] | None = None) -> None:
        given = dict(config or {})
        self._config: dict[str, Any] = {"minPlayers": 2, "ticks": 0, "maxGames": 0, "seed": 1, "tokens": []} | {
            key: given[key] for key in ("minPlayers", "ticks", "maxGames", "seed", "tokens") if key in given
        }
        if not isinstance(self._config["minPlayers"], int):
            raise BadConfig("`minPlayers` must be a number")
        self.state: dict[str, Any] = {
            "tick": 0, "seats": [], "at": [], "votes": [], "chat": [], "last": [], "games": 0,
            "playing": False, "again": False, "earned": {}, "ends": 0,
        }  # fmt: skip

    @property
    def config(self) -> dict[str, Any]:
        return dict(self._config)

    @property
    def tick(self) -> int:
        return int(self.state["tick"])

    @property
    def seats(self) -> Sequence[Seat]:
        return list(self.state["seats"])

    def join(self, name: str, slot: int = -1, token: str = "") -> int:
        if self.state["playing"]:
            raise JoinRefused("The game is in progress")
        taken = {seat.slot for seat in self.state["seats"]}
        tokens = self._config["tokens"]
        if slot == -1:
            slot = next((free for free in range(16) if free not in taken), 16)
        if slot in taken or slot >= 16:
            raise JoinRefused(f"Slot {slot} is taken")
        if slot < len(tokens) and tokens[slot] != token:
            raise JoinRefused(f"Wrong token for slot {slot}")
        self.state["seats"].append(Seat(name, slot))
        self.state["at"].append([8 * slot, 60])
        self.state["votes"].append(slot)
        self.state["last"].append(0)
        self.state["earned"].setdefault(name, 0)
        return len(self.state["seats"]) - 1

    def leave(self, player: int) -> None:
        self.leave_unrepaired(player)
        del self.state["votes"][player]

    def leave_unrepaired(self, player: int) -> None:
        for key in ("seats", "at", "last"):
            del self.state[key][player]

    def chat(self, player: int, text: str) -> bool:
        if self.state["playing"] and text:
            self.state["chat"] = [*self.state["chat"], [player, text]][-6:]
        return bool(self.state["playing"] and text)

    def step(self, masks: Sequence[int]) -> None:
        state = self.state
        state["tick"] += 1
        if not state["playing"] and len(state["seats"]) >= self._config["minPlayers"]:
            state["playing"], state["ends"] = True, state["tick"] + self._config["ticks"]
        for player, mask in enumerate(masks):
            x, y = state["at"][player]
            state["at"][player] = [
                (x + bool(mask & 8) - bool(mask & 4)) % SIDE,
                (y + bool(mask & 2) - bool(mask & 1)) % SIDE,
            ]
            if mask & 0x20 and not state["last"][player] & 0x20 and state["playing"]:
                state["earned"][state["seats"][player].name] += 1
        state["last"] = list(masks)
        if state["playing"] and self._config["ticks"] and state["tick"] >= state["ends"]:
            state.update(tick=0, seats=[], at=[], votes=[], chat=[], last=[], playing=False, again=True)
            state["games"] += 1

    def draw(self, player: int, out: Picture) -> None:
        out[:] = 12
        for x, y in self.state["at"]:
            out[y : y + 4, x : x + 4] = 3
        x, y = self.state["at"][player]
        out[y : y + 4, x : x + 4] = 8
        out[0, : len(self.state["chat"])] = 7

    def draw_waiting(self, out: Picture) -> None:
        out[:] = 5

    def scene(self) -> Scene:
        objects = {1000 + n: Object(x, y, 0, 0, 100 + n) for n, (x, y) in enumerate(self.state["at"])}
        sprites = {100 + n: SQUARE[seat.slot] for n, seat in enumerate(self.state["seats"])}
        return Scene({0: Layer(LayerType.MAP, SIDE, SIDE, is_zoomable=True)}, sprites, objects)

    def player_scene(self, player: int) -> Scene:
        return self.scene()

    def accounts(self) -> Sequence[Account]:
        return [Account(name, reward, {"games": self.state["games"]}) for name, reward in self.state["earned"].items()]

    def state_hash(self) -> int:
        state = self.state
        words = [state["tick"], state["playing"], state["again"], *(x for at in state["at"] for x in at)]
        chat = zlib.crc32(repr(state["chat"]).encode())
        return hash_words(np.array([*words, *state["votes"], *state["earned"].values(), chat], np.int64))

    def snapshot(self) -> bytes:
        return pickle.dumps(self.state)

    def restore(self, snapshot: bytes) -> None:
        self.state = pickle.loads(snapshot)

    @property
    def phase(self) -> str:
        return "playing" if self.state["playing"] else "lobby"

    @property
    def is_over(self) -> bool:
        return 0 < self._config["maxGames"] <= self.state["games"]

    @property
    def wants_players_again(self) -> bool:
        return bool(self.state["again"])

    def rejoin_done(self) -> None:
        self.state["again"] = False
