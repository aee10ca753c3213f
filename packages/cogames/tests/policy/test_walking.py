"""Walking to a place, alone and with others in the way."""

import pytest

from cogames.policy.memory import Memory
from cogames.policy.sight import Sight
from cogames.policy.walking import Walker
from mettagrid.config.mettagrid_config import MettaGridConfig
from mettagrid.map_builder.ascii import AsciiMapBuilder
from mettagrid.policy.policy_env_interface import PolicyEnvInterface
from mettagrid.simulator.simulator import Simulation

LOOP = """
###########
#@.......@#
#.#######.#
#.........#
###########
"""
PASSING_PLACE = """
###########
#@.......@#
####...####
###########
"""
ROOM = """
#########
#@......#
#.#####.#
#.#...#.#
#.#.#.#.#
#...#...#
#########
"""


def room(text: str) -> Simulation:
    rows = text.strip()
    env = MettaGridConfig.EmptyRoom(num_agents=rows.count("@"))
    env.game.map_builder = AsciiMapBuilder.Config(
        map_data=rows, char_to_map_name={"#": "wall", "@": "agent.agent", ".": "empty"}
    )
    env.game.max_steps = 0
    env.game.obs.global_obs.last_action_move = True
    return Simulation(env)


def walk(simulation: Simulation, goals: list[tuple[int, int]], *, first_seed: int, limit: int) -> list[int]:
    """Steps after which each cog stood on its goal, an offset from its start; all walk until all were there."""
    sight = Sight(PolicyEnvInterface.from_mg_cfg(simulation.config))
    walkers = [Walker(Memory(sight), seed=first_seed + number) for number in range(len(goals))]
    arrived: dict[int, int] = {}
    for step in range(limit):
        for number, walker in enumerate(walkers):
            memory = walker.memory
            memory.look(simulation.agent(number).observation.token_array().tobytes())
            goal = memory.grid.cell(*goals[number])
            if memory.here == goal:
                arrived.setdefault(number, step)
            action = walker.toward(1 << goal)
            simulation.agent(number).set_action(walker.wait() if action is None else action)
        if len(arrived) == len(goals):
            break
        simulation.step()
    return [arrived[number] for number in sorted(arrived)]


def test_a_walk_is_as_short_as_the_map_allows() -> None:
    assert walk(room(ROOM), [(2, 2)], first_seed=0, limit=50) == [8]


@pytest.mark.parametrize("first_seed", range(6))
@pytest.mark.parametrize(("text", "limit"), [(LOOP, 80), (PASSING_PLACE, 300)], ids=["loop", "passing place"])
def test_two_cogs_that_meet_get_past_each_other(text: str, limit: int, first_seed: int) -> None:
    simulation = room(text)
    assert len(walk(simulation, [(0, 8), (0, -8)], first_seed=first_seed, limit=limit)) == 2


def test_there_is_no_way_into_a_wall_or_to_nowhere() -> None:
    simulation = room(ROOM)
    memory = Memory(Sight(PolicyEnvInterface.from_mg_cfg(simulation.config)))
    walker = Walker(memory)
    memory.look(simulation.agent(0).observation.token_array().tobytes())
    assert walker.toward(0) is None
    assert walker.toward(1 << memory.here) is None


def test_a_cog_shut_in_waits() -> None:
    simulation = room("###\n#@#\n###")
    memory = Memory(Sight(PolicyEnvInterface.from_mg_cfg(simulation.config)))
    memory.look(simulation.agent(0).observation.token_array().tobytes())
    walker = Walker(memory)
    assert walker.toward(1 << memory.grid.cell(0, 5)) is None
    assert walker.step_aside() == "noop"
