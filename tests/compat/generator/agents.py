"""Agents: teams, inventories, rewards and handlers, alike for a whole team or different for each."""

from __future__ import annotations

from . import handlers, inventories, values
from .world import AGENT_STATS, MARKS, Json, Scope, World, duplicate, team_tag


def add_agents(world: World, limits: dict[str, Json] | None) -> None:
    extra = {team: world.some(MARKS, 0, 2) for team in set(world.teams)}  # tags must agree within a team
    same = inventories.inventory(world, limits)
    other = world.chance(0.15) and limits  # clear_inventory takes the first group of a name
    mixed = [limits, inventories.limit_groups(world, world.resources, 0.3)] if other else [limits]
    for team in world.teams:
        agent: Json = {"team_id": team, "tags": [team_tag(team), *extra[team]]}
        if world.agent_type != "agent":
            agent["name"] = world.agent_type
        agent["inventory"] = duplicate(same) if world.chance(0.5) else inventories.inventory(world, world.pick(mixed))
        if world.chance(0.2):
            agent["vibe"] = world.number(1, len(world.vibes) - 1)
        if world.chance(0.2):
            agent["initial_stats"] = {name: world.pick([1, 2.5, -3, 7]) for name in world.some(AGENT_STATS, 1, 2)}
        world.agents.append(agent)
    world.limit_groups = sorted(set.intersection(*(set(groups or {}) for groups in mixed)))


def spread(world: World, field: str, make) -> None:
    """Give all agents the same rule, each one its own, or only some of them one."""
    kind = world.number(0, 2)
    same = make()
    for agent in world.agents:
        if kind == 0:
            agent[field] = duplicate(same)
        elif kind == 1 or world.chance(0.5):
            agent[field] = make()


def add_use(world: World) -> None:
    spread(world, "on_use_handler", lambda: handlers.tree(world, handlers.USE_AGENT)[0])


def add_after_use(world: World) -> None:
    spread(world, "on_after_use_handler", lambda: handlers.tree(world, handlers.AFTER_USE)[0])


def add_tick(world: World) -> None:
    spread(world, "on_tick", lambda: handlers.tree(world, handlers.TICK)[0])


def add_tag_remove(world: World) -> None:
    spread(world, "on_tag_remove", lambda: handlers.tag_remove_handlers(world, "agent", []))
    for name in world.some(world.types, 1, 4):
        tags = world.objects[name].setdefault("tags", world.some(MARKS, 1, 3))
        world.objects[name]["on_tag_remove"] = handlers.tag_remove_handlers(world, "object", tags)


def reward(world: World) -> Json:
    entry: Json = {"reward": values.any_value(world, Scope("value", "agent", "agent", depth=3))}
    if world.chance(0.4):
        entry["reward"] = values.at_most(values.at_least(entry["reward"], world.number(-2, 1)), world.number(2, 20))
    if world.chance(0.5):
        entry["per_tick"] = world.chance(0.8)
    return entry


def add_rewards(world: World) -> None:
    spread(world, "rewards", lambda: {f"r{i}": reward(world) for i in range(world.number(1, 3))})
