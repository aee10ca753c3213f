"""Small crowded maps, written out cell by cell."""

from __future__ import annotations

import string

from .world import Json, World, team_name

LETTERS = string.ascii_uppercase + string.ascii_lowercase + string.digits


def add_map(world: World) -> None:
    side = [6, 6, 7, 7, 8, 9, 10] if world.chance(0.85) else [12, 14, 16, 20]
    height, width = world.pick(side), world.pick(side)
    border = world.chance(0.4)
    rows = [["empty"] * width for _ in range(height)]
    cells = [(r, c) for r in range(height) for c in range(width)]
    if border:
        inside = [(r, c) for r, c in cells if 0 < r < height - 1 and 0 < c < width - 1]
        for r, c in set(cells) - set(inside):
            rows[r][c] = "wall"
        cells = inside
    world.rng.shuffle(cells)
    for name in agent_cells(world):
        r, c = cells.pop()
        rows[r][c] = name
    names = [world.objects[key].get("map_name", world.objects[key]["name"]) for key in world.objects if key != "wall"]
    rare = world.hints.get("rare", [])
    filling = [name for name in names if name not in rare] * 2 + world.hints.get("dense", []) * 4 or ["wall"]
    objects = int(len(cells) * world.rng.uniform(0.2, 0.45))
    walls = int(len(cells) * world.hints.get("walls", 0.05))
    for name in [*names, *rare, *(world.pick(filling) for _ in range(objects)), *["wall"] * walls]:
        if len(cells) > 4:
            r, c = cells.pop()
            rows[r][c] = name
    world.game["map_builder"] = ascii_map(rows)


def agent_cells(world: World) -> list[str]:
    """Return one cell name per agent; teams that share a colour name keep the plain spelling."""
    order = list(dict.fromkeys(world.teams))
    spelling = world.hints.get("spelling", "colour")
    seen: dict[int, int] = {}
    cells = []
    for team in world.teams:
        group = order.index(team)
        colour = team_name(team) if team < 6 else f"group_{group}"
        index = seen[team] = seen.get(team, -1) + 1
        if spelling == "index" and world.teams.count(team) > 1:
            cells.append(f"agent.{colour}.{index}")
        elif spelling == "team":
            cells.append(f"agent.team_{team}")
        elif spelling == "default" and group == 0:
            cells.append("agent.default")
        elif spelling == "agent" and group == 0:
            cells.append("agent.agent")
        else:
            cells.append(f"agent.{colour}")
    return cells


def ascii_map(rows: list[list[str]]) -> Json:
    names = sorted({name for row in rows for name in row} - {"empty", "wall"})
    letters = dict(zip(names, LETTERS, strict=False))
    letters |= {"empty": ".", "wall": "#"}
    return {
        "type": "mettagrid.map_builder.ascii.AsciiMapBuilder.Config",
        "map_data": ["".join(letters[name] for name in row) for row in rows],
        "char_to_map_name": {letter: name for name, letter in letters.items()},
    }
