"""Observations of agents: window, number base, global tokens, radius, line of sight."""

from __future__ import annotations

import math

from . import queries, values
from .world import Json, Scope, World

OBSERVER = Scope("value", "agent", "agent", depth=3)


def add_observation(world: World, variety: float = 0.3) -> None:
    """`variety` is the chance of an unusual window and number base.

    Heights are odd: with an even height the published engine reads and writes outside its memory (crashes, or other
    tokens in every run). Even widths are well defined.
    """
    usual = not world.chance(variety)
    obs: Json = {
        "width": world.pick([3, 5, 7, 9] if usual else range(1, 16)),
        "height": world.pick([3, 5, 7, 9] if usual else range(1, 16, 2)),
    }
    tokens: Json = {"local_position": world.chance(0.5), "last_action_move": world.chance(0.5)}
    for name in ("episode_completion_pct", "last_action", "last_reward", "goal_obs"):
        if world.chance(0.5 * variety):
            tokens[name] = world.chance(0.5)
    obs["global_obs"] = tokens
    if world.chance(variety):
        obs["token_value_base"] = world.pick([2, 3, 10, 16, 100, 255, 256])
    world.game["obs"] = obs
    world.game["protocol_details_obs"] = world.chance(0.4)


def add_global_values(world: World) -> None:
    names = world.some(["net", "near", "a:b", "score", "clock", "x"], 1, 4)
    world.game["obs"]["global_obs"]["obs"] = {name: values.observable(world, OBSERVER) for name in names}


def add_counts(world: World, kind: str) -> None:
    """Observe how many objects some queries find, in each step."""
    observed = world.game["obs"]["global_obs"].setdefault("obs", {})
    for index in range(world.number(1, 3)):
        observed[f"found{index}"] = {"query": queries.MAKERS[kind](world, OBSERVER)}


def add_radius(world: World) -> None:
    """Never together with obs.territory: the published engine corrupts its memory then."""
    value: Json = {"item": world.pick(world.resources)}
    if world.chance(0.6):
        value = values.at_most(values.any_value(world, OBSERVER), world.number(2, 9))
    world.game["obs"]["observation_radius_value"] = value


def add_vision(world: World) -> None:
    """Some types block the line of sight; the map gets more of them."""
    blockers = world.some([*world.types, "wall"], 1, 3)
    for name in blockers:
        world.objects[name]["blocks_vision"] = True
    world.hints["dense"] = [name for name in blockers if name != "wall"]
    world.hints["walls"] = 0.12 if "wall" in blockers else 0.03
    world.game["obs"]["width"] = world.pick([5, 7, 9, 9, 11, 13, 15])
    world.game["obs"]["height"] = world.pick([5, 7, 9, 9, 11, 13, 15])


def parts(base: int) -> int:
    """Digits of 65535 in a base."""
    return math.ceil(math.log(65536, base) - 1e-9)


def settle(world: World) -> None:
    """Keep to what is defined: feature ids below 255, room for every token, borders of territory in odd windows."""
    obs = world.game["obs"]
    if obs.get("territory"):
        obs["width"] |= 1  # in an even window the published engine writes borders toward cells outside the map
    count = len(world.resources)
    observed_count = len(obs["global_obs"].get("obs", {}))

    def features() -> int:
        fixed = 12 + 1 + 1 + 5 + (2 * count if world.game["protocol_details_obs"] else 0)
        return fixed + (count + observed_count) * parts(obs.get("token_value_base", 256))

    if features() > 250:
        world.game["protocol_details_obs"] = False
    if features() > 250:
        obs.pop("token_value_base", None)
    cells = min(obs["width"] * obs["height"], 200)
    obs["num_tokens"] = min(2500, max(300, cells * (10 + count * parts(obs.get("token_value_base", 256)) // 3)))
