"""Changes that know what a game is: maps, windows, many names, rules that call themselves, deep nesting."""

from __future__ import annotations

from .editor import Editor, Json

DEPTHS = [2, 5, 20, 62, 66, 150, 400, 1500]
MAX_CELLS = 90_000
MAX_BUSY_CELLS = 8_000
MANY = [5, 30, 60, 200, 250, 256, 257, 300]
SIDES = [0, 1, 2, 3, 4, 5, 7, 8, 9, 11, 12, 13, 14, 15, 16, 255, 2**31]
FAR = [0, 1, 50, 254, 255, 256, 46340, 46341, 65535, 65536, 2**31 - 1, 2**31]
REACHES = ("radius", "max_range", "distance", "strength", "decay", "max_items", "max_targets", "period", "start_on")
BUILDERS = {
    "random_map.RandomMapBuilder": ("width", "height", "border_width", "agents"),
    "maze.MazePrimMapBuilder": ("width", "height"),
    "maze.MazeKruskalMapBuilder": ("width", "height"),
    "perimeter_incontext.PerimeterInContextMapBuilder": ("width", "height", "border_width", "agents", "chain_length"),
}


def map_rows(e: Editor) -> list[str] | None:
    """Return the drawn map as a list of strings, or None when earlier changes left something else."""
    builder = e.game.get("map_builder")
    rows = builder.get("map_data") if isinstance(builder, dict) else None
    if not isinstance(rows, list) or not rows or not all(isinstance(row, str) for row in rows):
        return None
    return rows


def map_cell(e: Editor) -> None:
    """Some cells become what stands elsewhere on the map; rarely a character that means nothing."""
    rows = map_rows(e)
    if rows is None:
        return
    for _ in range(e.pick([1, 3, 20])):
        row = e.rng.randrange(len(rows))
        if rows[row]:
            col = e.rng.randrange(len(rows[row]))
            char = e.pick(e.pick(rows) or ".") if e.chance(0.95) else e.pick("?é\n\0")
            if not is_agent(e, rows[row][col]) and not is_agent(e, char):
                rows[row] = rows[row][:col] + char + rows[row][col + 1 :]


def is_agent(e: Editor, char: str) -> bool:
    legend = e.game["map_builder"].get("char_to_map_name")
    name = legend.get(char) if isinstance(legend, dict) else None
    return isinstance(name, str) and name.startswith("agent")


def wrong_rows(e: Editor) -> None:
    rows = map_rows(e)
    if rows is None:
        return
    at = e.rng.randrange(len(rows))
    rows[at] = e.pick([rows[at][:-1], rows[at] + ".", "", rows[at] * 2, rows[at].replace(".", "@", 1)])


def grow_map(e: Editor) -> None:
    """The map with empty cells, walls or copies of its own objects beside it; long, wide, or up to 90,000 cells."""
    rows = map_rows(e)
    if rows is None:
        return
    wide, high = e.pick([(0, 1), (1, 0), (3000, 0), (0, 3000), (30, 30), (60, 60), (290, 290)])
    wide = min(wide, MAX_CELLS // len(rows))
    width = max(1, len(rows[0]) + wide)
    high = min(high, max(0, MAX_CELLS // width - len(rows)))
    # Rules that look for objects take minutes on tens of thousands of them.
    is_small = width * (len(rows) + high) <= MAX_BUSY_CELLS
    filling = [char for row in rows for char in row if not is_agent(e, char)] if is_small and e.chance(0.3) else []
    choices = "".join(filling) or e.pick(["#", ".", ".", "....#"])
    rows[:] = [row + "".join(e.rng.choices(choices, k=wide)) for row in rows]
    rows += ["".join(e.rng.choices(choices, k=width)) for _ in range(high)]


def other_builder(e: Editor) -> None:
    """A map drawn by another builder; the number of agents mostly fits."""
    name, fields = e.pick(BUILDERS.items())
    builder: Json = {"type": f"mettagrid.map_builder.{name}.Config", "seed": e.pick([None, 0, 1, 2**31, -1])}
    for field in fields:
        builder[field] = e.pick([0, 1, 2, 5, 11, 12, 30, 100, -1])
    if name.startswith("maze"):
        builder["start_pos"], builder["end_pos"] = ([e.pick([0, 1, 5, 100, -1]), e.pick([1, 3])] for _ in range(2))
    if e.chance(0.7):
        builder["width"] = builder["height"] = e.pick([9, 12, 30])
        builder["seed"] = e.pick([None, 0, 1])
    if "agents" in fields and e.chance(0.7):
        builder["agents"] = e.game.get("num_agents", 1)
        builder["border_width"] = 0
    elif e.chance(0.5):
        e.game["num_agents"] = 1
        e.game["agents"] = []
    e.game["map_builder"] = builder


def window(e: Editor) -> None:
    obs = e.part("obs")
    obs[e.pick(["width", "height"])] = e.pick(SIDES[1:14]) if e.chance(0.8) else e.pick(SIDES)
    if e.chance(0.3):
        obs["num_tokens"] = e.pick([1, 2, 5, 50, 200, 1000, 65535])
    if e.chance(0.3):
        obs["token_value_base"] = e.pick([2, 3, 10, 100, 255, 256, 257, 65536, 1, 0])


def reach(e: Editor) -> None:
    """A distance, strength or number of results far from what is usual."""
    if place := e.place(lambda place: place.key in REACHES):
        place.put(e.pick(FAR) if e.chance(0.5) else e.rng.randrange(40))


def many_names(e: Editor) -> None:
    """A game with many resources, tags, vibes, types of objects, territories or events."""
    count = e.pick(MANY)
    names = [f"extra{i:03d}" for i in range(count)]
    match e.rng.randrange(6):
        case 0:
            e.game["resource_names"] = [*as_list(e.game.get("resource_names")), *names]
        case 1:
            e.game["tags"] = [*as_list(e.game.get("tags")), *names]
        case 2:
            vibes = e.part("actions", "change_vibe")
            vibes["vibes"] = [*as_list(vibes.get("vibes")), *({"symbol": "x", "name": name} for name in names)]
        case 3:
            objects = e.part("objects")
            model = e.pick([item for item in objects.values() if isinstance(item, dict)] or [{}])
            objects.update({name: e.copy(model) | {"name": name, "map_name": name} for name in names})
        case 4:
            # Every territory keeps a number per tag and cell: more of them on a large map take gigabytes.
            few = names[:40]
            e.part("territories").update({name: {"tag_prefix": e.pick(["team:", "mark:", ""])} for name in few})
        case 5:
            events = e.part("events")
            model = e.pick(
                [item for item in events.values() if isinstance(item, dict)] or [{"target_query": "type:agent"}]
            )
            events.update({name: e.copy(model) | {"name": name, "timesteps": [1, 2, 40]} for name in names})


def as_list(value: Json) -> list[Json]:
    return value if isinstance(value, list) else []


def more_agents(e: Editor) -> None:
    """Another number of agents, mostly with as many places on the map."""
    count = e.pick([1, 2, 3, 20, 64, 255, 256, 300])
    agents = [agent for agent in as_list(e.game.get("agents")) if isinstance(agent, dict)]
    if agents:
        e.game["agents"] = [e.copy(e.pick(agents)) for _ in range(count)]
    e.game["num_agents"] = count
    rows = map_rows(e)
    marks = [char for row in rows or [] for char in row if is_agent(e, char)]
    if rows is None or not marks or e.chance(0.1):
        return
    team = [agent.get("team_id", 0) for agent in agents]
    if len(set(map(str, team))) > 1:
        e.game["agents"] = [e.copy(agents[0]) for _ in range(count)]
        marks = ["&"]
        legend = e.game["map_builder"].setdefault("char_to_map_name", {})
        if isinstance(legend, dict):
            legend["&"] = "agent.default"
    width = len(rows[0])
    rows[:] = ["".join("." if is_agent(e, char) else char for char in row) for row in rows]
    line = e.pick(marks) * count
    rows += [line[at : at + width].ljust(width, ".") for at in range(0, count, max(1, width))]


def calls_itself(e: Editor) -> None:
    """Rules that trigger themselves or one another without end."""
    objects = [item for item in e.part("objects").values() if isinstance(item, dict)]
    agents = [e.part("agent"), *(agent for agent in as_list(e.game.get("agents")) if isinstance(agent, dict))]
    again: Json = {"mutations": [{"mutation_type": "use_target"}]}
    flip: Json = {
        "mutations": [
            {"mutation_type": "add_tag", "target": "target", "tag": "flip"},
            {"mutation_type": "remove_tag", "target": "target", "tag": "flip"},
        ]
    }
    e.game["tags"] = [*as_list(e.game.get("tags")), "flip"]
    match e.rng.randrange(5):
        case 0:
            for item in objects:
                item["on_use_handler"] = e.copy(again)
        case 1:
            for item in [*objects, *agents]:
                item["on_tag_remove"] = {"flip": e.copy(flip)}
                item["on_use_handler"] = e.copy(flip)
        case 2:
            for item in agents:
                item["on_after_use_handler"] = e.copy(again)
        case 3:
            fields: Json = {"target_query": "type:nothing", "timesteps": [2, 5]}
            e.game["events"] = {
                name: fields | {"name": name, "fallback": other} for name, other in (("a", "b"), ("b", "a"))
            }
        case 4:
            near = {"query_type": "closure", "source": "flip", "candidates": "near"}
            e.game["materialize_queries"] = [
                {"tag": "near", "query": near},
                {"tag": "flip", "query": {"query_type": "query", "source": "near", "filters": []}},
            ]
            recompute = [{"mutation_type": "recompute_materialized_query", "tag_prefix": tag} for tag in ("near", "fl")]
            for item in agents:
                item["on_tick"] = {"mutations": e.copy(recompute)}
                item["on_tag_remove"] = {"near": {"mutations": e.copy(recompute)}}


def nest(e: Editor) -> None:
    """A filter, handler, query or value inside itself, up to 1,500 deep."""
    place = e.place(lambda place: isinstance(place.value, dict) and kind_of_rule(place.value) is not None)
    if place is None:
        return
    inner, kind = place.value, kind_of_rule(place.value)
    for _ in range(e.pick(DEPTHS)):
        if kind == "filter":
            either = {"filter_type": "or", "inner": [inner]}
            inner = either if e.chance(0.5) else {"filter_type": "not", "inner": inner}
        elif kind == "query":
            inner = {"query_type": "closure", "source": "type:agent", "candidates": inner}
        elif kind == "value":
            inner = {"values": [inner]}
        else:
            inner = {"handler_type": e.pick(["first_match", "all_of"]), "handlers": [inner]}
    place.put(inner)


def kind_of_rule(node: Json) -> str | None:
    """Return the kind of a dictionary by its keys; None for kinds that do not nest."""
    if "mutation_type" in node:
        return None
    if "filter_type" in node or "query_type" in node:
        return "filter" if "filter_type" in node else "query"
    if "item" in node or "values" in node:
        return "value"
    return "handler" if "mutations" in node and "radius" not in node else None


def nest_lists(e: Editor) -> None:
    """Lists or dictionaries without meaning, very deep."""
    if place := e.place():
        inner: Json = place.value if e.chance(0.3) else 1
        for _ in range(e.pick(DEPTHS)):
            inner = [inner] if e.chance(0.5) else {"inner": inner}
        place.put(inner)


def talk_and_end(e: Editor) -> None:
    """Settings of the episode around the engine."""
    e.game["talk"] = {"enabled": True, "max_length": e.pick([1, 140]), "cooldown_steps": e.pick([0, 1, 50])}
    e.game["max_steps"] = e.pick([0, 1, 20, 2**31 - 1, 2**31])
    if e.chance(0.5):
        e.game["end_episode_on_game_stats"] = {e.pick(["tokens_written", "nothing"]): e.pick([0, 1, 1e9])}


WEIGHTS = {
    map_cell: 8,
    wrong_rows: 0.7,
    grow_map: 2,
    other_builder: 1,
    window: 6,
    reach: 8,
    many_names: 2,
    more_agents: 2,
    calls_itself: 1.5,
    nest: 2,
    nest_lists: 0.4,
    talk_and_end: 2,
}
WEIGHTS = {change.__name__: (change, weight) for change, weight in WEIGHTS.items()}
