"""A random game, from its seed."""

from __future__ import annotations

import json
import random
from dataclasses import dataclass

from . import agents, maps, objects, observation
from .families import FAMILIES, MIXED, agent_limits, radius, territory_tokens
from .world import DEFAULT_VIBES, RESOURCES, TYPES, VIBES, Json, World


@dataclass(frozen=True)
class Case:
    config: Json  # a MettaGridConfig as plain JSON, in the oracle's dialect
    meta: Json  # seed, steps, action_seed, family: the fields of the oracle's NAME.meta.json

    def texts(self) -> tuple[str, str]:
        return json.dumps(self.config, separators=(",", ":")), json.dumps(self.meta)


def random_case(seed: int, family: str | None = None) -> Case:
    """Return the game with this number. The same seed and family give the same game, in every process."""
    rng = random.Random(f"mettagrid-compat/{seed}/{family or ''}")
    if family is None:
        names = list(FAMILIES)
        family = rng.choices(names, [FAMILIES[name].weight for name in names])[0]
    steps = rng.randint(25, 60)
    config = build(World(rng), family, steps)
    meta = {"seed": rng.getrandbits(31), "steps": steps, "action_seed": rng.getrandbits(31), "family": family}
    # Through text and back: shared pieces become separate, and what cannot be written shows at once.
    return Case(json.loads(json.dumps(config, allow_nan=False)), meta)


def build(world: World, name: str, steps: int) -> Json:
    family = FAMILIES[name]
    world.focus = {group: dict(kinds) for group, kinds in family.focus.items()}
    add_names(world, family.limits)
    if world.chance(family.materialized):
        objects.add_materialized(world)
    limits = agent_limits(world, family.limits)
    world.limit_groups = sorted(limits or {})
    vibes = [{"symbol": vibe[0], "name": vibe} for vibe in world.vibes]
    world.game["actions"] = {"move": {}, "change_vibe": {"vibes": vibes}}
    if world.vibes is DEFAULT_VIBES:
        world.game["actions"]["change_vibe"] = {}
    if world.chance(0.25):
        world.game["actions"]["change_vibe"]["enabled"] = False
    world.game["max_steps"] = world.pick([0, 100, 1000, 10000, steps - 3])
    agents.add_agents(world, limits)
    objects.add_objects(world, family.boxes)
    observation.add_observation(world, family.variety)
    for part in ingredients(world, name):
        part(world, steps)
    observation.settle(world)
    maps.add_map(world)
    return finished(world)


def add_names(world: World, limits: str) -> None:
    count = world.pick([3, 4, 6, 6, 8])
    if limits == "cascade" or (limits == "any" and world.chance(0.15)):
        count = world.pick([6, 12, 13, 14, 15, 20, 28, 29, 30, 31, 36, 40])
    names = RESOURCES[:count] + [f"item{i:02d}" for i in range(count - len(RESOURCES))]
    world.resources = world.some(names, count, count) if world.chance(0.7) else names
    world.types = world.some(TYPES, 3, 6)
    world.leaf_types = world.types[: len(world.types) // 2]
    world.vibes = VIBES[: world.number(2, len(VIBES))]
    if world.chance(0.05):
        world.vibes = DEFAULT_VIBES
    if world.chance(0.07):
        world.agent_type = "robot"
    number = world.pick([1, 2, 3, 4, 5, 6, 7, 8, 10, 12])
    world.teams = team_list(world, number)
    world.presence_sign = world.pick([1, 1, -1])
    world.presence_item = world.pick(world.resources)


def team_list(world: World, number: int) -> list[int]:
    """Team ids, such that no team takes a cell name that another one claims by its place in the list."""
    while True:
        teams = world.some([0, 1, 2, 3, 4, 5, 7], 1, 4) if world.chance(0.8) else [0]
        members = [world.pick(teams) for _ in range(number)]
        order = list(dict.fromkeys(members))
        if all(team == place or team >= len(order) for place, team in enumerate(order)):
            return members


def ingredients(world: World, name: str) -> list:
    if name != "mixed":
        chosen = list(FAMILIES[name].parts)
        if world.chance(0.3):
            chosen.append(world.pick(MIXED))
    else:
        chosen = world.some(MIXED, 3, 7)
    # With both, the published engine corrupts its memory.
    return [part for part in chosen if part is not radius or territory_tokens not in chosen]


def finished(world: World) -> Json:
    game: Json = {"resource_names": world.resources, "num_agents": len(world.agents), **world.game}
    game["agents"] = world.agents
    game["objects"] = world.objects
    game["tags"] = ["mark:a", "mark:b", "mark:c", "state:on", "state:off", *world.team_tags]
    if world.materialized:
        game["materialize_queries"] = world.materialized
    if "spelling" not in world.hints and world.teams == [0] * len(world.teams) and world.chance(0.2):
        game["agent"] = game.pop("agents")[0]  # a template instead of a list
    drop_nested_blockers(game)
    return {"game": game}


def drop_nested_blockers(node: object, inside: bool = False) -> None:
    """Raycasts inside sums, ratios, maxima go without blockers: the published engine refuses some of them there."""
    if isinstance(node, dict):
        if inside and "blocker" in node:
            node["blocker"] = []
        for key, child in node.items():
            drop_nested_blockers(child, inside or key in ("values", "numerator", "denominator"))
    elif isinstance(node, list):
        for child in node:
            drop_nested_blockers(child, inside)
