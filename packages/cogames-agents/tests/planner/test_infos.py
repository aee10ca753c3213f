"""What a cog shows about itself is true: its target, its role, and what its team knows."""

from __future__ import annotations

from collections import Counter
from typing import Any

from cogames import missions
from cogames_agents.policy.cogsguard import CogsguardPolicy
from mettagrid.policy.policy_env_interface import PolicyEnvInterface
from mettagrid.simulator import Simulation

STEPS = 250
ROLES = {"miner", "aligner", "scrambler", "scout", "none"}
COUNTS = ("known_hubs", "known_stations", "known_junctions", "known_extractors", "own_junctions")
GEAR_STATIONS = ("miner", "aligner", "scrambler", "scout")  # types of stations; infos name them `miner_station`


def type_names(name: str) -> set[str]:
    """Return the names of an object's type in infos."""
    return {f"{name}_station"} if name in GEAR_STATIONS else {name}


def test_infos_describe_the_simulation() -> None:
    env = missions.load("arena", cogs=8, seed=21)
    env.game.max_steps = STEPS
    simulation = Simulation(env, seed=21)
    policy = CogsguardPolicy(PolicyEnvInterface.from_mg_cfg(env))
    cogs = [policy.agent_policy(agent) for agent in range(8)]
    assert all(cog.infos == {} for cog in cogs)  # before the first step
    height, width = env.game.obs.height, env.game.obs.width
    goals: Counter[str] = Counter()
    roles: set[str] = set()
    checked = Counter[str]()
    totals = Counter(kind for seen in simulation.grid_objects().values() for kind in type_names(seen["type_name"]))
    for _ in range(STEPS):
        objects = list(simulation.grid_objects().values())
        at = {seen["agent_id"]: (seen["r"], seen["c"]) for seen in objects if "agent_id" in seen}
        types = {(seen["r"], seen["c"]): seen["type_name"] for seen in objects if "agent_id" not in seen}
        for agent, cog in enumerate(cogs):
            simulation.agent(agent).set_action(cog.step(simulation.agent(agent).observation))
            infos = cog.infos
            goals[infos["goal"]] += 1
            roles.add(infos["role"])
            check_target(infos, at[agent], types, (height, width), checked)
            check_counts(infos, totals)
        simulation.step()
    assert roles <= ROLES and {"miner", "aligner"} <= roles
    assert len(goals) > 3 and checked["target_type"] > STEPS  # the checks above had something to check
    assert cogs[0].infos["known_hubs"] == 1 and cogs[0].infos["own_junctions"] > 5
    assert {frozenset((name, cog.infos[name]) for name in COUNTS) for cog in cogs} == {
        frozenset((name, cogs[0].infos[name]) for name in COUNTS)
    }  # the team has one mind


def check_target(
    infos: dict[str, Any], at: tuple[int, int], types: dict[Any, str], window: tuple[int, int], checked: Counter[str]
) -> None:
    """Compare the target with the object that stands there, where the cog can see it."""
    if "target" not in infos:
        assert "target_type" not in infos
        return
    rows, cols = infos["target"]
    if "target_type" not in infos or rows**2 + cols**2 > (min(window) // 2) ** 2:  # not an object, or out of sight
        return
    place = (at[0] + rows, at[1] + cols)
    assert place in types, f"{infos} at {at}: there is no object"
    assert infos["target_type"] in type_names(types[place]), f"{infos} at {at}: {types[place]}"
    checked["target_type"] += 1


def check_counts(infos: dict[str, Any], totals: Counter[str]) -> None:
    """No team knows more than there is."""
    assert infos["known_hubs"] <= totals["hub"]
    assert infos["own_junctions"] <= infos["known_junctions"] <= totals["junction"]
    assert infos["known_stations"] <= sum(totals[f"{name}_station"] for name in GEAR_STATIONS)
    assert infos["known_extractors"] <= sum(count for name, count in totals.items() if name.endswith("_extractor"))
