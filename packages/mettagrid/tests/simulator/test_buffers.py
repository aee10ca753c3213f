"""Memory shared with the engine."""

import numpy as np
import pytest

from mettagrid.simulator import Simulation, Simulator
from mettagrid.simulator.simulator import Buffers

EAST = 4


def make_buffers(agents=2, tokens=500, **arrays):
    """Buffers full of leftovers of an earlier episode."""
    defaults = {
        "observations": np.full((agents, tokens, 3), 7, np.uint8),
        "terminals": np.ones(agents, bool),
        "truncations": np.ones(agents, bool),
        "rewards": np.ones(agents, np.float32),
        "masks": np.ones(agents, bool),
        "actions": np.full(agents, EAST, np.int32),
        "teacher_actions": np.full(agents, 2, np.int32),
        "vibe_actions": np.zeros(agents, np.int32),
    }
    return Buffers(**(defaults | arrays))


@pytest.mark.parametrize("start", [Simulation, lambda *args, **more: Simulator().new_simulation(*args, **more)])
def test_the_engine_works_in_the_callers_arrays(game, start):
    buffers = make_buffers()
    engine = start(game(), buffers=buffers)._c_sim
    for name in ("observations", "terminals", "truncations", "rewards", "actions", "vibe_actions"):
        assert getattr(engine, name)() is getattr(buffers, name), name


def test_making_a_simulation_clears_everything_but_the_actions(game):
    buffers = make_buffers()
    Simulation(game(), buffers=buffers)
    assert not buffers.terminals.any()
    assert not buffers.truncations.any()
    assert not buffers.rewards.any()
    assert buffers.observations[0, 0].tolist() == [254, 1, 0]
    assert buffers.observations[0, -1].tolist() == [255, 255, 255]
    assert buffers.actions.tolist() == [EAST, EAST]
    assert buffers.teacher_actions.tolist() == [2, 2]
    assert buffers.masks.all()


def test_a_step_reads_and_writes_the_arrays_in_place(game):
    buffers = make_buffers()
    simulation = Simulation(game(max_steps=1), buffers=buffers)
    buffers.actions[:] = [EAST, 2]
    before = buffers.observations.copy()
    simulation.step()
    assert simulation.action_success == [True, True]
    assert buffers.terminals.all()
    assert not np.array_equal(buffers.observations, before)
    assert simulation.agent(1).observation.token_array().tolist() == [
        token for token in buffers.observations[1].tolist() if token[0] != 255
    ]


def test_without_vibe_actions_the_teacher_actions_take_their_place(game):
    buffers = make_buffers(vibe_actions=None)
    assert buffers.vibe_actions is buffers.teacher_actions
    simulation = Simulation(game(), buffers=buffers)
    simulation.agent(0).set_action("change_vibe_junction")
    assert buffers.teacher_actions.tolist() == [6, 2]


def test_the_number_of_tokens_may_differ_from_the_config(game):
    buffers = make_buffers(tokens=60)
    simulation = Simulation(game(), buffers=buffers)
    assert len(simulation.agent(0).observation.tokens) == 27
    assert simulation.num_observation_tokens == 500


def test_without_buffers_the_engine_allocates_its_own(game):
    engine = Simulation(game())._c_sim
    assert (engine.observations().dtype, engine.observations().shape) == (np.uint8, (2, 500, 3))
    assert (engine.rewards().dtype, engine.rewards().shape) == (np.float32, (2,))
    assert (engine.actions().dtype, engine.actions().shape) == (np.int32, (2,))
    assert engine.actions() is engine.actions()


@pytest.mark.parametrize(
    ("array", "error"),
    [
        ({"observations": np.zeros((2, 500, 3), np.int32)}, TypeError),
        ({"rewards": np.zeros(2)}, TypeError),
        ({"actions": np.zeros(2, np.int64)}, TypeError),
        ({"observations": np.zeros((2, 1000, 3), np.uint8)[:, ::2]}, (TypeError, RuntimeError)),
        ({"actions": np.zeros(3, np.int32)}, RuntimeError),
        ({"observations": np.zeros((3, 500, 3), np.uint8)}, RuntimeError),
    ],
)
def test_arrays_of_a_wrong_type_or_shape_are_refused(game, array, error):
    with pytest.raises(error):
        Simulation(game(), buffers=make_buffers(**array)).step()


def test_buffers_need_a_place_for_vibe_actions(game):
    with pytest.raises(TypeError, match="`vibe_actions` or `teacher_actions`"):
        Simulation(game(), buffers=make_buffers(vibe_actions=None, teacher_actions=None))
