"""GPU kernels for an LSTM over whole segments, with resets inside; importing this imports Triton.

One program runs 16 segments through all their steps, so a segment costs two launches however long it is.
"""

# mypy: disable-error-code="no-untyped-def"
# The arguments of kernels are pointers on the device, which Python's types do not describe.

from __future__ import annotations

from typing import Any

import torch
import triton
import triton.language as tl

__all__ = ["SIZES", "lstm_steps"]

SIZES = (16, 32, 64, 128)
"""hidden sizes that the kernels support"""
_SEGMENTS = 16
_WARPS = 8
_STAGES = 1  # the weights of one gate at a time fill most of the shared memory


def lstm_steps(
    from_inputs: torch.Tensor,
    weight: torch.Tensor,
    hidden: torch.Tensor,
    cell: torch.Tensor,
    resets: torch.Tensor | None,
) -> tuple[torch.Tensor, torch.Tensor]:
    """Return the outputs and the cells of all steps, each float32 [segments, steps, size].

    `from_inputs` [segments, steps, 4 * size] is the part of the gates that comes from the inputs, biases included;
    `weight` [4 * size, size] is the other one's, of the same type. `hidden` and `cell`, float32 [segments, size], are
    the memory before, and `resets`, bool [segments, steps], zeroes it before a step. All but `resets` may be
    differentiated.
    """
    flags = None if resets is None else resets.to(torch.uint8).contiguous()
    outputs, cells, _ = _Lstm.apply(
        from_inputs.contiguous(), weight.contiguous(), hidden.float().contiguous(), cell.float().contiguous(), flags
    )
    return outputs, cells


def _precision(weight: torch.Tensor) -> str:
    """Return how products are computed: those of float32 exactly, unless PyTorch is allowed to round them."""
    if weight.dtype != torch.float32:
        return "ieee"
    return "tf32" if torch.backends.cuda.matmul.allow_tf32 else "tf32x3"


class _Lstm(torch.autograd.Function):
    @staticmethod
    def forward(
        ctx: Any,
        from_inputs: torch.Tensor,
        weight: torch.Tensor,
        hidden: torch.Tensor,
        cell: torch.Tensor,
        resets: torch.Tensor | None,
    ) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
        segments, steps, size = *from_inputs.shape[:2], weight.shape[1]
        outputs, cells = (hidden.new_empty(segments, steps, size) for _ in range(2))
        gates = torch.empty_like(from_inputs)
        _run_steps[(triton.cdiv(segments, _SEGMENTS),)](
            from_inputs,
            weight,
            hidden,
            cell,
            from_inputs if resets is None else resets,
            outputs,
            cells,
            gates,
            segments,
            steps,
            SIZE=size,
            BLOCK=_SEGMENTS,
            HAS_RESETS=resets is not None,
            PRECISION=_precision(weight),
            num_warps=_WARPS,
            num_stages=_STAGES,
        )
        ctx.save_for_backward(weight, hidden, cell, outputs, cells, gates)
        ctx.resets = resets
        ctx.mark_non_differentiable(gates)
        return outputs, cells, gates

    @staticmethod
    def backward(ctx: Any, of_outputs: torch.Tensor, of_cells: torch.Tensor, _: torch.Tensor) -> Any:
        weight, hidden, cell, outputs, cells, gates = ctx.saved_tensors
        resets = ctx.resets
        segments, steps, size = outputs.shape
        of_gates = torch.empty_like(gates)
        of_hidden, of_cell = torch.empty_like(hidden), torch.empty_like(cell)
        _run_back[(triton.cdiv(segments, _SEGMENTS),)](
            weight,
            cell,
            gates if resets is None else resets,
            cells,
            gates,
            of_outputs.contiguous(),
            of_cells.contiguous(),
            of_gates,
            of_hidden,
            of_cell,
            segments,
            steps,
            SIZE=size,
            BLOCK=_SEGMENTS,
            HAS_RESETS=resets is not None,
            PRECISION=_precision(weight),
            num_warps=_WARPS,
            num_stages=_STAGES,
        )
        before = torch.cat([hidden[:, None], outputs[:, :-1]], 1)
        if resets is not None:
            before = before.masked_fill(resets[..., None] != 0, 0.0)
        flat = of_gates.reshape(-1, 4 * size)
        of_weight = flat.T @ before.reshape(-1, size).to(flat.dtype)
        return of_gates, of_weight, of_hidden, of_cell, None


@triton.jit
def _tanh(numbers):
    return 2.0 * tl.sigmoid(2.0 * numbers) - 1.0


@triton.jit
def _run_steps(
    from_inputs,
    weight,
    hidden_before,
    cell_before,
    resets,
    outputs,
    cells,
    gates,
    segments,
    steps,
    SIZE: tl.constexpr,
    BLOCK: tl.constexpr,
    HAS_RESETS: tl.constexpr,
    PRECISION: tl.constexpr,
):
    segment = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    exists = segment < segments
    column = tl.arange(0, SIZE)
    mask = exists[:, None] & (column >= 0)[None, :]
    memory_at = segment[:, None] * SIZE + column[None, :]
    hidden = tl.load(hidden_before + memory_at, mask=mask, other=0.0)
    cell = tl.load(cell_before + memory_at, mask=mask, other=0.0)
    # Transposed: row k, column n is the weight from memory k to gate n.
    weight_at = weight + column[None, :] * SIZE + column[:, None]
    for step in range(steps):
        if HAS_RESETS:
            is_reset = tl.load(resets + segment * steps + step, mask=exists, other=0)
            keep = (is_reset == 0)[:, None]
            hidden = tl.where(keep, hidden, 0.0)
            cell = tl.where(keep, cell, 0.0)
        position = (segment.to(tl.int64) * steps + step)[:, None]
        gate_at = position * (4 * SIZE) + column[None, :]
        rounded = hidden.to(weight.dtype.element_ty)
        remember = tl.load(from_inputs + gate_at, mask=mask, other=0.0).to(tl.float32)
        remember = tl.sigmoid(remember + tl.dot(rounded, tl.load(weight_at), input_precision=PRECISION))
        forget = tl.load(from_inputs + gate_at + SIZE, mask=mask, other=0.0).to(tl.float32)
        forget_weight = tl.load(weight_at + SIZE * SIZE)
        forget = tl.sigmoid(forget + tl.dot(rounded, forget_weight, input_precision=PRECISION))
        new = tl.load(from_inputs + gate_at + 2 * SIZE, mask=mask, other=0.0).to(tl.float32)
        new_weight = tl.load(weight_at + 2 * SIZE * SIZE)
        new = _tanh(new + tl.dot(rounded, new_weight, input_precision=PRECISION))
        show = tl.load(from_inputs + gate_at + 3 * SIZE, mask=mask, other=0.0).to(tl.float32)
        show_weight = tl.load(weight_at + 3 * SIZE * SIZE)
        show = tl.sigmoid(show + tl.dot(rounded, show_weight, input_precision=PRECISION))
        cell = forget * cell + remember * new
        hidden = show * _tanh(cell)
        tl.store(gates + gate_at, remember, mask=mask)
        tl.store(gates + gate_at + SIZE, forget, mask=mask)
        tl.store(gates + gate_at + 2 * SIZE, new, mask=mask)
        tl.store(gates + gate_at + 3 * SIZE, show, mask=mask)
        step_at = position * SIZE + column[None, :]
        tl.store(cells + step_at, cell, mask=mask)
        tl.store(outputs + step_at, hidden, mask=mask)


@triton.jit
def _run_back(
    weight,
    cell_before,
    resets,
    cells,
    gates,
    of_outputs,
    of_cells,
    of_gates,
    of_hidden_before,
    of_cell_before,
    segments,
    steps,
    SIZE: tl.constexpr,
    BLOCK: tl.constexpr,
    HAS_RESETS: tl.constexpr,
    PRECISION: tl.constexpr,
):
    segment = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    exists = segment < segments
    column = tl.arange(0, SIZE)
    mask = exists[:, None] & (column >= 0)[None, :]
    memory_at = segment[:, None] * SIZE + column[None, :]
    first_cell = tl.load(cell_before + memory_at, mask=mask, other=0.0)
    weight_at = weight + column[:, None] * SIZE + column[None, :]
    of_hidden = tl.zeros([BLOCK, SIZE], tl.float32)
    of_cell = tl.zeros([BLOCK, SIZE], tl.float32)
    for back in range(steps):
        step = steps - 1 - back
        position = (segment.to(tl.int64) * steps + step)[:, None]
        gate_at = position * (4 * SIZE) + column[None, :]
        step_at = position * SIZE + column[None, :]
        remember = tl.load(gates + gate_at, mask=mask, other=0.0).to(tl.float32)
        forget = tl.load(gates + gate_at + SIZE, mask=mask, other=0.0).to(tl.float32)
        new = tl.load(gates + gate_at + 2 * SIZE, mask=mask, other=0.0).to(tl.float32)
        show = tl.load(gates + gate_at + 3 * SIZE, mask=mask, other=0.0).to(tl.float32)
        shown_cell = _tanh(tl.load(cells + step_at, mask=mask, other=0.0))
        has_previous = mask & ((tl.zeros([BLOCK, 1], tl.int32) + step) > 0)
        previous = tl.load(cells + step_at - SIZE, mask=has_previous, other=0.0)
        previous = tl.where(has_previous, previous, first_cell)
        keep = exists[:, None]
        if HAS_RESETS:
            is_reset = tl.load(resets + segment * steps + step, mask=exists, other=0)
            keep = (is_reset == 0)[:, None]
            previous = tl.where(keep, previous, 0.0)

        of_hidden += tl.load(of_outputs + step_at, mask=mask, other=0.0)
        of_cell += tl.load(of_cells + step_at, mask=mask, other=0.0)
        of_cell += of_hidden * show * (1.0 - shown_cell * shown_cell)
        of_remember = (of_cell * new * remember * (1.0 - remember)).to(weight.dtype.element_ty)
        of_forget = (of_cell * previous * forget * (1.0 - forget)).to(weight.dtype.element_ty)
        of_new = (of_cell * remember * (1.0 - new * new)).to(weight.dtype.element_ty)
        of_show = (of_hidden * shown_cell * show * (1.0 - show)).to(weight.dtype.element_ty)
        tl.store(of_gates + gate_at, of_remember, mask=mask)
        tl.store(of_gates + gate_at + SIZE, of_forget, mask=mask)
        tl.store(of_gates + gate_at + 2 * SIZE, of_new, mask=mask)
        tl.store(of_gates + gate_at + 3 * SIZE, of_show, mask=mask)

        of_hidden = tl.dot(of_remember, tl.load(weight_at), input_precision=PRECISION)
        of_hidden += tl.dot(of_forget, tl.load(weight_at + SIZE * SIZE), input_precision=PRECISION)
        of_hidden += tl.dot(of_new, tl.load(weight_at + 2 * SIZE * SIZE), input_precision=PRECISION)
        of_hidden += tl.dot(of_show, tl.load(weight_at + 3 * SIZE * SIZE), input_precision=PRECISION)
        of_hidden = tl.where(keep, of_hidden, 0.0)
        of_cell = tl.where(keep, of_cell * forget, 0.0)
    tl.store(of_hidden_before + memory_at, of_hidden, mask=mask)
    tl.store(of_cell_before + memory_at, of_cell, mask=mask)
