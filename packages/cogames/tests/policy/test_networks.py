"""Policies with networks: the names and sizes that published weights have, and what they compute."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

torch = pytest.importorskip("torch")

SIZES = {  # on the arena: 500 tokens of 3 bytes, 5 primary actions
    "lstm": {
        "_net.0.weight": (128, 1500),
        "_net.0.bias": (128,),
        "_net.2.weight": (128, 128),
        "_net.2.bias": (128,),
        "_rnn.weight_ih_l0": (512, 128),
        "_rnn.weight_hh_l0": (512, 128),
        "_rnn.bias_ih_l0": (512,),
        "_rnn.bias_hh_l0": (512,),
        "_action_head.weight": (5, 128),
        "_action_head.bias": (5,),
        "_value_head.weight": (1, 128),
        "_value_head.bias": (1,),
    },
    "stateless": {
        "net.0.weight": (128, 1500),
        "net.0.bias": (128,),
        "net.2.weight": (128, 128),
        "net.2.bias": (128,),
        "action_head.weight": (5, 128),
        "action_head.bias": (5,),
        "value_head.weight": (1, 128),
        "value_head.bias": (1,),
    },
}
SIZES["puffer"] = {
    "policy.encoder.weight": (256, 1500),
    "policy.encoder.bias": (256,),
    "policy.decoder.weight": (5, 256),
    "policy.decoder.bias": (5,),
    "policy.value_function.weight": (1, 256),
    "policy.value_function.bias": (1,),
    **{f"lstm.weight_{kind}_l0": (1024, 256) for kind in ("ih", "hh")},
    **{f"lstm.bias_{kind}_l0": (1024,) for kind in ("ih", "hh")},
    **{f"cell.weight_{kind}": (1024, 256) for kind in ("ih", "hh")},
    **{f"cell.bias_{kind}": (1024,) for kind in ("ih", "hh")},
}
SIZES["tutorial"] = {
    "_feature_scale": (256,),
    "_cnn.0.weight": (64, 74, 3, 3),
    "_cnn.0.bias": (64,),
    "_cnn.2.weight": (128, 64, 3, 3),
    "_cnn.2.bias": (128,),
    "_cnn_fc.weight": (256, 2048),
    "_cnn_fc.bias": (256,),
    "_self_encoder.weight": (256, 74),
    "_self_encoder.bias": (256,),
    **{f"_rnn.weight_{kind}_l0": (2048, 512) for kind in ("ih", "hh")},
    **{f"_rnn.bias_{kind}_l0": (2048,) for kind in ("ih", "hh")},
    "_action_head.weight": (5, 512),
    "_action_head.bias": (5,),
    "_value_head.weight": (1, 512),
    "_value_head.bias": (1,),
}
PARAMETERS = {"lstm": 341_510, "stateless": 209_414, "puffer": 912_134, "tutorial": 2_764_614}


@pytest.fixture(autouse=True)
def one_thread() -> Iterator[None]:
    """Networks this small are quicker without company."""
    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    yield
    torch.set_num_threads(threads)


def observations(plays: Any, steps: int = 3) -> np.ndarray:
    """Return observations [steps, agents, tokens, 3] of an episode in which no agent moves."""
    simulation = plays.new_simulation("arena")
    rows = []
    for _ in range(steps):
        rows.append(simulation._c_sim.observations().copy())
        simulation.step()
    return np.stack(rows)


@pytest.mark.parametrize("name", SIZES)
def test_published_weights_fit(plays: Any, name: str) -> None:
    network = plays.new_policy(name, plays.new_simulation("arena")).network()
    assert {key: tuple(value.shape) for key, value in network.state_dict().items()} == SIZES[name]
    assert sum(parameter.numel() for parameter in network.parameters()) == PARAMETERS[name]


def test_stateless_computes_two_layers_and_two_heads(plays: Any) -> None:
    policy = plays.new_policy("stateless", plays.new_simulation("arena"))
    w = {key: value.double().numpy() for key, value in policy.network().state_dict().items()}
    rows = observations(plays)[0]
    hidden = np.maximum(rows.reshape(8, -1) / 255 @ w["net.0.weight"].T + w["net.0.bias"], 0)
    hidden = hidden @ w["net.2.weight"].T + w["net.2.bias"]
    with torch.no_grad():
        logits, values = policy.network()(torch.from_numpy(rows), None)
    np.testing.assert_allclose(logits, hidden @ w["action_head.weight"].T + w["action_head.bias"], atol=1e-5)
    np.testing.assert_allclose(values, hidden @ w["value_head.weight"].T + w["value_head.bias"], atol=1e-5)


def lstm_by_hand(w: dict[str, np.ndarray], rows: np.ndarray) -> np.ndarray:
    """Logits [steps, agents, actions] of observations [steps, agents, tokens, 3], memory starting empty."""
    hidden = cell = np.zeros((rows.shape[1], 128))
    logits = []
    for step in rows:
        seen = np.maximum(step.reshape(len(step), -1) / 255 @ w["_net.0.weight"].T + w["_net.0.bias"], 0)
        seen = seen @ w["_net.2.weight"].T + w["_net.2.bias"]
        gates = seen @ w["_rnn.weight_ih_l0"].T + w["_rnn.bias_ih_l0"]
        gates += hidden @ w["_rnn.weight_hh_l0"].T + w["_rnn.bias_hh_l0"]
        i, f, g, o = np.split(gates, 4, axis=1)
        cell = cell / (1 + np.exp(-f)) + np.tanh(g) / (1 + np.exp(-i))
        hidden = np.tanh(cell) / (1 + np.exp(-o))
        logits.append(hidden @ w["_action_head.weight"].T + w["_action_head.bias"])
    return np.stack(logits)


def test_lstm_remembers_from_step_to_step(plays: Any) -> None:
    network = plays.new_policy("lstm", plays.new_simulation("arena")).network()
    rows = observations(plays)
    expected = lstm_by_hand({key: value.double().numpy() for key, value in network.state_dict().items()}, rows)
    state: dict[str, Any] = {"lstm_h": None, "lstm_c": None}
    with torch.no_grad():
        played = [network.forward_eval(torch.from_numpy(step), state)[0].numpy() for step in rows]
        trained, values = network(torch.from_numpy(rows).transpose(0, 1))
    np.testing.assert_allclose(np.stack(played), expected, atol=1e-5)
    assert state["lstm_h"].shape == state["lstm_c"].shape == (8, 1, 128)
    np.testing.assert_allclose(trained.reshape(8, 3, 5).transpose(0, 1), expected, atol=1e-5)
    assert values.shape == (24, 1)


def test_lstm_takes_small_numbers_as_they_are(plays: Any) -> None:
    network = plays.new_policy("lstm", plays.new_simulation("arena")).network()
    rows = torch.from_numpy(observations(plays)[0])
    with torch.no_grad():
        assert torch.allclose(network(rows)[0], network(rows.float() / 255)[0], atol=1e-6)


def test_puffer_plays_step_by_step_what_it_trains_on_at_once(plays: Any) -> None:
    network = plays.new_policy("puffer", plays.new_simulation("arena")).network()
    rows = torch.from_numpy(observations(plays))
    state: dict[str, Any] = {"lstm_h": None, "lstm_c": None}
    with torch.no_grad():
        played = torch.stack([network.forward_eval(step, state)[0] for step in rows])
        trained, values = network(rows.transpose(0, 1), {"lstm_h": None, "lstm_c": None})
    assert torch.allclose(trained.reshape(8, 3, 5).transpose(0, 1), played, atol=1e-5)
    assert values.shape == (8, 3)
    assert state["lstm_h"].shape == (8, 256)


def test_the_tutorial_network_sees_a_picture_of_the_window(plays: Any) -> None:
    policy = plays.new_policy("tutorial", plays.new_simulation("arena"))
    rows = observations(plays)[0]
    normalization = {feature.id: feature.normalization for feature in policy.policy_env_info.obs_features}
    expected = np.zeros((8, 74, 13, 13))
    for agent, tokens in enumerate(rows):
        for location, feature, value in tokens.tolist():
            if location < 0xFE:  # not about the whole game, and not unused
                expected[agent, feature, location >> 4, location & 15] += value / normalization[feature]
    np.testing.assert_allclose(policy.network()._tokens_to_grid(torch.from_numpy(rows)), expected, atol=1e-5)


@pytest.mark.parametrize(
    ("name", "padding"), [("lstm", (255, 0, 0)), ("puffer", (255, 0, 0)), ("stateless", (255, 255, 255))]
)
def test_an_agent_sees_its_tokens_and_then_padding(
    plays: Any, monkeypatch: pytest.MonkeyPatch, name: str, padding: tuple[int, int, int]
) -> None:
    simulation = plays.new_simulation("arena")
    policy = plays.new_policy(name, simulation)
    shown = []
    forward = policy.network().forward_eval
    monkeypatch.setattr(
        policy.network(), "forward_eval", lambda rows, *rest: shown.append(rows) or forward(rows, *rest)
    )
    observation = simulation.agent(3).observation
    policy.agent_policy(3).step(observation)
    (rows,) = (shown[0].numpy(),)
    count = len(observation.tokens)
    assert rows.shape == (1, 500, 3) and rows.dtype == np.uint8
    assert rows[0, :count].tolist() == observation.token_array().tolist()
    assert set(map(tuple, rows[0, count:].tolist())) == {padding}


@pytest.mark.parametrize("name", SIZES)
def test_weights_go_through_a_file_and_the_same_seed_gives_the_same_actions(
    plays: Any, name: str, tmp_path: Path
) -> None:
    played = []
    for number in range(2):
        simulation = plays.new_simulation("arena", steps=15)
        torch.manual_seed(number)  # other weights each time, but for the file
        policy = plays.new_policy(name, simulation)
        if number == 0:
            policy.save_policy_data(str(tmp_path / "weights.pt"))
        else:
            policy.load_policy_data(str(tmp_path / "weights.pt"))
        torch.manual_seed(5)
        played.append(plays.agents(policy, simulation).actions)
    assert played[0] == played[1]
    assert len({action for step in played[0] for action in step}) == 5


@pytest.mark.parametrize("name", SIZES)
def test_weights_of_another_network_are_refused(plays: Any, name: str, tmp_path: Path) -> None:
    torch.save({"other.weight": torch.zeros(3)}, tmp_path / "weights.pt")
    policy = plays.new_policy(name, plays.new_simulation("arena"))
    with pytest.raises(RuntimeError, match="Missing key"):
        policy.load_policy_data(str(tmp_path / "weights.pt"))


def test_only_recurrent_policies_say_they_are(plays: Any) -> None:
    simulation = plays.new_simulation("arena")
    recurrent = {name for name in SIZES if plays.new_policy(name, simulation).is_recurrent()}
    assert recurrent == {"lstm", "puffer", "tutorial"}


@pytest.mark.parametrize(
    ("shape", "layers", "expected"),
    [
        ((8,), 1, (1, 1, 8)),
        ((4, 8), 1, (1, 4, 8)),
        ((2, 8), 2, (2, 1, 8)),
        ((1, 4, 8), 1, (1, 4, 8)),
        ((4, 1, 8), 1, (1, 4, 8)),
        ((4, 2, 8), 2, (2, 4, 8)),
        ((4, 1, 8), None, (4, 1, 8)),
        ((4, 8), 2, None),
        ((2, 4, 8), 1, None),
        ((1, 1, 4, 8), 1, None),
    ],
)
def test_a_state_is_brought_into_the_shape_of_the_network(
    shape: tuple[int, ...], layers: int | None, expected: tuple[int, ...] | None
) -> None:
    from mettagrid.policy.utils import LSTMState

    tensor = torch.zeros(shape)
    if expected is None:
        with pytest.raises(ValueError, match=r"unexpected layer dimension|dims"):
            LSTMState.from_tuple((tensor, tensor), layers)
    else:
        state = LSTMState.from_tuple((tensor, tensor), layers)
        assert tuple(state.hidden.shape) == tuple(state.cell.shape) == expected


def test_a_state_comes_from_a_tuple_or_a_dict() -> None:
    from mettagrid.policy.utils import LSTMState

    h = torch.arange(32.0).reshape(4, 8)
    assert LSTMState.from_any(None, 1) is None
    assert LSTMState.from_any({"lstm_h": None, "lstm_c": None}, 1) is None
    state = LSTMState.from_any({"lstm_h": h, "lstm_c": h}, 1)
    assert state is not None
    written: dict[str, Any] = {"left over": h}
    state.write_dict(written)
    assert set(written) == {"lstm_h", "lstm_c"} and written["lstm_h"].shape == (4, 1, 8)
    with pytest.raises(TypeError, match="Unsupported LSTM state"):
        LSTMState.from_any([h, h], 1)  # type: ignore[arg-type]
