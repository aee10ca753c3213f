"""Invariants of every world after every step, seen from outside. Each check returns the problem, or nothing."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import Any

import numpy as np

from mettagrid.mettagrid_c import MettaGrid

GLOBAL = 254
UNUSED = 255
MAX_AMOUNT = 65535

Objects = dict[int, dict[str, Any]]


class Checker:
    """Checks one world; it remembers what was over its limit from the start, which the rules allow."""

    def __init__(self, engine: MettaGrid) -> None:
        self.engine = engine
        self.excused = {(thing["type_name"], item) for thing, item in over_limits(engine.grid_objects())}
        self.next_step = engine.current_step

    def problems(self) -> Iterator[str]:
        objects = self.engine.grid_objects()
        yield from place_problems(self.engine, objects)
        yield from tag_problems(self.engine, objects)
        yield from amount_problems(objects)
        for thing, item in over_limits(objects):
            if (thing["type_name"], item) not in self.excused:
                held, limit = thing["inventory"][item], thing["inventory_capacities"][item]
                yield f"{thing['type_name']} {thing['id']} holds {held} of resource {item}, its limit is {limit}"
        yield from token_problems(self.engine)


def over_limits(objects: Objects) -> Iterator[tuple[dict[str, Any], int]]:
    """(object, resource) where more is held than the limit."""
    for thing in objects.values():
        limits = thing["inventory_capacities"]
        for item, amount in thing["inventory"].items():
            if amount > limits.get(item, MAX_AMOUNT):
                yield thing, item


def place_problems(engine: MettaGrid, objects: Objects) -> Iterator[str]:
    cells = Counter((thing["r"], thing["c"]) for thing in objects.values())
    for cell, count in cells.items():
        if count > 1:
            yield f"{count} objects are in the cell {cell}"
        if not (0 <= cell[0] < engine.map_height and 0 <= cell[1] < engine.map_width):
            yield f"an object is outside the map, at {cell}"
    agents = sorted(thing["agent_id"] for thing in objects.values() if "agent_id" in thing)
    if agents != sorted(set(agents)) or not set(agents) <= set(range(engine.num_agents)):
        yield f"the agents on the map are {agents}"


def tag_problems(engine: MettaGrid, objects: Objects) -> Iterator[str]:
    held = Counter(tag for thing in objects.values() for tag in thing["tag_ids"])
    counts = engine.tag_index()
    for tag, name in enumerate(engine.program.tag_names):
        counted = counts.count_objects_with_tag(tag)
        if counted != held[tag]:
            yield f"{counted} objects are counted under the tag {name!r}, {held[tag]} hold it"


def amount_problems(objects: Objects) -> Iterator[str]:
    for thing in objects.values():
        for item, amount in thing["inventory"].items():
            if not 0 < amount <= MAX_AMOUNT:
                yield f"{thing['type_name']} {thing['id']} holds {amount} of resource {item}"


def token_problems(engine: MettaGrid) -> Iterator[str]:
    """Tokens in use come first, global ones before those of cells; the rest is 255 throughout."""
    observations = engine.observations()
    used = observations[:, :, 1] != UNUSED
    count = used.sum(axis=1)
    expected = np.arange(observations.shape[1]) < count[:, None]
    if not (used == expected).all():
        yield "the tokens of an agent have a gap"
    if not (observations[~used] == UNUSED).all():
        yield "an unused token is not 255 throughout"
    tokens = observations[used]
    if (tokens[:, 1] >= len(engine.program.feature_names)).any():
        yield f"a token has the feature {tokens[:, 1].max()}, there are {len(engine.program.feature_names)}"
    cells = tokens[tokens[:, 0] != GLOBAL, 0]
    if ((cells >> 4) >= engine.obs_height).any() or ((cells & 15) >= engine.obs_width).any():
        yield "a token is outside the window"
    is_global = (observations[:, :, 0] == GLOBAL) & used
    if (is_global[:, 1:] > is_global[:, :-1]).any():
        yield "a global token comes after one of a cell"
