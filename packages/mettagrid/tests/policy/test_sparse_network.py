"""The `sparse` network: equal to a reference token by token, with its gradients, its memory and its files."""

import copy
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

torch = pytest.importorskip("torch")

from mettagrid.policy.policy_env_interface import PolicyEnvInterface  # noqa: E402
from mettagrid.policy.sparse import SparsePolicy  # noqa: E402
from mettagrid.policy.sparse_memory import memory_feature  # noqa: E402
from mettagrid.policy.sparse_network import SparseNetwork  # noqa: E402

from .test_sparse_tokens import FIRST  # noqa: E402

SMALL: dict[str, Any] = {"embedding_size": 8, "hidden_size": 16}


@pytest.fixture(autouse=True)
def one_thread() -> Iterator[None]:
    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    np.random.seed(1)
    yield
    torch.set_num_threads(threads)


def network(interface: PolicyEnvInterface = FIRST, **arguments: Any) -> SparseNetwork:
    made = SparsePolicy(interface, **{**SMALL, **arguments}).network()
    with torch.no_grad():
        for parameter in made.parameters():  # heads start near zero, which would hide differences
            parameter += 0.3 * torch.randn(parameter.shape, generator=torch.Generator().manual_seed(3))
    return made


def observations(*shape: int, tokens: int = 20, seed: int = 0) -> Any:
    """Random tokens, garbage included: unknown features, cells outside of the window; used ones come first."""
    generator = np.random.default_rng(seed)
    array = generator.integers(0, 255, (*shape, tokens, 3), dtype=np.uint8)
    known = generator.random((*shape, tokens)) < 0.7
    array[..., 1] = np.where(known, array[..., 1] % 7, array[..., 1])
    array[..., 1] = np.where(generator.random((*shape, tokens)) < 0.2, memory_feature(FIRST), array[..., 1])
    array[..., 0] = np.where(generator.random((*shape, tokens)) < 0.3, 0xFE, array[..., 0])
    array[..., 0] = np.where(generator.random((*shape, tokens)) < 0.2, 0x66, array[..., 0])
    counts = generator.integers(0, tokens + 1, shape)
    array[np.arange(tokens) >= counts[..., None]] = 255
    return torch.from_numpy(array)


def reference(net: SparseNetwork, rows: Any) -> Any:
    """The sums, token by token, from the definition."""
    sums = []
    for tokens in rows.tolist():
        total = torch.zeros(net.bias.shape)
        for location, feature, value in tokens:
            far = 256 * (feature == net._memory_feature)
            kind, place = int(net._kinds[feature * 256 + value]), int(net._places[location + far])
            if location == 255:
                continue
            if kind and place < len(net.places):
                total = total + net.places[place] * net.kinds[kind - 1]
            if location in (0xFE, 0x66):
                total = total + value * net._scales[feature] * net.magnitudes[int(net._magnitudes[feature])]
        sums.append(total)
    return torch.stack(sums)


FORMS = ["pooled", "gathered"]


def form(net: SparseNetwork, name: str, rows: Any) -> Any:
    return net.pooled(rows) if name == "pooled" else net._gathered(rows, *net._embeddings())


@pytest.mark.parametrize("name", FORMS)
def test_the_sum_over_tokens_and_its_gradients_equal_the_definition(name: str) -> None:
    net, rows = network(), observations(9)
    direction = torch.randn(9, 8)
    weights = (net.places, net.kinds, net.magnitudes)
    expected, actual = reference(net, rows), form(net, name, rows)
    torch.testing.assert_close(actual, expected, atol=1e-5, rtol=1e-5)
    for got, right in zip(
        torch.autograd.grad(actual, weights, direction), torch.autograd.grad(expected, weights, direction), strict=True
    ):
        torch.testing.assert_close(got, right, atol=1e-5, rtol=1e-5)


@settings(max_examples=40, deadline=None)
@given(st.lists(st.lists(st.tuples(*[st.integers(0, 255)] * 3), max_size=6), min_size=1, max_size=4))
def test_any_bytes_are_accepted(tokens: list[list[tuple[int, int, int]]]) -> None:
    net = network()
    rows = torch.full((len(tokens), 8, 3), 255, dtype=torch.uint8)
    for row, used in zip(rows, tokens, strict=True):
        for position, token in enumerate(used):
            row[position] = torch.tensor(token)
    expected = reference(net, rows)
    for name in FORMS:
        torch.testing.assert_close(form(net, name, rows), expected, atol=1e-4, rtol=1e-4)
    logits, values = net(rows, {})
    assert torch.isfinite(logits).all() and torch.isfinite(values).all()


def test_500_used_tokens_and_none_at_all_are_observations_too() -> None:
    net = network()
    for rows in (observations(2, tokens=500), torch.full((3, 500, 3), 255, dtype=torch.uint8), observations(2)[:, :0]):
        torch.testing.assert_close(net.pooled(rows), reference(net, rows), atol=1e-3, rtol=1e-4)
    assert net.pooled(observations(4)[:0]).shape == (0, 8)
    with torch.no_grad():
        net.pooled(torch.full((3, 5, 3), 255, dtype=torch.uint8)).sum()
    net.pooled(torch.full((3, 5, 3), 255, dtype=torch.uint8)).sum().backward()
    assert net.kinds.grad is not None and not net.kinds.grad.any()


def test_sums_without_gradients_are_the_same_numbers() -> None:
    net, rows = network(), observations(200)
    with torch.no_grad():
        sums = net.pooled(rows)
    assert torch.equal(sums, net.pooled(rows))


def test_padding_changes_nothing() -> None:
    net, rows = network(), observations(3, 4)
    longer = torch.nn.functional.pad(rows, (0, 0, 0, 30), value=255)
    for given_rows in (rows, longer):
        torch.testing.assert_close(net(given_rows, {})[0], net(rows, {})[0], atol=1e-6, rtol=0)


def test_rows_of_a_buffer_are_the_observations() -> None:
    net, buffer = network(), observations(5, 6)
    rows = torch.tensor([[3, 29, 3], [0, 7, 12]])
    expected = net(buffer.flatten(0, 1)[rows], {})
    for got, right in zip(net(buffer, {}, rows=rows), expected, strict=True):
        torch.testing.assert_close(got, right)


def test_the_memory_goes_from_call_to_call() -> None:
    net, rows = network(), observations(3, 7)
    state: dict[str, Any] = {"lstm_h": None, "lstm_c": None}
    whole, values = net(rows, state)
    assert whole.shape == (21, 2) and values.shape == (21, 1) and state["lstm_h"].shape == (3, 16)
    one_by_one: dict[str, Any] = {"lstm_h": None, "lstm_c": None}
    played = torch.stack([net.forward_eval(rows[:, step], one_by_one)[0] for step in range(7)], 1)
    torch.testing.assert_close(played.flatten(0, 1), whole, atol=1e-5, rtol=1e-5)
    torch.testing.assert_close(one_by_one["lstm_c"], state["lstm_c"], atol=1e-5, rtol=1e-5)
    two: dict[str, Any] = {}
    parts = [net(rows[:, :4], two)[0].reshape(3, 4, -1), net(rows[:, 4:], two)[0].reshape(3, 3, -1)]
    torch.testing.assert_close(torch.cat(parts, 1).flatten(0, 1), whole, atol=1e-5, rtol=1e-5)


def naive(net: Any, rows: Any, state: dict[str, Any], resets: Any) -> Any:
    """Step by step, with the memory zeroed by hand."""
    logits = []
    for step in range(rows.shape[1]):
        for name in ("lstm_h", "lstm_c"):
            keep = (~resets[:, step]).float().reshape(-1, *[1] * (state[name].ndim - 1))
            state[name] = state[name] * keep
        logits.append(net.forward_eval(rows[:, step], state)[0])
    return torch.stack(logits, 1).flatten(0, 1)


def test_a_reset_inside_a_segment_starts_a_new_episode_there() -> None:
    net, rows = network(), observations(1, 6)
    resets = torch.zeros(1, 6, dtype=torch.bool)
    resets[0, 4] = True
    together, _ = net(rows, {"resets": resets})
    separate = torch.cat([net(rows[:, :4], {})[0], net(rows[:, 4:], {})[0]])
    torch.testing.assert_close(together, separate, atol=1e-6, rtol=1e-6)


@pytest.mark.parametrize("chance", [0.0, 0.05, 0.4, 1.0])
def test_resets_give_the_logits_and_gradients_of_single_steps(chance: float) -> None:
    net, rows = network(), observations(8, 6)
    resets = torch.rand(8, 6, generator=torch.Generator().manual_seed(2)) < chance
    memory = {name: torch.randn(8, 16, requires_grad=True) for name in ("lstm_h", "lstm_c")}
    state = dict(memory)
    logits, _ = net(rows, {**state, "resets": resets})
    expected = naive(net, rows, dict(memory), resets)
    torch.testing.assert_close(logits, expected, atol=1e-5, rtol=1e-5)
    parameters = [*net.lstm.parameters(), net.kinds, *memory.values()]
    direction = torch.randn(logits.shape)
    for got, right in zip(
        torch.autograd.grad(logits, parameters, direction),
        torch.autograd.grad(expected, parameters, direction),
        strict=True,
    ):
        torch.testing.assert_close(got, right, atol=1e-4, rtol=1e-4)


def test_all_heads_have_their_outputs() -> None:
    net = network(vibes=True, phrases=["help", "follow me"], auxiliary=True)
    outputs = net.heads(observations(3, 2), {})
    shapes = {name: tuple(tensor.shape) for name, tensor in outputs.items()}
    assert shapes == {"logits": (6, 2), "values": (6, 1), "vibe": (6, 3), "talk": (6, 3), "h_values": (6, 1)}
    assert set(network().heads(observations(1), None)) == {"logits", "values"}


def test_bfloat16_gives_nearly_the_same() -> None:
    net, rows = network(), observations(4, 5)
    exact, _ = net(rows, {})
    with torch.autocast("cpu", torch.bfloat16):
        rounded, _ = net(rows, {"resets": torch.rand(4, 5) < 0.0})
    torch.testing.assert_close(rounded.float(), exact, atol=0.2, rtol=0.1)
    rounded.float().sum().backward()
    assert all(parameter.grad is not None for name, parameter in net.named_parameters() if "value" not in name)


def test_a_new_network_starts_with_sensible_sizes() -> None:
    net = SparsePolicy(FIRST).network()
    assert net.hidden_size == 128
    rows = observations(64, tokens=46)
    rows[..., 0] = torch.where(rows[..., 0] == 255, 0x33, rows[..., 0])
    pooled = net.pooled(rows).detach()
    assert 0.2 < float(pooled.std()) < 5.0
    logits, _ = net(rows, {})
    assert float(logits.detach().abs().max()) < 0.1, "actions are nearly equally likely"
    assert net.lstm.bias_ih_l0[128:256].eq(1).all()


def test_a_network_can_be_copied_and_its_state_dict_is_float_weights_only() -> None:
    net = network()
    other = copy.deepcopy(net)
    rows = observations(2)
    torch.testing.assert_close(other(rows, {})[0], net(rows, {})[0])
    shapes = {name: tuple(tensor.shape) for name, tensor in net.state_dict().items()}
    assert shapes["places"] == (480, 8) and shapes["lstm.weight_hh_l0"] == (64, 16)
    assert set(shapes) == {name for name, _ in net.named_parameters()}


@pytest.mark.parametrize("suffix", [".pt", ".safetensors"])
def test_weights_go_through_a_file(tmp_path: Path, suffix: str) -> None:
    policy, other = SparsePolicy(FIRST, **SMALL), SparsePolicy(FIRST, **SMALL)
    net, path, rows = policy.network(), str(tmp_path / f"weights{suffix}"), observations(4)
    policy.save_policy_data(path)
    before, _ = other.network()(rows, {})
    other.load_policy_data(path)
    after, _ = other.network()(rows, {})
    torch.testing.assert_close(after, net(rows, {})[0])
    assert not torch.allclose(before, after)


@pytest.mark.parametrize("dtype", [torch.float16, torch.bfloat16])
def test_half_precision_files_are_widened(tmp_path: Path, dtype: Any) -> None:
    policy, path = SparsePolicy(FIRST, **SMALL), tmp_path / "weights.pt"
    halves = {name: tensor.to(dtype) for name, tensor in policy.network().state_dict().items()}
    torch.save(halves, path)
    policy.load_policy_data(str(path))
    loaded = policy.network().state_dict()
    assert all(tensor.dtype == torch.float32 for tensor in loaded.values())
    torch.testing.assert_close(loaded["kinds"], halves["kinds"].float())


def test_the_optimizer_moves_every_weight() -> None:
    net, rows = network(auxiliary=True, vibes=True), observations(6, 5)
    before = {name: tensor.clone() for name, tensor in net.state_dict().items()}
    optimizer = torch.optim.SGD(net.parameters(), 0.1)
    outputs = net.heads(rows, {})
    sum((tensor * torch.randn(tensor.shape)).sum() for tensor in outputs.values()).backward()
    optimizer.step()
    assert all(not torch.equal(before[name], tensor) for name, tensor in net.state_dict().items())


@pytest.mark.parametrize("sizes", [(8, 16), (48, 16)])
def test_initial_layers_are_orthogonal(sizes: tuple[int, int]) -> None:
    net = SparsePolicy(FIRST, embedding_size=sizes[0], hidden_size=sizes[1]).network()
    for weight, gain in ((net.encoder.weight, 2.0), (net.lstm.weight_hh_l0, 1.0), (net.value.weight, 1.0)):
        rows, columns = weight.shape
        products = weight @ weight.T if rows <= columns else weight.T @ weight
        torch.testing.assert_close(products, gain * torch.eye(min(rows, columns)), atol=1e-6, rtol=0)
