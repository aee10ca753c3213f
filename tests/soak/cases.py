"""Mutated configurations, each from its number."""

from __future__ import annotations

import json
import random
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

from .mutations import LAST, WEIGHTS, Editor
from .sources import Json, draw_game

MAX_CELLS = 90_000  # of a map


@dataclass
class Case:
    """A config to try. `seed` also decides how it is played."""

    seed: int
    source: str
    config: Json
    changes: list[str] = field(default_factory=list)

    def save(self, path: Path) -> None:
        with deep_json():
            path.write_text(json.dumps(vars(self)))

    @staticmethod
    def load(path: Path) -> Case:
        with deep_json():
            return Case(**json.loads(path.read_text()))


def mutated_case(seed: int) -> Case:
    """Return the case with this number: the same in every process, as long as the recorded games are there."""
    rng = random.Random(f"mettagrid-soak/{seed}")
    source, config = draw_game(rng)
    if rng.random() < 0.3:
        config = with_defaults(config)
    editor = Editor(rng, config, lambda: draw_game(rng, small=True)[1])
    names = list(WEIGHTS)
    count = rng.choices([0, 1, 2, 3, 4, 6, 10, 20], [1, 14, 14, 12, 8, 6, 4, 1])[0]
    changes = rng.choices(names, [weight for _, weight in WEIGHTS.values()], k=count)
    changes.sort(key=LAST.__contains__)
    for name in changes:
        WEIGHTS[name][0](editor)
    bound_map(editor.game.get("map_builder"))
    return Case(seed, source, editor.config, changes)


def bound_map(builder: Json) -> None:
    """Shrink maps that could be built but take gigabytes; keep those that cannot be built at all."""
    if not isinstance(builder, dict):
        return
    height, width = builder.get("height"), builder.get("width")
    if isinstance(height, int) and isinstance(width, int) and MAX_CELLS < height * width <= 2**26:
        builder["height"] = max(1, MAX_CELLS // width)


def with_defaults(config: Json) -> Json:
    """Return the config with every field written out."""
    from mettagrid.config.mettagrid_config import MettaGridConfig  # the only use of the engine here

    return MettaGridConfig.model_validate(config).model_dump(mode="json")


@contextmanager
def deep_json() -> Iterator[None]:
    """Configs may be deeper than Python's recursion limit."""
    limit = sys.getrecursionlimit()
    sys.setrecursionlimit(20_000)
    try:
        yield
    finally:
        sys.setrecursionlimit(limit)
