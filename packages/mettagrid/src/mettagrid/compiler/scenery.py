"""Which objects are scenery: no rule can change, move, create or remove them.

The map owns scenery once, and a world holds only the rest (`core/state/scenery.hpp`). The test is simple and never too
generous. A rule reaches an object through its own handlers, through a query on one of its tags, or through the grid: as
the object in the way of a move handler, at a relative position, or on a ray. An object with none of these is scenery.
"""

import numpy as np

from mettagrid.compiler.code import OPS
from mettagrid.compiler.context import Context

OWN_RULES = ("is_agent", "on_use", "on_after_use", "on_tick", "area_count", "control_count", "removal_count")
TAG_OPERAND = {
    "ScanTag": "a",
    "PushTagCount": "a",
    "UntagAll": "a",
    "TagResult": "a",
    "FireRemoval": "a",
    "TestNearTag": "b",
    "AddTag": "b",
    "RemoveTag": "b",
}
FROM_THE_GRID = ("RelativeTarget", "RayOpen")


def mark_scenery(c: Context) -> None:
    """Set `is_scenery` of the templates of objects; agents and the placeholder, added last, are none."""
    ops = c.tables.column("code", "op")
    if c.tables.count("move_handlers") or np.isin(ops, [OPS[op] for op in FROM_THE_GRID]).any():
        return
    used_tags = {*c.dynamic_tags, *c.tables.column("materialized", "tag").tolist()}
    for op, operand in TAG_OPERAND.items():
        used_tags |= set(c.tables.column("code", operand)[ops == OPS[op]].tolist())
    lists = c.tables.column("lists", "value").tolist()
    for i, name in enumerate(c.templates.names):
        row = c.tables.row("templates", i)
        tags = lists[row["first_tag"] : row["first_tag"] + row["tag_count"]]
        if name not in c.spawned and not any(row[field] for field in OWN_RULES) and used_tags.isdisjoint(tags):
            c.tables.set("templates", i, is_scenery=1)
