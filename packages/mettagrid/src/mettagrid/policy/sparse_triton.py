"""GPU kernels for the sum over the used tokens of an observation; importing this imports Triton.

One program reads one observation, 32 tokens at a time, and stops at its last used token.
"""

# mypy: disable-error-code="no-untyped-def"
# The arguments of kernels are pointers on the device, which Python's types do not describe.

from __future__ import annotations

from typing import Any

import torch
import triton
import triton.language as tl

__all__ = ["pooled"]

_BLOCK = 32  # tokens at a time
_SCAN = 256  # locations at a time, to count the used tokens
_COPIES = 8  # of the gradients: programs that add to the same row at the same time wait for each other
_WARPS = 4


def pooled(
    observations: torch.Tensor,
    rows: torch.Tensor | None,
    places: torch.Tensor,
    kinds: torch.Tensor,
    magnitudes: torch.Tensor,
    tables: tuple[torch.Tensor, torch.Tensor, torch.Tensor],
    own_location: int,
    memory_feature: int,
) -> torch.Tensor:
    """Return the sums over the used tokens, float32 [batch, d]; differentiable in the three embeddings.

    `observations` is uint8 [buffer, tokens, 3], in which used tokens come first. `rows`, int64 [batch], selects from
    it; None is all of it. `places` float32 [512, d] is by location, and by 256 + location for tokens of
    `memory_feature`; `kinds` float32 [kinds, d] by kind, `magnitudes` float32 [magnitudes, d] by column. `tables` are
    the kinds int32 [65536] by feature * 256 + value, the columns int32 [256] and the scales float32 [256] by feature.
    """
    result: torch.Tensor = _Pooled.apply(
        observations.contiguous(),
        rows,
        places.contiguous(),
        kinds.contiguous(),
        magnitudes.contiguous(),
        *tables,
        own_location,
        memory_feature,
    )
    return result


class _Pooled(torch.autograd.Function):
    @staticmethod
    def forward(
        ctx: Any,
        observations: torch.Tensor,
        rows: torch.Tensor | None,
        places: torch.Tensor,
        kinds: torch.Tensor,
        magnitudes: torch.Tensor,
        kind_of: torch.Tensor,
        column_of: torch.Tensor,
        scale_of: torch.Tensor,
        own_location: int,
        memory_feature: int,
    ) -> torch.Tensor:
        batch = len(observations) if rows is None else len(rows)
        width = places.shape[1]
        out = places.new_empty(batch, width)
        has_rows = rows is not None
        index = observations if rows is None else rows
        if batch:
            _sum_tokens[(batch,)](
                observations,
                index,
                places,
                kinds,
                magnitudes,
                kind_of,
                column_of,
                scale_of,
                out,
                observations.shape[1],
                own_location,
                memory_feature,
                D=width,
                WIDTH=triton.next_power_of_2(width),
                HAS_ROWS=has_rows,
                BLOCK=_BLOCK,
                SCAN=_SCAN,
                num_warps=_WARPS,
            )
        ctx.save_for_backward(observations, index, places, kinds, magnitudes, kind_of, column_of, scale_of)
        ctx.has_rows, ctx.own_location, ctx.memory_feature = has_rows, own_location, memory_feature
        return out

    @staticmethod
    def backward(ctx: Any, gradient: torch.Tensor) -> Any:
        observations, index, places, kinds, magnitudes, kind_of, column_of, scale_of = ctx.saved_tensors
        embeddings = (places, kinds, magnitudes)
        gradients = [table.new_zeros(_COPIES, *table.shape) for table in embeddings]
        width = places.shape[1]
        if len(gradient):
            _spread_gradient[(len(gradient),)](
                observations,
                index,
                places,
                kinds,
                kind_of,
                column_of,
                scale_of,
                gradient.contiguous(),
                *gradients,
                observations.shape[1],
                ctx.own_location,
                ctx.memory_feature,
                len(places),
                len(kinds),
                len(magnitudes),
                D=width,
                WIDTH=triton.next_power_of_2(width),
                HAS_ROWS=ctx.has_rows,
                BLOCK=_BLOCK,
                SCAN=_SCAN,
                COPIES=_COPIES,
                num_warps=_WARPS,
            )
        return None, None, *(copies.sum(0) for copies in gradients), None, None, None, None, None


@triton.jit
def _first_byte(observations, index, tokens, HAS_ROWS: tl.constexpr):
    """Return the pointer to the observation of this program."""
    row = tl.program_id(0).to(tl.int64)
    if HAS_ROWS:
        row = tl.load(index + row).to(tl.int64)
    return observations + row * tokens * 3


@triton.jit
def _count_used(first, tokens, SCAN: tl.constexpr):
    """Return the number of used tokens."""
    counts = tl.zeros([SCAN], tl.int32)
    for start in range(0, tokens, SCAN):
        token = start + tl.arange(0, SCAN)
        location = tl.load(first + token * 3, mask=token < tokens, other=255).to(tl.int32)
        counts += (location != 255).to(tl.int32)
    return tl.sum(counts, axis=0)


@triton.jit
def _sum_tokens(
    observations,
    index,
    places,
    kinds,
    magnitudes,
    kind_of,
    column_of,
    scale_of,
    out,
    tokens,
    own_location,
    memory_feature,
    D: tl.constexpr,
    WIDTH: tl.constexpr,
    HAS_ROWS: tl.constexpr,
    BLOCK: tl.constexpr,
    SCAN: tl.constexpr,
):
    first = _first_byte(observations, index, tokens, HAS_ROWS)
    count = _count_used(first, tokens, SCAN)
    column = tl.arange(0, WIDTH)
    in_row = (column < D)[None, :]
    total = tl.zeros([WIDTH], tl.float32)
    for start in range(0, count, BLOCK):
        token = start + tl.arange(0, BLOCK)
        is_used = token < count
        location = tl.load(first + token * 3, mask=is_used, other=255).to(tl.int32)
        feature = tl.load(first + token * 3 + 1, mask=is_used, other=0).to(tl.int32)
        value = tl.load(first + token * 3 + 2, mask=is_used, other=0).to(tl.int32)
        kind = tl.load(kind_of + feature * 256 + value, mask=is_used, other=0)
        used_row = is_used[:, None] & in_row
        place = location + 256 * (feature == memory_feature).to(tl.int32)
        place_row = tl.load(places + place[:, None] * D + column[None, :], mask=used_row, other=0.0)
        kind_row = tl.load(kinds + kind[:, None] * D + column[None, :], mask=used_row, other=0.0)

        is_own = is_used & ((location == 254) | (location == own_location))
        amount = value.to(tl.float32) * tl.load(scale_of + feature, mask=is_own, other=0.0)
        magnitude = tl.load(column_of + feature, mask=is_own, other=0)
        own_row = (amount != 0.0)[:, None] & in_row
        amount_row = tl.load(magnitudes + magnitude[:, None] * D + column[None, :], mask=own_row, other=0.0)
        total += tl.sum(place_row * kind_row + amount_row * amount[:, None], axis=0)
    tl.store(out + tl.program_id(0).to(tl.int64) * D + column, total, mask=column < D)


@triton.jit
def _spread_gradient(
    observations,
    index,
    places,
    kinds,
    kind_of,
    column_of,
    scale_of,
    gradient,
    place_gradients,
    kind_gradients,
    magnitude_gradients,
    tokens,
    own_location,
    memory_feature,
    num_places,
    num_kinds,
    num_magnitudes,
    D: tl.constexpr,
    WIDTH: tl.constexpr,
    HAS_ROWS: tl.constexpr,
    BLOCK: tl.constexpr,
    SCAN: tl.constexpr,
    COPIES: tl.constexpr,
):
    first = _first_byte(observations, index, tokens, HAS_ROWS)
    count = _count_used(first, tokens, SCAN)
    program = tl.program_id(0)
    copy = program % COPIES
    place_gradients += copy * num_places * D
    kind_gradients += copy * num_kinds * D
    magnitude_gradients += copy * num_magnitudes * D
    column = tl.arange(0, WIDTH)
    in_row = (column < D)[None, :]
    of_sum = tl.load(gradient + program.to(tl.int64) * D + column, mask=column < D, other=0.0)[None, :]
    for start in range(0, count, BLOCK):
        token = start + tl.arange(0, BLOCK)
        is_used = token < count
        location = tl.load(first + token * 3, mask=is_used, other=255).to(tl.int32)
        feature = tl.load(first + token * 3 + 1, mask=is_used, other=0).to(tl.int32)
        value = tl.load(first + token * 3 + 2, mask=is_used, other=0).to(tl.int32)
        kind = tl.load(kind_of + feature * 256 + value, mask=is_used, other=0)
        used_row = is_used[:, None] & in_row
        place = location + 256 * (feature == memory_feature).to(tl.int32)
        place_at = place[:, None] * D + column[None, :]
        kind_at = kind[:, None] * D + column[None, :]
        place_row = tl.load(places + place_at, mask=used_row, other=0.0)
        kind_row = tl.load(kinds + kind_at, mask=used_row, other=0.0)
        tl.atomic_add(place_gradients + place_at, of_sum * kind_row, mask=used_row, sem="relaxed")
        tl.atomic_add(kind_gradients + kind_at, of_sum * place_row, mask=used_row, sem="relaxed")

        is_own = is_used & ((location == 254) | (location == own_location))
        amount = value.to(tl.float32) * tl.load(scale_of + feature, mask=is_own, other=0.0)
        magnitude = tl.load(column_of + feature, mask=is_own, other=0)
        own_row = (amount != 0.0)[:, None] & in_row
        magnitude_at = magnitude[:, None] * D + column[None, :]
        tl.atomic_add(magnitude_gradients + magnitude_at, of_sum * amount[:, None], mask=own_row, sem="relaxed")
