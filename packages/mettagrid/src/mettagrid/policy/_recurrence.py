"""Run an LSTM over segments in which episodes may begin; importing this imports PyTorch."""

from __future__ import annotations

from typing import Any

from mettagrid.envs._optional import extra
from mettagrid.policy import _cpu_kernels
from mettagrid.policy._torch import not_compiled

with extra("neural"):
    import torch
    from torch import nn

__all__ = ["run_lstm"]

Memory = tuple[torch.Tensor, torch.Tensor]


def _gpu_kernels() -> Any:
    """Return the module of GPU kernels, or None where there is no GPU or no Triton."""
    if not torch.cuda.is_available():
        return None
    try:
        from mettagrid.policy import lstm_triton
    except ImportError:
        return None
    return lstm_triton


_KERNELS = _gpu_kernels()


def run_lstm(
    lstm: nn.LSTM, inputs: torch.Tensor, before: Memory | None, resets: torch.Tensor | None = None
) -> tuple[torch.Tensor, Memory]:
    """Return the outputs [segments, steps, size] for inputs [segments, steps, features], and the memory after them.

    `lstm` has one layer and `batch_first`. A memory is (hidden, cell), each [segments, size]; None is all zeros. Where
    `resets`, bool [segments, steps], is true, the memory is zeroed before the step.
    """
    if before is None:
        zeros = torch.zeros(len(inputs), lstm.hidden_size, device=inputs.device)
        before = (zeros, zeros)
    if inputs.is_cuda:
        if _KERNELS is not None and lstm.hidden_size in _KERNELS.SIZES:
            return _with_kernels(lstm, inputs, before, resets)
        if resets is None and inputs.shape[1] > 1:
            return _run(lstm, inputs, before)
        return _step_by_step(lstm, inputs, before, resets)
    return _on_cpu(lstm, inputs, before, resets)


@not_compiled
def _on_cpu(
    lstm: nn.LSTM, inputs: torch.Tensor, before: Memory, resets: torch.Tensor | None
) -> tuple[torch.Tensor, Memory]:
    with torch.autocast(inputs.device.type, enabled=False):
        input_weight, hidden_weight, input_bias, hidden_bias = _weights(lstm)
        if lstm.hidden_size % _cpu_kernels.LANES or hidden_weight.dtype != torch.float32:
            return _step_by_step(lstm, inputs.to(hidden_weight.dtype), before, resets)
        hidden, cell = (part.float() for part in before)
        outputs, cell = _cpu_kernels.lstm_steps(
            inputs.float(), (input_weight, hidden_weight), input_bias + hidden_bias, hidden, cell, resets
        )
        return outputs, (outputs[:, -1], cell)


def _run(lstm: nn.LSTM, inputs: torch.Tensor, before: Memory) -> tuple[torch.Tensor, Memory]:
    hidden, cell = (part.to(inputs.dtype)[None].contiguous() for part in before)
    outputs, (hidden, cell) = lstm(inputs, (hidden, cell))
    return outputs, (hidden[0], cell[0])


def _with_kernels(
    lstm: nn.LSTM, inputs: torch.Tensor, before: Memory, resets: torch.Tensor | None
) -> tuple[torch.Tensor, Memory]:
    assert _KERNELS is not None
    from_inputs = _from_inputs(lstm, inputs)
    outputs, cells = _KERNELS.lstm_steps(from_inputs, _weights(lstm)[1].to(from_inputs.dtype), *before, resets)
    return outputs, (outputs[:, -1], cells[:, -1])


def _step_by_step(
    lstm: nn.LSTM, inputs: torch.Tensor, before: Memory, resets: torch.Tensor | None
) -> tuple[torch.Tensor, Memory]:
    """Run without looking at the values of `resets`, which would wait for the device; the cell stays float32."""
    from_inputs, weight = _from_inputs(lstm, inputs), _weights(lstm)[1]
    hidden, cell = before
    outputs = []
    for step in range(inputs.shape[1]):
        if resets is not None:
            hidden, cell = _forget((hidden, cell), resets[:, step])
        gates = from_inputs[:, step] + nn.functional.linear(hidden, weight)
        remember, forget, new, show = gates.float().chunk(4, 1)
        cell = forget.sigmoid() * cell + remember.sigmoid() * new.tanh()
        hidden = show.sigmoid() * cell.tanh()
        outputs.append(hidden)
    return torch.stack(outputs, 1), (hidden, cell)


def _from_inputs(lstm: nn.LSTM, inputs: torch.Tensor) -> torch.Tensor:
    """Return the part of the gates that does not depend on the memory, for all steps at once."""
    weight, _, input_bias, memory_bias = _weights(lstm)
    return nn.functional.linear(inputs, weight, input_bias + memory_bias)


def _weights(lstm: nn.LSTM) -> list[nn.Parameter]:
    """Return the weights from the inputs and from the memory, and their biases."""
    return lstm.all_weights[0]


def _forget(memory: Memory, resets: torch.Tensor) -> Memory:
    """Zero the memory of the segments where `resets`, bool [segments], is true."""
    hidden, cell = memory
    return hidden.masked_fill(resets[:, None], 0.0), cell.masked_fill(resets[:, None], 0.0)
