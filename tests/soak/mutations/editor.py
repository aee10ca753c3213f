"""The configuration under change: its places, and where other configurations come from."""

from __future__ import annotations

import json
import random
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

Json = Any


class Place(NamedTuple):
    """One value inside a config: `box[key]`, where box is a dictionary or a list."""

    box: Any
    key: Any

    @property
    def value(self) -> Json:
        return self.box[self.key]

    def put(self, value: Json) -> None:
        self.box[self.key] = value


def places(node: Json) -> Iterator[Place]:
    """Yield every value below a node, without recursion."""
    waiting = [node]
    while waiting:
        box = waiting.pop()
        for key, value in list(box.items() if isinstance(box, dict) else enumerate(box)):
            yield Place(box, key)
            if isinstance(value, (dict, list)):
                waiting.append(value)


class Editor:
    """A config with its dice. `donor` draws another config to take parts from."""

    def __init__(self, rng: random.Random, config: Json, donor: Callable[[], Json]) -> None:
        self.rng = rng
        self.config = config
        self.donor = donor

    @property
    def game(self) -> Json:
        """Return the game, or an empty one to write into the wind when earlier changes left none."""
        game = self.config.get("game") if isinstance(self.config, dict) else None
        return game if isinstance(game, dict) else {}

    def part(self, *path: str) -> Json:
        """Return a dictionary of the game by its path, made when it is missing."""
        node = self.game
        for name in path:
            if not isinstance(node.get(name), dict):
                node[name] = {}
            node = node[name]
        return node

    def chance(self, probability: float) -> bool:
        return self.rng.random() < probability

    def pick(self, items: Any) -> Any:
        return self.rng.choice(list(items))

    def place(self, fits: Callable[[Place], bool] = lambda place: True) -> Place | None:
        """Return a random place that fits."""
        fitting = [place for place in places(self.config) if fits(place)]
        return self.rng.choice(fitting) if fitting else None

    def copy(self, value: Json) -> Json:
        return json.loads(json.dumps(value))
