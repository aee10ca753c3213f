"""One `sparse` network in several missions, and `pufferlib_cogs` with and without an LSTM."""

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from cogames import missions
from mettagrid.policy.policy_env_interface import PolicyEnvInterface
from mettagrid.policy.sparse import SparsePolicy
from mettagrid.policy.sparse_player import SparsePlayer, used_tokens
from mettagrid.policy.sparse_tokens import BYTES, UNKNOWN, Vocabulary
from mettagrid.runner.episode.generators import seed_generators

NAMES = ("arena", "tutorial.miner", "machina_1")


def interface(mission: str) -> PolicyEnvInterface:
    return PolicyEnvInterface.from_mg_cfg(missions.load(mission, seed=1))


@pytest.mark.parametrize("mission", NAMES)
def test_weights_of_the_arena_play_everywhere(plays: Any, tmp_path: Path, mission: str) -> None:
    path = str(tmp_path / "weights.safetensors")
    made = SparsePolicy(interface("arena"), embedding_size=16, hidden_size=16)
    made.save_policy_data(path)
    arguments = json.loads(json.dumps(made.init_kwargs()))
    simulation = plays.new_simulation(mission, steps=8)
    policy = plays.new_policy("sparse", simulation, **arguments)
    policy.load_policy_data(path)
    seed_generators(1)
    played = plays.agents(policy, simulation)
    assert len(played.actions) == 8


def test_one_thing_has_one_row_in_all_missions() -> None:
    games = {name: interface(name) for name in NAMES}
    vocabulary = Vocabulary.of(games.values())
    kinds: dict[tuple[str, Any], set[int]] = {}
    for game in games.values():
        table = vocabulary.tables(game).kinds.reshape(BYTES, BYTES)
        for feature in game.obs_features:
            for value in range(BYTES):
                known = game.tags[value] if feature.name == "tag" and value < len(game.tags) else value
                if feature.name != "tag" or value < len(game.tags):
                    kinds.setdefault((feature.name, known), set()).add(int(table[feature.id, value]))
    assert all(len(numbers) == 1 for numbers in kinds.values())
    assert UNKNOWN not in kinds["tag", "type:wall"] and UNKNOWN not in kinds["inv:hp", 100]
    ids = {tuple((feature.id, feature.name) for feature in game.obs_features) for game in games.values()}
    assert len(ids) > 1, "the missions number their features differently, or this tests nothing"


def test_every_token_of_an_episode_is_known(plays: Any) -> None:
    simulation = plays.new_simulation("arena", steps=20)
    tables = Vocabulary.of([interface("arena")]).tables(interface("arena"))
    generator = np.random.default_rng(0)
    while not simulation.is_done():
        tokens, _ = used_tokens(simulation._c_sim.observations())
        assert (tables.kinds[tokens[:, 1].astype(int) * BYTES + tokens[:, 2]] != UNKNOWN).all()
        assert (tables.places[tokens[:, 0]] != 255).all()
        for seat in simulation.agents():
            seat.set_action(generator.choice(simulation.action_names))
        simulation.step()


def test_the_tables_of_a_mission_give_the_same_sums_as_those_of_another(plays: Any) -> None:
    """Tokens of one mission, renumbered by hand, mean the same in the other."""
    vocabulary = Vocabulary.of([interface(name) for name in NAMES])
    policy = SparsePolicy(interface("arena"), vocabulary=vocabulary.names, embedding_size=16, hidden_size=16)
    other = interface("tutorial.miner")
    weights = policy._weights()
    tokens, counts = used_tokens(plays.new_simulation("tutorial.miner")._c_sim.observations())
    names = {feature.id: feature.name for feature in other.obs_features}
    numbers = {feature.name: feature.id for feature in policy.policy_env_info.obs_features}
    renumbered = tokens.copy()
    for token in renumbered:
        name = names[int(token[1])]
        token[1] = numbers[name]
        if name == "tag":
            token[2] = policy.policy_env_info.tags.index(other.tags[int(token[2])])
    first = SparsePlayer(weights, vocabulary.tables(other))._pooled(tokens, counts)
    second = SparsePlayer(weights, vocabulary.tables(policy.policy_env_info))._pooled(renumbered, counts)
    np.testing.assert_allclose(first, second, atol=1e-5)


@pytest.mark.parametrize("suffix", [".pt", ".safetensors"])
@pytest.mark.parametrize("recurrent", [False, True])
def test_pufferlib_cogs_has_an_lstm_if_its_file_has_one(
    plays: Any, tmp_path: Path, recurrent: bool, suffix: str
) -> None:
    torch = pytest.importorskip("torch")
    from mettagrid.policy.weights_file import encode_weights

    simulation = plays.new_simulation("arena", steps=4)
    trained = plays.new_policy("pufferlib_cogs", simulation, recurrent=recurrent)
    keys = set(trained.network().state_dict())
    assert ("policy.encoder.0.weight" if recurrent else "encoder.0.weight") in keys
    path = tmp_path / f"weights{suffix}"
    if suffix == ".pt":
        trained.save_policy_data(str(path))
    else:
        arrays = {name: tensor.numpy() for name, tensor in trained.network().state_dict().items()}
        path.write_bytes(encode_weights(arrays))
    loaded = plays.new_policy("pufferlib_cogs", simulation)
    loaded.load_policy_data(str(path))
    assert loaded.is_recurrent() == recurrent
    rows = torch.from_numpy(simulation._c_sim.observations().copy())
    states: list[dict[str, Any]] = [{"lstm_h": None, "lstm_c": None} for _ in range(2)]
    with torch.no_grad():
        outputs = [
            policy.network().forward_eval(given, state)
            for policy, given, state in ((trained, rows, states[0]), (loaded, rows.float() / 255, states[1]))
        ]
    torch.testing.assert_close(outputs[0], outputs[1], atol=1e-5, rtol=1e-5)
    assert len(plays.agents(loaded, simulation).actions) == 4


@pytest.mark.parametrize("name", ["lstm", "stateless", "tutorial", "token", "puffer", "pufferlib_cogs", "sparse"])
def test_every_network_trains_through_one_interface(plays: Any, name: str) -> None:
    torch = pytest.importorskip("torch")
    torch.set_num_threads(1)
    simulation = plays.new_simulation("arena")
    policy = plays.new_policy(name, simulation)
    network = policy.network()
    rows = torch.from_numpy(simulation._c_sim.observations().copy())
    assert network.hidden_size > 0
    logits, values = network.forward_eval(rows, {"lstm_h": None, "lstm_c": None})
    assert len(logits) == len(values) == 8
    segments = rows.reshape(4, 2, *rows.shape[1:])
    given = segments if policy.is_recurrent() else rows
    logits, values = network(given, {"lstm_h": None, "lstm_c": None})
    assert logits.shape[0] == values.numel() == 8
    (logits.square().sum() + values.sum()).backward()
    assert all(parameter.grad is not None for parameter in network.parameters())


def test_the_tutorial_network_takes_cut_observations_and_resets(plays: Any) -> None:
    torch = pytest.importorskip("torch")
    simulation = plays.new_simulation("arena")
    network = plays.new_policy("tutorial", simulation).network()
    rows = torch.from_numpy(simulation._c_sim.observations().copy()).reshape(4, 2, -1, 3)
    resets = torch.zeros(4, 2, dtype=torch.bool)
    resets[1, 1] = True
    with torch.no_grad():
        whole, _ = network(rows, {})
        cut, _ = network(rows[:, :, :120], {"resets": resets})
        alone, _ = network(rows[1:2, 1:], {})
    torch.testing.assert_close(cut[[0, 1, 2, 4, 5]], whole[[0, 1, 2, 4, 5]], atol=1e-5, rtol=1e-5)
    torch.testing.assert_close(cut[3:4], alone, atol=1e-5, rtol=1e-5)
