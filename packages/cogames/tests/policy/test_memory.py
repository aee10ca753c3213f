"""The map that a cog builds, compared with the real one."""

import random
from typing import Any

import pytest

from cogames import missions
from cogames.policy.cells import MOVES, cells_of
from cogames.policy.memory import Memory
from cogames.policy.sight import Sight
from mettagrid.config.mettagrid_config import MettaGridConfig
from mettagrid.map_builder.ascii import AsciiMapBuilder
from mettagrid.policy.policy_env_interface import PolicyEnvInterface
from mettagrid.simulator.simulator import Simulation

MOVE_NAMES = list(MOVES)


def walk(simulation: Simulation, steps: int, seed: int = 1) -> Memory:
    """Let agent 0 walk at random, keeping its direction for a while."""
    memory = Memory(Sight(PolicyEnvInterface.from_mg_cfg(simulation.config)))
    rng = random.Random(seed)
    move = rng.choice(MOVE_NAMES)
    seat = simulation.agent(0)
    memory.look(seat.observation.token_array().tobytes())
    for _ in range(steps):
        if rng.random() < 0.2:
            move = rng.choice(MOVE_NAMES)
        memory.heading = next(n for n, name in enumerate(MOVE_NAMES) if name == move)
        seat.set_action(move)
        simulation.step()
        memory.look(seat.observation.token_array().tobytes())
    return memory


def place(simulation: Simulation) -> tuple[int, int]:
    agent = next(thing for thing in simulation.grid_objects().values() if thing.get("agent_id") == 0)
    return agent["r"], agent["c"]


@pytest.mark.parametrize("mission", ["arena", "exploration_sparse_search_hard"])
def test_a_cog_knows_where_it_is_and_what_it_has_seen(mission: str, plays: Any) -> None:
    """The arena shows a cog's place; in the maze it has to count its steps."""
    simulation = plays.new_simulation(mission, seed=3)
    start = place(simulation)
    memory = walk(simulation, 200)
    now = place(simulation)
    assert now != start
    assert memory.grid.offset(memory.here) == (now[0] - start[0], now[1] - start[1])

    things = {(thing["r"], thing["c"]): thing for thing in simulation.grid_objects(ignore_types=["agent"]).values()}
    seen = {(row + start[0], col + start[1]) for row, col in map(memory.grid.offset, cells_of(memory.known))}
    walls = {(row + start[0], col + start[1]) for row, col in map(memory.grid.offset, cells_of(memory.walls))}
    others = {(row + start[0], col + start[1]) for row, col in map(memory.grid.offset, cells_of(memory.objects))}
    assert walls == {at for at in seen if at in things and things[at]["type_name"] == "wall"}
    assert others == {at for at in seen if at in things and things[at]["type_name"] != "wall"}


def corridor(length: int, *, local_position: bool) -> Simulation:
    env = MettaGridConfig.EmptyRoom(num_agents=1)
    env.game.map_builder = AsciiMapBuilder.Config(
        map_data="\n".join(["#" * (length + 2), "#@" + "." * (length - 1) + "#", "#" * (length + 2)]),
        char_to_map_name={"#": "wall", "@": "agent.agent", ".": "empty"},
    )
    env.game.max_steps = 0
    env.game.obs.global_obs.last_action_move = True
    env.game.obs.global_obs.local_position = local_position
    return Simulation(env)


@pytest.mark.parametrize("local_position", [True, False], ids=["shown", "counted"])
def test_the_map_grows_with_the_way(local_position: bool) -> None:
    simulation = corridor(400, local_position=local_position)
    memory = Memory(Sight(PolicyEnvInterface.from_mg_cfg(simulation.config)))
    memory.notes["start"] = 1 << memory.here
    seat = simulation.agent(0)
    for steps in range(399):
        memory.look(seat.observation.token_array().tobytes())
        assert memory.grid.offset(memory.here) == (0, steps)
        memory.heading = MOVE_NAMES.index("move_east")
        seat.set_action("move_east")
        simulation.step()
    known = {memory.grid.offset(cell) for cell in cells_of(memory.walls)}
    assert {(-1, col) for col in range(400)} <= known
    assert [memory.grid.offset(cell) for cell in cells_of(memory.notes["start"])] == [(0, 0)]


@pytest.fixture
def arena_memory() -> Memory:
    return Memory(Sight(PolicyEnvInterface.from_mg_cfg(missions.load("arena"))))


def tokens(memory: Memory, *shown: tuple[int, str, int | str]) -> bytes:
    """Return the bytes of tokens (location, feature, value or name of a tag), then unused ones."""
    ids, tags = memory.sight.feature_ids, memory.sight.tag_ids
    known = [(at, ids[feature], tags[value] if isinstance(value, str) else value) for at, feature, value in shown]
    return bytes(number for token in known for number in token) + b"\xff" * 30


EAST_OF_IT = 0x68  # two cells east of the observer at 0x66


def test_things_are_remembered_as_last_seen(arena_memory: Memory) -> None:
    memory = arena_memory
    memory.look(tokens(memory, (EAST_OF_IT, "tag", "type:junction")))
    (junction,) = cells_of(memory.tagged("type:junction"))
    assert memory.grid.offset(junction) == (0, 2)
    assert not memory.tagged("team:cogs")

    memory.look(tokens(memory, (EAST_OF_IT, "tag", "type:junction"), (EAST_OF_IT, "tag", "team:cogs")))
    assert memory.tagged("type:junction") == memory.tagged("team:cogs") == memory.objects == 1 << junction

    memory.look(tokens(memory, (0xFE, "lp:west", 20)))
    assert memory.tagged("team:cogs") == 1 << junction, "out of view it stays as it was"

    memory.look(tokens(memory))
    assert memory.tagged("type:junction") == memory.tagged("team:cogs") == memory.objects == 0, "in view it is gone"


def test_other_cogs_are_seen_and_not_remembered(arena_memory: Memory) -> None:
    memory = arena_memory
    memory.look(tokens(memory, (0x66, "tag", "type:agent"), (EAST_OF_IT, "tag", "type:agent")))
    assert [memory.grid.offset(cell) for cell in cells_of(memory.cogs)] == [(0, 2)]
    assert not memory.objects
    memory.look(tokens(memory, (0x66, "tag", "type:agent")))
    assert not memory.cogs


def test_numbers_come_in_parts(arena_memory: Memory) -> None:
    memory = arena_memory
    memory.look(
        tokens(
            memory,
            (0xFE, "team:carbon", 44),
            (0xFE, "team:carbon:p1", 1),
            (0x66, "inv:heart", 3),
            (EAST_OF_IT, "tag", "type:hub"),
            (EAST_OF_IT, "inv:heart", 255),
        )
    )
    assert memory.number("team:carbon") == 300
    assert memory.number("inv:heart") == 3
    assert memory.number("inv:nothing of the kind") == 0
    (hub,) = cells_of(memory.tagged("type:hub"))
    assert memory.number_at(hub, "inv:heart") == 255
