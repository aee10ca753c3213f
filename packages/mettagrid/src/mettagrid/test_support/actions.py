"""Let one agent act for one step and report what happened."""

from __future__ import annotations

import random
from typing import Any, Literal

from mettagrid.mettagrid_c import MettaGrid
from mettagrid.simulator.simulator import Simulation
from mettagrid.test_support.orientation import Orientation
from mettagrid.types import Action

__all__ = ["Direction", "attack", "generate_valid_random_actions", "get_agent_position", "move", "noop"]

Direction = Literal["north", "south", "east", "west", "northeast", "northwest", "southeast", "southwest"]


def get_agent_position(env: Simulation | MettaGrid, agent_idx: int = 0) -> tuple[int, int]:
    """Return the agent's (row, column); raises ValueError if it is not on the map."""
    agent = _agent_object(env, agent_idx)
    return agent["r"], agent["c"]


def move(sim: Simulation, direction: Orientation | Direction, agent_idx: int = 0) -> dict[str, Any]:
    """Step the simulation with one agent moving; `success` is whether its position changed, `error` says why not."""
    before = get_agent_position(sim, agent_idx)
    action = f"move_{direction}".lower()
    if action not in sim.action_names:
        return _result(f"Action {action} not available")
    _step(sim, agent_idx, action)
    moved = get_agent_position(sim, agent_idx) != before
    return _result(None if moved else "Position unchanged (likely blocked)")


def noop(env: Simulation, agent_idx: int = 0) -> dict[str, Any]:
    """Step the simulation with one agent doing nothing; `success` is the engine's `last_action_success`."""
    if "noop" not in env.action_names:
        return _result("Action noop not available")
    _step(env, agent_idx, "noop")
    return _result(None if env.action_success[agent_idx] else "Noop failed")


def attack(env: Simulation, target_arg: int = 0, agent_idx: int = 0) -> dict[str, Any]:
    """Step the simulation with one agent taking the action `attack_<target_arg>`, where the game has one.

    `resources_stolen` is what the attacker gained. Games of this engine usually write attacks as handlers of moves and
    have no such action; the result then says so.
    """
    result = {
        **_result("Attack action not available"),
        "target_arg": target_arg,
        "agent_idx": agent_idx,
        "attack_position": None,
        "resources_stolen": {},
        "defense_used": False,
    }
    action = f"attack_{target_arg}"
    if action not in env.action_names:
        return result
    before = _agent_object(env, agent_idx)["inventory"]
    _step(env, agent_idx, action)
    after = _agent_object(env, agent_idx)["inventory"]
    result["resources_stolen"] = {
        key: count - before.get(key, 0) for key, count in after.items() if count > before.get(key, 0)
    }
    return {**result, **_result(None if env.action_success[agent_idx] else "Attack failed")}


def generate_valid_random_actions(
    sim: Simulation, num_agents: int, action_prefix: str | None = None, seed: int | None = None
) -> list[Action]:
    """Return a random action for each agent, only of those whose name starts with `action_prefix` if given.

    A `seed` gives the same actions every time and seeds Python's global generator.
    """
    if seed is not None:
        random.seed(seed)
    names = [name for name in sim.action_names if name.startswith(action_prefix or "")]
    return [Action(name=random.choice(names)) for _ in range(num_agents)]


def _step(sim: Simulation, agent_idx: int, action: str) -> None:
    sim.agent(agent_idx).set_action(Action(name=action))
    sim.step()


def _agent_object(env: Simulation | MettaGrid, agent_idx: int) -> dict[str, Any]:
    for state in env.grid_objects().values():
        if state.get("agent_id") == agent_idx:
            return state
    raise ValueError(f"Agent {agent_idx} not found in grid objects")


def _result(error: str | None) -> dict[str, Any]:
    return {"success": error is None, "error": error}
