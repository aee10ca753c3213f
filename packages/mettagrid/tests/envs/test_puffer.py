"""PufferLib's style: shared buffers, combined actions, the end of an episode, supervisor, infos. Without PufferLib."""

import sys
from types import SimpleNamespace

import numpy as np
import pytest

import mettagrid
from mettagrid.config.handler_config import Handler
from mettagrid.config.mutation.stats_mutation import logStatToGame
from mettagrid.envs import MettaGridPufferEnv, MettaGridPufferVectorEnv, StatsTracker
from mettagrid.envs.mettagrid_puffer_env import split_supervisor_actions_inplace
from mettagrid.policy.policy_spec import PolicySpec
from mettagrid.simulator import Simulator
from mettagrid.util.stats_writer import NoopStatsWriter

NOOPS = np.zeros(3, np.int32)
PRIMARY, VIBES = 5, 152


@pytest.fixture
def env(room) -> MettaGridPufferEnv:
    return MettaGridPufferEnv(Simulator(), room())


def test_the_top_level_name_is_this_class() -> None:
    assert mettagrid.PufferMettaGridEnv is MettaGridPufferEnv


def test_the_spaces_are_the_published_ones(env) -> None:
    assert str(env.single_observation_space) == "Box(0, 255, (60, 3), uint8)"
    assert env.single_action_space.n == PRIMARY
    assert env.single_vibe_action_space.n == VIBES
    assert env.single_transport_action_space.n == PRIMARY * (VIBES + 1)
    assert env.action_space.nvec.tolist() == [PRIMARY * (VIBES + 1)] * 3
    assert env.observation_space.shape == (3, 60, 3)
    assert env.num_agents == env.agent_per_batch == 3 and env.agent_ids.tolist() == [0, 1, 2]
    assert (env.emulated, env.done, env.driver_env, env.render_mode) == (False, False, env, "ansi")


def test_a_game_without_vibes_has_one_vibe_action_in_its_space(room) -> None:
    config = room()
    config.game.actions.change_vibe.enabled = False
    env = MettaGridPufferEnv(Simulator(), config)
    assert (env.single_vibe_action_space.n, env.single_transport_action_space.n) == (1, PRIMARY)
    with pytest.raises(ValueError, match="no vibe actions"):
        env.step(np.zeros((3, 2), np.int32))


def test_the_buffers_of_the_caller_are_used_as_they_are(room, make_buffers) -> None:
    buf = make_buffers()
    env = MettaGridPufferEnv(Simulator(), room(max_steps=2), buf=buf)
    assert all(getattr(env, name) is array for name, array in buf.items())
    observations, _ = env.reset(seed=1)
    assert observations is buf["observations"]
    for _ in range(5):  # over the ends of two episodes
        buf["actions"][:] = [PRIMARY + 3, 1, 2]
        outputs = env.step(buf["actions"])  # the same memory that the engine reads from
        names = ("observations", "rewards", "terminals", "truncations")
        assert all(output is buf[name] for output, name in zip(outputs, names, strict=False))
        assert buf["actions"].tolist() == [0, 1, 2]
        assert env.vibe_actions.tolist() == [PRIMARY + 3, 0, 0]
        engine = env.current_simulation._c_sim
        assert engine.observations() is buf["observations"] and engine.actions() is buf["actions"]
        assert np.array_equal(engine.rewards(), buf["rewards"])


def test_a_vibe_buffer_of_the_caller_is_used_too(room, make_buffers) -> None:
    buf = make_buffers() | {"vibe_actions": np.zeros(3, np.int32)}
    env = MettaGridPufferEnv(Simulator(), room(), buf=buf)
    env.step(np.full(3, PRIMARY + 1))
    assert env.vibe_actions is buf["vibe_actions"] and buf["vibe_actions"].tolist() == [PRIMARY + 1] * 3


def test_masks_and_teacher_actions_may_be_missing_and_nothing_else(room, make_buffers) -> None:
    buf = make_buffers()
    del buf["masks"], buf["teacher_actions"]
    assert MettaGridPufferEnv(Simulator(), room(), buf=buf).masks.all()
    del buf["rewards"], buf["terminals"]
    with pytest.raises(KeyError, match="buf has no rewards, terminals"):
        MettaGridPufferEnv(Simulator(), room(), buf=buf)


def test_a_buffer_of_the_wrong_kind_is_refused(room, make_buffers) -> None:
    with pytest.raises(TypeError, match="actions has elements of type int64"):
        MettaGridPufferEnv(Simulator(), room(), buf=make_buffers() | {"actions": np.zeros(3, np.int64)})
    with pytest.raises(RuntimeError, match="rewards has the wrong shape"):
        MettaGridPufferEnv(Simulator(), room(), buf=make_buffers() | {"rewards": np.zeros(4, np.float32)})


@pytest.mark.parametrize(
    ("actions", "primary", "vibes"),
    [
        ([1, 2, 3], [1, 2, 3], [0, 0, 0]),
        ([[1], [2], [3]], [1, 2, 3], [0, 0, 0]),
        ([PRIMARY, PRIMARY + VIBES + 1, 4], [0, 1, 4], [PRIMARY, PRIMARY + 1, 0]),
        ([[1, 0], [2, 1], [3, 2]], [1, 2, 3], [PRIMARY, PRIMARY + 1, PRIMARY + 2]),
    ],
)
def test_actions_are_combined_indices_or_pairs(env, actions: list, primary: list, vibes: list) -> None:
    env.reset()
    env.step(np.full(3, PRIMARY + 9))  # what was chosen before does not stay
    env.step(np.array(actions))
    assert env.actions.tolist() == primary and env.vibe_actions.tolist() == vibes


@pytest.mark.parametrize(
    ("actions", "message"),
    [
        ([0, 1, 765], "Actions must be from 0 to 764; these are from 0 to 765"),
        ([-1, 0, 0], "Actions must be from 0 to 764; these are from -1 to 0"),
        ([[9, 0], [0, 0], [0, 0]], "Primary actions must be from 0 to 4"),
        ([[0, 152], [0, 0], [0, 0]], "Vibe actions must be from 0 to 151"),
        ([0, 1], r"Actions must have shape \[3\], \[3, 1\] or \[3, 2\], not \[2\]"),
        ([[0, 0, 0]] * 3, r"not \[3, 3\]"),
    ],
)
def test_wrong_actions_are_refused_and_nothing_happens(env, actions: list, message: str) -> None:
    env.reset()
    with pytest.raises(ValueError, match=message):
        env.step(np.array(actions))
    assert env.current_simulation.current_step == 0
    with pytest.raises(TypeError, match="Actions must be integers, not float64"):
        env.step(np.zeros(3))


def test_the_last_observation_is_returned_and_the_next_step_is_the_first_of_a_new_episode(room) -> None:
    env = MettaGridPufferEnv(Simulator(), room(max_steps=2), seed=4)
    env.reset()
    env.step(NOOPS)
    ended = env.current_simulation
    observations, _, terminals, truncations, _ = env.step(NOOPS)
    assert terminals.all() and not truncations.any()
    assert env.current_simulation is ended and np.array_equal(observations, ended._c_sim.observations())
    _, _, terminals, _, _ = env.step(NOOPS)
    assert not terminals.any()
    assert env.current_simulation is not ended
    assert (env.current_simulation.current_step, env.current_simulation.seed) == (1, 4)


def test_each_episode_is_on_the_next_map_of_the_simulator(room) -> None:
    env = MettaGridPufferEnv(Simulator(), room(max_steps=1, map_seed=50))

    def walls() -> frozenset:
        objects = env.current_simulation.grid_objects().values()
        return frozenset(item["location"] for item in objects if item["type_name"] == "wall")

    seen = [walls()]
    env.reset()
    for _ in range(4):  # each step is an episode
        env.step(NOOPS)
        seen.append(walls())
    simulator = Simulator()
    expected = []
    for _ in range(len(seen)):
        sim = simulator.new_simulation(room(map_seed=50))
        expected.append(frozenset(i["location"] for i in sim.grid_objects().values() if i["type_name"] == "wall"))
    assert seen == expected


def test_a_reset_keeps_the_seed_unless_it_is_given_another(env) -> None:
    env.reset(seed=11)
    env.reset()
    assert env.current_simulation.seed == 11
    with pytest.raises(ValueError, match="A seed must be from 0"):
        env.reset(seed=-1)
    env.step(NOOPS)
    env.reset()
    assert env.current_simulation.seed == 11


def test_another_configuration_is_played_from_the_next_episode_on(room) -> None:
    env = MettaGridPufferEnv(Simulator(), room(max_steps=2))
    longer = room(max_steps=5)
    env.set_mg_config(longer)
    assert env.env_cfg is longer and env.current_simulation.config.game.max_steps == 2
    for _ in range(3):
        env.step(NOOPS)
    assert env.current_simulation.config.game.max_steps == 5
    with pytest.raises(ValueError, match="The environment has 3 agents, the new game 4"):
        env.set_mg_config(room(num_agents=4))
    other = room()
    other.game.actions.change_vibe.enabled = False
    env.set_mg_config(other)
    with pytest.raises(ValueError, match="The game has other actions than before"):
        env.reset()


def test_infos_are_what_handlers_left_and_what_was_asked_for(room) -> None:
    config = room(max_steps=2)
    config.game.on_tick = Handler(mutations=[logStatToGame("ticks"), logStatToGame("cogs/ticks")])
    simulator = Simulator()
    simulator.add_event_handler(StatsTracker(NoopStatsWriter()))
    keys = ["game/ticks", "env_team/cogs/ticks", "game/nothing", "attributes/steps", "env_attributes/seed"]
    keys += ["agent/action.noop.success", "agent/nothing", "agent/reward_step", "agent/reward_episode"]
    env = MettaGridPufferEnv(simulator, config, step_info_keys=keys, seed=6)
    _, infos = env.reset()
    assert infos["attributes/steps"] == 0
    *_, infos = env.step(NOOPS)
    of_agent = {"action.noop.success": 1.0, "reward_step": 0.0, "reward_episode": 0.0}
    asked = {
        "game/ticks": 1.0,
        "team/cogs/ticks": 1.0,
        "attributes/steps": 1.0,
        "attributes/seed": 6.0,
        "_per_agent_infos": {0: of_agent, 1: of_agent, 2: of_agent},
    }
    assert infos == asked
    *_, infos = env.step(NOOPS)
    assert infos["game/ticks"] == 2 and infos["game"]["ticks"] == 2 and infos["attributes"]["steps"] == 2


@pytest.mark.parametrize(
    ("key", "message"),
    [
        ("nonsense", "Unknown step_info_keys entry 'nonsense'"),
        ("env_agent/x", "Unknown step_info_keys entry 'env_agent/x'"),
        ("game/", "'game/' has nothing after the slash"),
        ("team/cogs", "'team/cogs' must be team/<team>/<stat>"),
        ("team//x", "'team//x' must be team/<team>/<stat>"),
        ("attributes/nope", "the attributes are seed, map_w, map_h, steps, max_steps"),
    ],
)
def test_unknown_step_info_keys_are_refused(room, key: str, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        MettaGridPufferEnv(Simulator(), room(), step_info_keys=[key])


def vibes_of(env) -> list[int]:
    objects = env.current_simulation.grid_objects().values()
    return [item["vibe"] for item in objects if "agent_id" in item]


def test_a_supervisor_labels_every_observation_and_chooses_vibes_nobody_else_chose(room, teacher) -> None:
    env = MettaGridPufferEnv(Simulator(), room(), supervisor_policy_spec=teacher)
    env.reset()
    assert env.teacher_actions.tolist() == [2, PRIMARY + 3, PRIMARY + 4]
    assert all(seen is env.observations for seen in teacher.asked)
    asked = len(teacher.asked)
    env.step(np.array([1, 1, 1]))
    assert len(teacher.asked) == asked + 1
    assert env.actions.tolist() == [1, 1, 1] and vibes_of(env) == [0, 3, 4]
    env.step(np.array([PRIMARY + 1, PRIMARY + 2, 1]))
    assert vibes_of(env) == [1, 2, 4]
    env.disable_supervisor()
    env.step(np.array([1, 1, 1]))
    assert len(teacher.asked) == asked + 2 and vibes_of(env) == [1, 2, 4]
    assert env.teacher_actions.tolist() == [0, 0, 0]


def test_a_supervisor_can_be_the_description_of_a_policy(room) -> None:
    env = MettaGridPufferEnv(Simulator(), room(), supervisor_policy_spec=PolicySpec(class_path="noop"))
    env.step(np.array([1, 1, 1]))
    assert env.teacher_actions.tolist() == [0, 0, 0]


def test_what_cannot_supervise_is_refused_with_a_sentence(room) -> None:
    with pytest.raises(TypeError, match="A SimpleNamespace cannot be the supervisor; pass an object with `step_batch"):
        MettaGridPufferEnv(Simulator(), room(), supervisor_policy_spec=SimpleNamespace(class_path="noop"))


def test_supervisor_labels_are_split_in_place() -> None:
    labels, vibes = np.array([0, 3, 5, 7], np.int32), np.full(4, 9, np.int32)
    ids = np.array([5, 6, 7], np.int32)
    split_supervisor_actions_inplace(labels, vibes, num_primary_actions=5, vibe_action_ids_by_index=ids)
    assert labels.tolist() == [0, 3, 5, 7] and vibes.tolist() == [0, 0, 5, 7]
    labels[2] = 8
    with pytest.raises(ValueError, match="invalid action id 8 for agent 2; action ids are from 0 to 7"):
        split_supervisor_actions_inplace(labels, vibes, num_primary_actions=5, vibe_action_ids_by_index=ids)


def test_send_and_receive_are_step_in_two_halves(room) -> None:
    simulator = Simulator()
    simulator.add_event_handler(StatsTracker(NoopStatsWriter()))
    env = MettaGridPufferEnv(simulator, room(max_steps=2))
    env.async_reset(3)
    assert env.recv()[5] == []
    env.send(NOOPS)
    env.send(NOOPS)
    observations, rewards, terminals, truncations, teacher_actions, infos, agent_ids, masks = env.recv()
    assert observations is env.observations and rewards is env.rewards and terminals is env.terminals
    assert truncations is env.truncations and teacher_actions is env.teacher_actions and masks is env.masks
    assert agent_ids.tolist() == [0, 1, 2] and [info["attributes"]["steps"] for info in infos] == [2]


@pytest.mark.parametrize("make", [lambda c: MettaGridPufferEnv(Simulator(), c), MettaGridPufferVectorEnv])
def test_while_pufferlib_is_loaded_an_environment_is_one_of_its_own(room, monkeypatch, make) -> None:
    class PufferEnv:
        def __init__(self) -> None:
            raise AssertionError("sets up its own buffers")

        @property
        def agent_per_batch(self) -> int:
            return 0

    before = make(room())
    monkeypatch.setitem(sys.modules, "pufferlib", SimpleNamespace(PufferEnv=PufferEnv))
    env = make(room())
    assert isinstance(env, PufferEnv) and isinstance(env, type(before)) and not isinstance(before, PufferEnv)
    assert type(env) is type(make(room())) and type(env).__name__ == type(before).__name__
    env.reset(seed=1)
    assert env.step(NOOPS)[0] is env.observations and env.agent_per_batch == 3


def test_two_environments_with_one_seed_play_the_same(room) -> None:
    def played() -> list:
        env = MettaGridPufferEnv(Simulator(), room(), seed=8)
        rng = np.random.default_rng(1)
        rows = [env.reset()[0].tobytes()]
        for _ in range(30):
            observations, rewards, *_ = env.step(rng.integers(765, size=3))
            rows.append(observations.tobytes() + rewards.tobytes())
        return rows

    assert played() == played()


def test_rendering_rewards_and_closing(env) -> None:
    env.reset(seed=1)
    env.step(np.array([1, 2, 3]))
    assert np.array_equal(env.get_episode_rewards(), env.rewards)
    assert env.render().count("\n") == 7 and "🟦" in env.render()
    env.close()
    env.close()
    with pytest.raises(AttributeError, match="This simulation is closed"):
        env.step(NOOPS)
