"""Run an LSTM over segments in which episodes may begin; importing this imports PyTorch."""

from __future__ import annotations

from typing import Any

from mettagrid.envs._optional import extra

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


@torch.compiler.disable  # it looks at the values of `resets`, and the fused LSTM is fast already
def _on_cpu(
    lstm: nn.LSTM, inputs: torch.Tensor, before: Memory, resets: torch.Tensor | None
) -> tuple[torch.Tensor, Memory]:
    # Autocast has no rule for the LSTM of the CPU, which needs its inputs in the type of its weights.
    with torch.autocast(inputs.device.type, enabled=False):
        inputs = inputs.to(_weights(lstm)[1].dtype)
        if resets is None:
            return _run(lstm, inputs, before)
        before = _forget(before, resets[:, 0])
        has_reset = resets[:, 1:].any(1)
        groups = [group for group in (has_reset.logical_not().nonzero()[:, 0], has_reset.nonzero()[:, 0]) if len(group)]
        if len(groups) < 2:
            return _in_parts(lstm, inputs, before, resets)
        # Segments without a reset inside, usually nearly all, take the fused LSTM in one piece.
        results = [_in_parts(lstm, inputs[rows], (before[0][rows], before[1][rows]), resets[rows]) for rows in groups]
        order = torch.cat(groups).argsort()
        flat = [(out, *after) for out, after in results]
        outputs, hidden, cell = (torch.cat(parts)[order] for parts in zip(*flat, strict=True))
        return outputs, (hidden, cell)


def _in_parts(lstm: nn.LSTM, inputs: torch.Tensor, before: Memory, resets: torch.Tensor) -> tuple[torch.Tensor, Memory]:
    """Run the fused LSTM from each step at which any segment resets to the next one; step 0 is done already."""
    ends = [step for step, is_reset in enumerate(resets.any(0).tolist()) if is_reset and step > 0]
    outputs = []
    for start, end in zip([0, *ends], [*ends, inputs.shape[1]], strict=True):
        if start:
            before = _forget(before, resets[:, start])
        out, before = _run(lstm, inputs[:, start:end], before)
        outputs.append(out)
    return (outputs[0] if len(outputs) == 1 else torch.cat(outputs, 1)), before


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
