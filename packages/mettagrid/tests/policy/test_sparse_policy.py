"""The `sparse` policy plays with NumPy what its network computes with PyTorch."""

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from mettagrid.config.mettagrid_config import MettaGridConfig
from mettagrid.policy.batched import batched_form
from mettagrid.policy.checks import check_policy
from mettagrid.policy.loader import initialize_or_load_policy
from mettagrid.policy.policy_env_interface import PolicyEnvInterface
from mettagrid.policy.policy_spec import PolicySpec
from mettagrid.policy.sparse import SparsePolicy
from mettagrid.policy.sparse_player import SparsePlayer, chosen_indices, used_tokens
from mettagrid.policy.sparse_tokens import Vocabulary
from mettagrid.simulator.simulator import Simulation

SMALL: dict[str, Any] = {"embedding_size": 8, "hidden_size": 16}


def config(agents: int = 4) -> MettaGridConfig:
    return MettaGridConfig.EmptyRoom(num_agents=agents, width=12, height=12, with_walls=True)


def interface(agents: int = 4) -> PolicyEnvInterface:
    return PolicyEnvInterface.from_mg_cfg(config(agents))


def tokens_of(simulation: Simulation) -> np.ndarray:
    return np.array(simulation._c_sim.observations())


def actions_of_an_episode(policy: SparsePolicy, way: str, steps: int = 12) -> list[list[str]]:
    """Play with single steps, groups or batches; the same seed every time."""
    np.random.seed(5)
    simulation = Simulation(config(), seed=3)
    agents = [policy.agent_policy(number) for number in range(4)]
    for agent in agents:
        agent.reset()
    names, numbers, played = policy.policy_env_info.all_action_names, np.zeros(4, np.int32), []
    policy.set_batch_agents([0, 1, 2, 3])
    for _ in range(steps):
        seen = [seat.observation for seat in simulation.agents()]
        if way == "single":
            chosen = [agent.step(observation).name for agent, observation in zip(agents, seen, strict=True)]
        elif way == "group":
            assert agents[0].can_step_group(agents)
            chosen = [action.name for action in agents[0].step_group(list(enumerate(seen)))]
        else:
            policy.step_batch(tokens_of(simulation), numbers)
            chosen = [names[number] for number in numbers]
        for seat, name in zip(simulation.agents(), chosen, strict=True):
            seat.set_action(name)
        simulation.step()
        played.append(chosen)
    return played


def test_agents_play_the_same_one_by_one_together_and_in_a_batch(tmp_path: Path) -> None:
    policy = SparsePolicy(interface(), **SMALL)
    policy.save_policy_data(str(tmp_path / "weights.safetensors"))
    policy.load_policy_data(str(tmp_path / "weights.safetensors"))
    played = {way: actions_of_an_episode(policy, way) for way in ("single", "group", "batch")}
    assert played["single"] == played["group"] == played["batch"]
    assert len({name for step in played["single"] for name in step}) > 2


@pytest.mark.parametrize("arguments", [{}, {"greedy": True}, {"vibes": True}])
def test_the_policy_passes_all_checks(arguments: dict[str, Any]) -> None:
    spec = PolicySpec(class_path="sparse", init_kwargs={**SMALL, **arguments})
    assert check_policy(spec, steps=15) == []


def test_the_numbers_equal_those_of_the_network() -> None:
    torch = pytest.importorskip("torch")
    torch.set_num_threads(1)
    policy = SparsePolicy(interface(), vibes=True, phrases=["hi"])
    network = policy.network()
    player = SparsePlayer(network.to_numpy(), policy._tables)
    simulation = Simulation(config(), seed=1)
    hidden = cell = np.zeros((4, 128), np.float32)
    state: dict[str, Any] = {}
    for step in range(6):
        rows = tokens_of(simulation)
        if step == 3:
            rows[1] = 255  # an agent that sees nothing
        logits, hidden, cell = player.step(*used_tokens(rows), hidden, cell)
        with torch.no_grad():
            outputs = network.heads(torch.from_numpy(rows), state)
        for name, other in (("action", "logits"), ("vibe", "vibe"), ("talk", "talk")):
            np.testing.assert_allclose(logits[name], outputs[other], atol=1e-5)
        np.testing.assert_allclose(hidden, state["lstm_h"], atol=1e-5)
        simulation.step()


def test_trained_weights_play_from_the_next_episode() -> None:
    torch = pytest.importorskip("torch")
    policy = SparsePolicy(interface(), **SMALL, greedy=True)
    agent = policy.agent_policy(0)
    agent.reset()
    observation = Simulation(config(), seed=1).agents()[0].observation
    names = policy.policy_env_info.action_names
    for number, name in enumerate(names[:3]):
        with torch.no_grad():
            policy.network().action.bias.zero_()
            policy.network().action.bias[number] = 9.0
        agent.reset()
        assert agent.step(observation).name == name


def test_a_bundle_plays_in_another_game_and_without_pytorch(tmp_path: Path) -> None:
    policy = SparsePolicy(interface(), **SMALL, vibes=True)
    policy.save_policy_data(str(tmp_path / "weights.safetensors"))
    spec = {
        "class_path": "sparse",
        "data_path": str(tmp_path / "weights.safetensors"),
        "init_kwargs": json.loads(json.dumps(policy.init_kwargs())),
    }
    program = f"""
import sys
sys.modules["torch"] = None
import numpy as np
from mettagrid.config.mettagrid_config import MettaGridConfig
from mettagrid.policy.loader import initialize_or_load_policy
from mettagrid.policy.policy_env_interface import PolicyEnvInterface
from mettagrid.policy.policy_spec import PolicySpec
from mettagrid.simulator.simulator import Simulation
config = MettaGridConfig.EmptyRoom(num_agents=2, width=8, height=8, with_walls=True)
policy = initialize_or_load_policy(PolicyEnvInterface.from_mg_cfg(config), PolicySpec(**{spec!r}))
observation = Simulation(config, seed=1).agents()[1].observation
print(policy.agent_policy(1).step(observation))
"""
    ran = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    assert ran.returncode == 0, ran.stderr
    assert ran.stdout.startswith("Action(name=")


def test_the_memory_of_an_agent_is_its_own_and_ends_with_the_episode() -> None:
    policy = SparsePolicy(interface(), **SMALL)
    observation = Simulation(config(), seed=1).agents()[0].observation
    first, second = policy.agent_policy(0), policy.agent_policy(1)
    first.step(observation)
    assert policy._hidden[0].any() and not policy._hidden[1].any()
    second.step(observation)
    first.reset()
    assert not policy._hidden[0].any() and policy._hidden[1].any()
    policy.agent_policy(9).step(observation)
    assert len(policy._hidden) == 10 and policy._hidden[1].any()


def test_vibes_and_phrases_come_with_the_action_where_the_game_allows_them() -> None:
    game = config()
    game.game.talk.enabled = True
    simulation = Simulation(game, seed=1)
    info = PolicyEnvInterface.from_mg_cfg(game)
    policy = SparsePolicy(info, **SMALL, vibes=True, phrases=["help", "here"])
    assert policy.supports_step_batch is False
    np.random.seed(1)
    actions = [policy.agent_policy(0).step(simulation.agents()[0].observation) for _ in range(40)]
    assert {action.talk for action in actions} == {None, "help", "here"}
    assert {action.vibe for action in actions} - {None} <= set(info.vibe_action_names)
    assert any(action.vibe for action in actions)
    silent = SparsePolicy(interface(), **SMALL, phrases=["help"])
    spoken = {silent.agent_policy(0).step(simulation.agents()[0].observation).talk for _ in range(20)}
    assert spoken == {None}


def test_some_agents_of_a_batch_leave_the_others_alone() -> None:
    policy = SparsePolicy(interface(), **SMALL)
    policy.set_batch_agents([1, 3])
    actions = np.full(4, -1, np.int32)
    policy.step_batch(tokens_of(Simulation(config(), seed=1)), actions)
    assert actions[0] == actions[2] == -1 and min(actions[1], actions[3]) >= 0


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        ({"hidden_size": 0}, "hidden_size must be a whole number"),
        ({"embedding_size": "many"}, "embedding_size must be a whole number"),
        ({"greedy": "perhaps"}, "greedy must be true or false"),
        ({"phrases": "hello"}, "phrases must be a list"),
        ({"phrases": [""]}, "phrases must be a list"),
    ],
)
def test_bad_arguments_are_refused_with_their_name(arguments: dict[str, Any], says: str) -> None:
    with pytest.raises(ValueError, match=says):
        SparsePolicy(interface(), **arguments)


def test_arguments_may_be_text_as_on_the_command_line() -> None:
    policy = SparsePolicy(interface(), hidden_size="16", embedding_size="8", greedy="true")  # type: ignore[arg-type]
    assert policy.init_kwargs()["hidden_size"] == 16 and policy.init_kwargs()["greedy"] is True


def test_weights_of_another_shape_are_refused_with_a_sentence(tmp_path: Path) -> None:
    path = str(tmp_path / "weights.safetensors")
    SparsePolicy(interface(), **SMALL, vibes=True).save_policy_data(path)
    with pytest.raises(ValueError, match=r"unknown weight 'vibe.bias'; load it with the `init_kwargs`"):
        SparsePolicy(interface(), **SMALL).load_policy_data(path)
    with pytest.raises(ValueError, match=r"'places' in .* has shape \(480, 8\), and this network needs \(480, 4\)"):
        SparsePolicy(interface(), hidden_size=16, embedding_size=4, vibes=True).load_policy_data(path)


def test_the_same_seed_gives_the_same_new_network() -> None:
    weights = []
    for seed in (1, 1, 2):
        np.random.seed(seed)
        weights.append(SparsePolicy(interface(), **SMALL)._weights()["kinds"])
    assert np.array_equal(weights[0], weights[1]) and not np.array_equal(weights[0], weights[2])


def test_an_untrained_policy_plays_what_it_saved(tmp_path: Path) -> None:
    policy, other = SparsePolicy(interface(), **SMALL), SparsePolicy(interface(), **SMALL)
    observation = Simulation(config(), seed=1).agents()[0].observation
    policy.agent_policy(0).step(observation)
    policy.save_policy_data(str(tmp_path / "weights.safetensors"))
    other.load_policy_data(str(tmp_path / "weights.safetensors"))
    for made in (policy, other):
        made.reset()
        made.agent_policy(0).step(observation)
    assert np.array_equal(policy._hidden, other._hidden)


def test_the_loader_knows_the_short_name_and_the_vocabulary_of_several_games() -> None:
    small = PolicyEnvInterface(
        action_names=["noop"], num_agents=1, observation_shape=(10, 3), egocentric_shape=(5, 5), tags=["type:new"]
    )
    names = list(Vocabulary.of([interface(), small]).names)
    spec = PolicySpec(class_path="sparse", init_kwargs={**SMALL, "vocabulary": names})
    made = initialize_or_load_policy(small, spec)
    assert made.is_recurrent() and made.init_kwargs()["vocabulary"] == names  # type: ignore[attr-defined]


def test_draws_follow_the_probabilities() -> None:
    np.random.seed(0)
    logits = np.log(np.array([[0.1, 0.2, 0.7]], np.float32)).repeat(4000, 0)
    shares = np.bincount(chosen_indices({"action": logits}, greedy=False)["action"], minlength=3) / 4000
    np.testing.assert_allclose(shares, [0.1, 0.2, 0.7], atol=0.02)
    assert set(chosen_indices({"action": logits}, greedy=True)["action"].tolist()) == {2}


def test_many_worlds_in_one_call_play_like_single_ones() -> None:
    torch = pytest.importorskip("torch")
    torch.set_num_threads(1)
    policy = SparsePolicy(interface(), **SMALL, greedy=True)
    with torch.no_grad():
        policy.network().action.weight.mul_(1000)  # new networks hardly prefer an action
    form = batched_form(policy, 3)
    assert form.is_native and form.num_agents == 12
    worlds = [Simulation(config(), seed=seed) for seed in range(3)]
    names, actions = policy.policy_env_info.all_action_names, np.zeros(12, np.int32)
    agents = [policy.agent_policy(number) for number in range(4)]
    for step in range(6):
        form.step(np.concatenate([tokens_of(world) for world in worlds]), actions)
        for agent in agents:
            if step == 3:
                agent.reset()
        expected = [agent.step(seat.observation).name for agent, seat in zip(agents, worlds[1].agents(), strict=True)]
        assert [names[number] for number in actions[4:8]] == expected
        for number, seat in zip(actions, [seat for world in worlds for seat in world.agents()], strict=True):
            seat.set_action(names[number])
        for world in worlds:
            world.step()
        if step == 2:
            form.reset([1])
    with pytest.raises(IndexError, match="no world 3"):
        form.reset([3])
    with pytest.raises(ValueError, match="for 12 agents"):
        form.step(np.zeros((4, 20, 3), np.uint8), np.zeros(4, np.int32))
