"""The native layers of networks: equal to PyTorch with their gradients, the same bits on any number of threads."""

from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

torch = pytest.importorskip("torch")

from mettagrid import _native  # noqa: E402
from mettagrid.policy._cpu_kernels import draw, has_bfloat16, kernel_settings, linear, lstm_steps, sum_bytes  # noqa: E402
from mettagrid.policy._recurrence import _step_by_step, run_lstm  # noqa: E402
from mettagrid.policy.loader import initialize_or_load_policy  # noqa: E402
from mettagrid.policy.policy_spec import PolicySpec  # noqa: E402

from .test_sparse_network import network, observations  # noqa: E402
from .test_sparse_tokens import FIRST  # noqa: E402

MEMORY = ("lstm_h", "lstm_c")


@pytest.fixture(autouse=True)
def threads() -> Iterator[None]:
    before = torch.get_num_threads()
    torch.manual_seed(5)
    yield
    torch.set_num_threads(before)


def lstm_inputs(segments: int, steps: int, features: int, size: int) -> tuple[Any, list[Any]]:
    lstm = torch.nn.LSTM(features, size, batch_first=True)
    shapes = [(segments, steps, features), (segments, size), (segments, size)]
    return lstm, [torch.randn(shape, requires_grad=True) for shape in shapes]


def distance(got: Any, right: Any) -> float:
    """The size of the difference, as a part of the right result's."""
    return float((got - right).detach().norm() / right.detach().norm().clamp(min=1e-9))


def lstm_results(lstm: Any, leaves: list[Any], resets: Any, run: Any) -> list[Any]:
    """Outputs, last memory, and all gradients of a loss that depends on all of them."""
    inputs, hidden, cell = leaves
    outputs, (last_hidden, last_cell) = run(lstm, inputs, (hidden, cell), resets)
    direction = torch.randn(outputs.shape, generator=torch.Generator().manual_seed(1))
    loss = (outputs * direction).sum() + (last_hidden * direction[:, 0]).sum() + 2 * last_cell.sum()
    return [outputs, last_hidden, last_cell, *torch.autograd.grad(loss, [*leaves, *lstm.parameters()])]


@pytest.mark.parametrize(("segments", "steps", "features", "size"), [(1, 1, 16, 16), (19, 5, 24, 48), (70, 3, 7, 32)])
@pytest.mark.parametrize("has_resets", [False, True])
def test_the_lstm_and_its_gradients_equal_the_loop(
    segments: int, steps: int, features: int, size: int, has_resets: bool
) -> None:
    lstm, leaves = lstm_inputs(segments, steps, features, size)
    resets = torch.rand(segments, steps) < 0.3 if has_resets else None
    expected = lstm_results(lstm, leaves, resets, _step_by_step)
    for got, right in zip(lstm_results(lstm, leaves, resets, run_lstm), expected, strict=True):
        torch.testing.assert_close(got, right, atol=1e-4, rtol=1e-4)


@pytest.mark.parametrize("size", [4, 16])
def test_all_forms_of_the_lstm_equal_that_of_pytorch(size: int) -> None:
    lstm, (inputs, hidden, cell) = lstm_inputs(3, 5, 4, size)
    expected, (_, last) = lstm(inputs, (hidden[None], cell[None]))
    for run in (run_lstm, _step_by_step):
        outputs, (_, last_cell) = run(lstm, inputs, (hidden, cell), None)
        torch.testing.assert_close(outputs, expected, atol=1e-6, rtol=1e-5)
        torch.testing.assert_close(last_cell, last[0], atol=1e-6, rtol=1e-5)


@pytest.mark.parametrize(("segments", "steps", "features", "size"), [(1, 1, 16, 16), (19, 5, 24, 48), (70, 9, 7, 32)])
def test_the_lstm_and_its_gradients_are_nearly_the_same_in_bfloat16(
    segments: int, steps: int, features: int, size: int
) -> None:
    lstm, leaves = lstm_inputs(segments, steps, features, size)
    resets = torch.rand(segments, steps) < 0.3
    exact = lstm_results(lstm, leaves, resets, run_lstm)
    with kernel_settings(1, bfloat16=True):
        rounded = lstm_results(lstm, leaves, resets, run_lstm)
    for got, right in zip(rounded, exact, strict=True):
        assert distance(got, right) < 0.02
    if has_bfloat16() and features % 2 == 0:
        assert not torch.equal(rounded[0], exact[0])


@pytest.mark.parametrize("bfloat16", [False, True])
def test_large_and_missing_numbers_go_through_the_lstm_as_in_pytorch(bfloat16: bool) -> None:
    lstm, (inputs, hidden, cell) = lstm_inputs(4, 1, 16, 16)
    with torch.no_grad(), kernel_settings(1, bfloat16=bfloat16):
        inputs[0], inputs[1], inputs[2] = 1e6, -1e6, torch.nan
        expected, _ = lstm(inputs, (hidden[None], cell[None]))
        outputs, _ = run_lstm(lstm, inputs, (hidden, cell))
    accuracy = 1e-2 if bfloat16 else 1e-6
    torch.testing.assert_close(outputs, expected, atol=accuracy, rtol=1e-5, equal_nan=True)


@pytest.mark.parametrize("bfloat16", [False, True])
def test_missing_numbers_reach_all_gradients_of_the_lstm(bfloat16: bool) -> None:
    lstm, leaves = lstm_inputs(9, 3, 16, 16)
    with torch.no_grad():
        leaves[0][4, 2, 7] = torch.nan
    with kernel_settings(1, bfloat16=bfloat16):
        gradients = lstm_results(lstm, leaves, None, run_lstm)[3:]
    assert all(gradient.isnan().any() for gradient in gradients)


@pytest.mark.parametrize("bfloat16", [False, True])
def test_the_lstm_gives_the_same_bits_on_any_number_of_threads(bfloat16: bool) -> None:
    lstm, leaves = lstm_inputs(70, 6, 40, 32)
    resets = torch.rand(70, 6) < 0.2
    results = []
    for number in (1, 2, 5):
        with kernel_settings(number, bfloat16=bfloat16):
            bias = lstm.bias_ih_l0 + lstm.bias_hh_l0
            outputs, cell = lstm_steps(
                leaves[0], (lstm.weight_ih_l0, lstm.weight_hh_l0), bias, leaves[1], leaves[2], resets
            )
            loss = outputs.square().sum() + cell.sum()
            results.append([outputs, *torch.autograd.grad(loss, [*leaves, *lstm.parameters()])])
    for other in results[1:]:
        assert all(torch.equal(got, right) for got, right in zip(other, results[0], strict=True))


@pytest.mark.parametrize(("batch", "features", "outputs"), [(1, 5, 3), (45, 64, 40), (600, 128, 7)])
@pytest.mark.parametrize("relu", [False, True])
@pytest.mark.parametrize("bfloat16", [False, True])
def test_a_linear_layer_and_its_gradients_equal_those_of_pytorch(
    batch: int, features: int, outputs: int, relu: bool, bfloat16: bool
) -> None:
    layer = torch.nn.Linear(features, outputs)
    inputs, direction = torch.randn(batch, features, requires_grad=True), torch.randn(batch, outputs)
    leaves = (inputs, layer.weight, layer.bias)
    results = []
    for number, exact in ((1, False), (3, False), (2, True)):
        with kernel_settings(number, bfloat16=bfloat16):
            got = linear(*leaves, relu=relu, exact=exact)
            results.append([got, *torch.autograd.grad(got, leaves, direction)])
    expected = layer(inputs).relu() if relu else layer(inputs)
    right = [expected, *torch.autograd.grad(expected, leaves, direction)]
    for got, other, exact, want in zip(*results, right, strict=True):
        assert torch.equal(got, other)
        torch.testing.assert_close(exact, want, atol=1e-4, rtol=1e-4)
        assert distance(got, want) < (0.1 if bfloat16 else 1e-4)  # an output near zero can have the other sign


@pytest.mark.parametrize("width", [8, 24, 80, 150])
def test_the_sum_over_tokens_gives_the_same_bits_on_any_number_of_threads(width: int) -> None:
    net, rows = network(embedding_size=width), observations(50)
    expected = net._gathered(rows, *net._embeddings())
    direction = torch.randn(expected.shape)
    weights = (net.places, net.kinds, net.magnitudes)
    results = []
    for number in (1, 2, 5):
        torch.set_num_threads(number)
        sums = net.pooled(rows)
        results.append([sums, *torch.autograd.grad(sums, weights, direction)])
    torch.testing.assert_close(results[0][0], expected, atol=1e-4, rtol=1e-4)
    for got, right in zip(results[0][1:], torch.autograd.grad(expected, weights, direction), strict=True):
        torch.testing.assert_close(got, right, atol=1e-3, rtol=1e-4)
    for other in results[1:]:
        assert all(torch.equal(got, right) for got, right in zip(other, results[0], strict=True))


@pytest.mark.parametrize("bfloat16", [False, True])
def test_the_first_layer_equals_the_sum_with_bias_and_relu(bfloat16: bool) -> None:
    net, rows = network(embedding_size=96), observations(70)
    weights = (net.places, net.kinds, net.magnitudes, net.bias)
    expected = torch.relu(net._gathered(rows, *net._embeddings()) + net.bias)
    direction = torch.randn(expected.shape)
    right = [expected, *torch.autograd.grad(expected, weights, direction)]
    results = []
    for number in (1, 3):
        with kernel_settings(number, bfloat16=bfloat16):
            got = net._first_layer(rows, None)
            results.append([got, *torch.autograd.grad(got, weights, direction)])
    for one, other, want in zip(*results, right, strict=True):
        assert torch.equal(one, other)
        assert distance(one, want) < (0.1 if bfloat16 else 1e-4)


def test_the_gradients_of_many_observations_equal_those_of_the_reference() -> None:
    net, rows = network(), observations(2500, tokens=12)  # more than are sorted together
    weights = (net.places, net.kinds, net.magnitudes)
    sums, expected = net.pooled(rows), net._gathered(rows, *net._embeddings())
    direction = torch.randn(expected.shape)
    gradients = [torch.autograd.grad(each, weights, direction) for each in (sums, expected)]
    for got, right in zip(*gradients, strict=True):
        torch.testing.assert_close(got, right, atol=2e-3, rtol=1e-4)


def test_observations_are_read_in_place_also_with_gaps_between_them() -> None:
    net, rows = network(), observations(6, tokens=40)
    assert torch.equal(net.pooled(rows[:, :7]), net.pooled(rows[:, :7].contiguous()))
    assert torch.equal(net.pooled(rows[::2]), net.pooled(rows[::2].contiguous()))
    assert torch.equal(net.pooled(rows[:, ::2]), net.pooled(rows[:, ::2].contiguous()))


def reference_of_bytes(rows: Any, padding: tuple[int, int, int]) -> Any:
    numbers = rows.clone()
    numbers[rows[..., 0] == 255] = torch.tensor(padding, dtype=torch.uint8)
    return numbers.flatten(1).float()


@pytest.mark.parametrize(("batch", "width"), [(1, 16), (45, 48), (300, 128)])
def test_the_product_with_bytes_and_its_gradient_equal_those_of_a_linear_layer(batch: int, width: int) -> None:
    rows, weight = observations(batch), torch.randn(width, 60, requires_grad=True)
    rows[0, 3] = 255  # an unused token before used ones
    direction = torch.randn(batch, width)
    results = []
    for number in (1, 3):
        torch.set_num_threads(number)
        sums = sum_bytes(rows, (255, 0, 7), weight)
        results.append([sums, *torch.autograd.grad(sums, weight, direction)])
    expected = reference_of_bytes(rows, (255, 0, 7)) @ weight.T
    torch.testing.assert_close(results[0][0], expected, atol=1e-2, rtol=1e-4)
    torch.testing.assert_close(results[0][1], torch.autograd.grad(expected, weight, direction)[0], atol=5e-2, rtol=1e-4)
    assert all(torch.equal(got, right) for got, right in zip(*results, strict=True))


@pytest.mark.parametrize("rows", [1, 9, 70])
@pytest.mark.parametrize("threads", [1, 3])
def test_a_copy_for_playing_decides_like_the_network(rows: int, threads: int) -> None:
    torch.set_num_threads(threads)
    published = initialize_or_load_policy(FIRST, PolicySpec(class_path="lstm")).network()
    ours = network(embedding_size=40, hidden_size=32, vibes=True, auxiliary=True)
    for net, shape in ((published, (rows, 1, 128)), (ours, (rows, 32))):
        copy = net.playing_copy()
        states = [{name: torch.randn(shape, generator=torch.Generator().manual_seed(1)) for name in MEMORY}]
        states.append(dict(states[0]))
        for seed, tokens in enumerate((20, 12, 7, 0)):
            seen = observations(rows, tokens=20, seed=seed)[:, :tokens]
            with torch.no_grad():
                expected = dict(zip(("logits", "values"), net.forward_eval(seen, states[0]), strict=True))
                outputs = copy(seen, states[1])
            for name, right in expected.items():
                torch.testing.assert_close(outputs[name], right, atol=1e-5, rtol=1e-5)
            for name in MEMORY:
                torch.testing.assert_close(states[1][name], states[0][name], atol=1e-5, rtol=1e-5)
    assert set(outputs) == {"logits", "values", "vibe", "h_values"}
    assert network(hidden_size=12).playing_copy() is None


@pytest.mark.parametrize("vibes", [False, True])
@pytest.mark.parametrize("bfloat16", [False, True])
def test_a_copy_plays_like_its_heads_and_draws(vibes: bool, bfloat16: bool) -> None:
    net, seen = network(embedding_size=64, hidden_size=32, vibes=vibes, auxiliary=True), observations(40)
    with kernel_settings(2, bfloat16=bfloat16), torch.no_grad():
        copy = net.playing_copy()
        state = {name: torch.randn(40, 32) for name in MEMORY}
        before = {name: tensor.clone() for name, tensor in state.items()}
        outputs = copy(seen, before)
        actions, log_probs, values = copy.play(seen, state, torch.Generator().manual_seed(4))
        names = ["logits", *(["vibe"] if vibes else [])]
        width = sum(outputs[name].shape[1] for name in names)
        uniform = torch.rand((40, width), generator=torch.Generator().manual_seed(4))
        expected, first = torch.zeros(40), 0
        for column, name in enumerate(names):
            count, drawn = outputs[name].shape[1], torch.zeros(40, dtype=torch.int64)
            expected += draw(outputs[name], uniform[:, first : first + count].contiguous(), drawn)
            assert torch.equal(actions[:, column], drawn)
            first += count
    torch.testing.assert_close(log_probs, expected, atol=1e-6, rtol=1e-5)
    assert torch.equal(values, outputs["values"][:, 0])
    assert all(torch.equal(state[name], before[name]) for name in MEMORY)
    assert vibes or not actions[:, 1].any()


def test_a_copy_in_bfloat16_decides_like_the_network_in_bfloat16() -> None:
    net, seen = network(embedding_size=64, hidden_size=32), observations(40)
    with torch.no_grad():
        exact = net.heads(seen, {name: torch.zeros(40, 32) for name in MEMORY})
        with kernel_settings(1, bfloat16=True):
            state = {name: torch.zeros(40, 32) for name in MEMORY}
            played = net.playing_copy()(seen, dict(state))
            trained = net.heads(seen, dict(state))
    for name, right in trained.items():
        torch.testing.assert_close(played[name], right, atol=2e-3, rtol=1e-3)
        assert distance(right, exact[name]) < 0.05


@pytest.mark.parametrize("count", [1, 5, 40])
def test_draws_are_those_of_the_largest_logit_plus_noise(count: int) -> None:
    outputs, uniform = 3 * torch.randn(300, count + 2), torch.rand(300, count)
    uniform[0] = 0.0
    logits = outputs[:, 1:-1]  # with gaps between the rows
    drawn = torch.full((300, 2), -1)
    results = []
    for number in (1, 3):
        with kernel_settings(number):
            results.append((draw(logits, uniform, drawn[:, 1]), drawn[:, 1].clone()))
    noise = -(-uniform.double().clamp(min=1e-20).log()).log()
    assert torch.equal(drawn[:, 1], (logits + noise).argmax(1))
    expected = logits.log_softmax(1).gather(1, drawn[:, 1:])[:, 0]
    torch.testing.assert_close(results[0][0], expected, atol=1e-6, rtol=1e-5)
    assert all(torch.equal(got, right) for got, right in zip(*results, strict=True))
    assert (drawn[:, 0] == -1).all()


def test_draws_have_the_probabilities_of_the_softmax() -> None:
    logits = torch.tensor([0.0, 1.0, -1.0, 3.0]).repeat(40_000, 1)
    positions = torch.zeros(len(logits), dtype=torch.int64)
    draw(logits, torch.rand(logits.shape, generator=torch.Generator().manual_seed(1)), positions)
    parts = positions.bincount(minlength=4) / len(positions)
    torch.testing.assert_close(parts, logits[0].softmax(0), atol=0.01, rtol=0)


def test_a_draw_from_missing_numbers_has_no_probability() -> None:
    logits, positions = torch.tensor([[0.0, torch.nan], [torch.nan, 0.0]]), torch.full((2,), -1)
    assert draw(logits, torch.rand(2, 2), positions).isnan().all()
    assert ((positions >= 0) & (positions < 2)).all()


def test_the_kernels_have_threads_of_their_own() -> None:
    torch.set_num_threads(2)
    with pytest.raises(ZeroDivisionError), kernel_settings(3):
        assert torch.get_num_threads() == 1
        raise ZeroDivisionError
    assert torch.get_num_threads() == 2


@pytest.mark.filterwarnings("ignore:The .grad attribute:UserWarning")  # of the compiler itself
@pytest.mark.parametrize("name", ["sparse", "lstm"])
def test_a_compiled_network_equals_itself(name: str) -> None:
    net = initialize_or_load_policy(FIRST, PolicySpec(class_path=name)).network()
    rows = observations(2, 3)

    def results(call: Any) -> list[Any]:
        outputs = call(rows, {"lstm_h": None, "lstm_c": None})
        return [*outputs, *torch.autograd.grad(sum(output.sum() for output in outputs), list(net.parameters()))]

    for got, right in zip(results(torch.compile(net, backend="eager")), results(net), strict=True):
        assert torch.equal(got, right)


def test_shapes_that_do_not_fit_are_refused() -> None:
    kernels = _native.NetworkKernels(1)
    logits, positions = np.zeros((4, 3), np.float32), np.zeros(4, np.int64)
    kernels.draw(logits, logits, positions, np.zeros(4, np.float32))
    with pytest.raises(ValueError, match="the shapes do not fit"):
        kernels.draw(logits, logits[:, :2].copy(), positions, np.zeros(4, np.float32))
    with pytest.raises(ValueError, match="the shapes do not fit"):
        kernels.draw(logits, logits, positions, np.zeros(5, np.float32))
    outputs, actions = np.zeros((4, 6), np.float32), np.zeros((4, 2), np.int64)
    rows = (np.zeros(4, np.float32), np.zeros(4, np.float32))
    kernels.draw_actions(outputs, (0, 3), (3, 2), (5, 1), outputs[:, :5].copy(), actions, *rows)
    for columns in (
        ((0, 3), (3, 2), (6, 1)),
        ((-1, 4), (3, 2), (5, 1)),
        ((0, 3), (3, 1), (5, 1)),
        ((0, 3), (3, 2), (4, 2)),
    ):
        with pytest.raises(ValueError, match="the shapes do not fit"):
            kernels.draw_actions(outputs, *columns, outputs[:, :5].copy(), actions, *rows)
    numbers = np.zeros((2, 16), np.float32)
    with pytest.raises(ValueError, match="the shapes do not fit"):
        kernels.run_linear(numbers, np.zeros((3, 15), np.float32), np.zeros(3, np.float32), False, False, numbers)
    with pytest.raises(ValueError, match="the shapes do not fit"):
        _native.sum_backwards(numbers, numbers[:1], numbers.copy())
    with pytest.raises(ValueError, match="multiple of 32"):
        _native.RoundedEmbeddings(numbers, numbers)
    cube, weight, bias = np.zeros((2, 1, 16), np.float32), np.zeros((64, 16), np.float32), np.zeros(64, np.float32)
    kernels.run_lstm(cube, weight, weight, bias, numbers, numbers, None, cube.copy(), cube.copy(), None)
    with pytest.raises(ValueError, match="the shapes do not fit"):
        kernels.run_lstm(cube, weight, weight, bias[:60], numbers, numbers, None, cube.copy(), cube.copy(), None)
    with pytest.raises(ValueError, match="there is no bfloat16"):
        gates = np.zeros((2, 1, 64), np.uint16)
        kernels.run_lstm(cube, weight, weight, bias, numbers, numbers, None, cube.copy(), cube.copy(), gates)
    with pytest.raises(ValueError, match="float32 or bfloat16"):
        gates = np.zeros((2, 1, 64), np.int32)
        kernels.run_lstm(cube, weight, weight, bias, numbers, numbers, None, cube.copy(), cube.copy(), gates)
    with pytest.raises(ValueError, match="multiple of 16"):
        narrow = np.zeros((48, 12), np.float32)
        kernels.run_lstm(cube, narrow, narrow, bias, numbers, numbers, None, cube.copy(), cube.copy(), None)
    kinds, places = np.zeros(65536, np.int32), np.zeros(512, np.int64)
    columns, scales = np.zeros(256, np.int32), np.zeros(256, np.float32)
    kinds[7] = 3
    tables = _native.TokenTables(kinds, places, columns, scales, 0x66, -1)
    tokens, sums = np.zeros((2, 5, 3), np.uint8), np.zeros((2, 16), np.float32)
    kernels.sum_tokens(tables, tokens, numbers, np.zeros((3, 16), np.float32), numbers, None, sums)
    with pytest.raises(ValueError, match="too few rows"):
        kernels.sum_tokens(tables, tokens, numbers, numbers, numbers, None, sums)
    with pytest.raises(ValueError, match="negative"):
        _native.TokenTables(kinds - 1, places, columns, scales, 0x66, -1)
