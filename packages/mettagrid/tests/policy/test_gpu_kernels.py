"""The GPU kernels of networks, run by Triton's interpreter where there is no GPU; without Triton they are skipped.

`scripts/gpu_network.py` checks and measures them on a GPU, in all sizes and precisions.
"""

import os
from typing import Any

import pytest

torch = pytest.importorskip("torch")
if not torch.cuda.is_available():
    os.environ["TRITON_INTERPRET"] = "1"  # read when Triton is imported
pytest.importorskip("triton")

from mettagrid.policy import lstm_triton, sparse_triton  # noqa: E402
from mettagrid.policy._recurrence import _step_by_step  # noqa: E402

from .test_sparse_network import network, observations  # noqa: E402

DEVICE = "cuda" if torch.cuda.is_available() else "cpu"


@pytest.mark.parametrize("size", [16, 12])
@pytest.mark.parametrize("by_rows", [False, True])
def test_the_sum_over_tokens_and_its_gradients_equal_the_gather_form(size: int, by_rows: bool) -> None:
    net = network(embedding_size=size).to(DEVICE)
    buffer = observations(6, tokens=40).to(DEVICE)
    buffer[2] = 255
    rows = torch.tensor([4, 4, 0, 2], device=DEVICE) if by_rows else None
    embeddings = [table.detach().requires_grad_() for table in net._embeddings()]
    tables = (net._kinds, net._magnitudes, net._scales)
    actual = sparse_triton.pooled(buffer, rows, *embeddings, tables, net._own_location, net._memory_feature)
    expected = net._gathered(buffer if rows is None else buffer[rows], *embeddings)
    torch.testing.assert_close(actual, expected, atol=1e-4, rtol=1e-4)
    direction = torch.randn_like(expected)
    gradients = [torch.autograd.grad(sums, embeddings, direction) for sums in (actual, expected)]
    for got, right in zip(*gradients, strict=True):
        torch.testing.assert_close(got, right, atol=1e-3, rtol=1e-3)


@pytest.mark.parametrize("has_resets", [False, True])
def test_the_lstm_over_segments_equals_single_steps(has_resets: bool) -> None:
    size, segments, steps = 16, 19, 4
    lstm = torch.nn.LSTM(size, size, batch_first=True).to(DEVICE)
    inputs = torch.randn(segments, steps, size, device=DEVICE, requires_grad=True)
    memory = [torch.randn(segments, size, device=DEVICE, requires_grad=True) for _ in range(2)]
    resets = torch.rand(segments, steps, device=DEVICE) < 0.3 if has_resets else None
    expected, (_, last) = _step_by_step(lstm, inputs, (memory[0], memory[1]), resets)
    from_inputs = torch.nn.functional.linear(inputs, lstm.weight_ih_l0, lstm.bias_ih_l0 + lstm.bias_hh_l0)
    actual, cells = lstm_triton.lstm_steps(from_inputs, lstm.weight_hh_l0, memory[0], memory[1], resets)
    torch.testing.assert_close(actual, expected, atol=1e-5, rtol=1e-5)
    torch.testing.assert_close(cells[:, -1], last, atol=1e-5, rtol=1e-5)
    leaves: list[Any] = [inputs, *memory, *lstm.parameters()]
    direction = torch.randn_like(expected)
    losses = [(actual * direction).sum() + cells[:, -1].sum(), (expected * direction).sum() + last.sum()]
    gradients = [torch.autograd.grad(loss, leaves) for loss in losses]
    for got, right in zip(*gradients, strict=True):
        torch.testing.assert_close(got, right, atol=1e-4, rtol=1e-4)
