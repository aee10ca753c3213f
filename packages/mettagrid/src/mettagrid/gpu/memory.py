"""The memory of a batch on its device: worlds, working memory, arrays and the pool of maps."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch

from mettagrid import _native
from mettagrid._native import Map
from mettagrid.compiler import Program
from mettagrid.gpu.errors import GpuOutOfMemory
from mettagrid.gpu.tables import Tables

__all__ = ["Memory"]

UNUSED = 255  # all bytes of an unused token


@dataclass(frozen=True)
class _Sizes:
    """Bytes or words from one world, or one map, to the next."""

    block_bytes: int
    arena_words: int
    scratch_bytes: int

    @classmethod
    def of(cls, maps: Sequence[Map]) -> "_Sizes":
        most_slots = max(built._slots for built in maps)
        return cls(
            block_bytes=_rounded(max(built.world_bytes for built in maps)),
            arena_words=_rounded(4 * _native.gpu_arena_words(most_slots)) // 4,
            scratch_bytes=_native.gpu_scratch_bytes(),
        )


class Memory:
    """All tensors of a batch, and their addresses as the kernels take them (`fields`)."""

    def __init__(
        self, program: Program, tables: Tables, maps: Sequence[Map], worlds: int, device: torch.device
    ) -> None:
        agents, tokens, sizes = maps[0]._agents, program.num_tokens, _Sizes.of(maps)
        rows = worlds * agents
        program_bytes, world_bytes = _native.gpu_view_bytes()
        sceneries = [built._scenery() for built in maps]
        scenery_bytes = _rounded(max(map(len, sceneries)))
        self.device = device
        self._shapes: dict[str, tuple[tuple[int, ...], torch.dtype]] = {
            "blocks": ((worlds, sizes.block_bytes), torch.uint8),
            "scratch": ((worlds, sizes.scratch_bytes), torch.uint8),
            "arenas": ((worlds, sizes.arena_words), torch.int32),
            "images": ((len(maps), sizes.block_bytes), torch.uint8),
            "sceneries": ((len(maps), scenery_bytes), torch.uint8),
            "observations": ((rows, tokens, 3), torch.uint8),
            "rewards": ((rows,), torch.float32),
            "terminals": ((rows,), torch.bool),
            "truncations": ((rows,), torch.bool),
            "actions": ((rows,), torch.int32),
            "vibe_actions": ((rows,), torch.int32),
            "tables": ((program_bytes,), torch.uint8),
            "views": ((worlds, world_bytes), torch.uint8),
            "heads": ((rows, 4), torch.int32),
            "written": ((rows,), torch.int32),
            "due": ((worlds,), torch.uint8),
            "seeds": ((worlds,), torch.int32),
            "episodes": ((worlds,), torch.int64),
            "taken": ((worlds,), torch.int64),
            "map_of": ((worlds,), torch.int32),
            "faults": ((worlds, 3), torch.int32),
            "hashes": ((worlds,), torch.int64),
            "sums": ((rows,), torch.float32),
        }
        self.tensors = self._allocated(worlds)
        for number, built in enumerate(maps):
            for name, block in (("images", built._image()), ("sceneries", sceneries[number])):
                data = torch.frombuffer(bytearray(block), dtype=torch.uint8)
                self.tensors[name][number, : len(data)] = data.to(device)
        self.tensors["observations"].fill_(UNUSED)
        primary, vibes = tables.action_choices()
        for name, numbers in {"words": tables.words, "primary": primary, "vibes": vibes}.items():
            self.tensors[name] = torch.from_numpy(numbers).to(device)
        # A kernel writes to it and the host reads it without waiting.
        self.failed = torch.zeros(1, dtype=torch.int32, pin_memory=device.type == "cuda")
        self.tensors["failed"] = self.failed
        self.numbers = {
            "worlds": worlds,
            "agents": agents,
            "tokens": tokens,
            "maps": len(maps),
            "image_bytes": sizes.block_bytes,
            "scenery_bytes": scenery_bytes,
            "block_bytes": sizes.block_bytes,
            "arena_words": sizes.arena_words,
            "primary_count": len(primary),
            "vibe_count": len(vibes),
        }

    @property
    def bytes(self) -> int:
        return sum(tensor.numel() * tensor.element_size() for tensor in self.tensors.values())

    def fields(self, **numbers: int) -> np.ndarray:
        """Return the struct that the kernels take: int64, in the order of the native module."""
        known = self.numbers | numbers | {name: tensor.data_ptr() for name, tensor in self.tensors.items()}
        return np.array([known[name] for name in _native.gpu_batch_fields()], np.int64)

    def _allocated(self, worlds: int) -> dict[str, Any]:
        needed = sum(_bytes(shape, kind) for shape, kind in self._shapes.values())
        try:
            return {
                name: torch.zeros(shape, dtype=kind, device=self.device) for name, (shape, kind) in self._shapes.items()
            }
        except (torch.OutOfMemoryError, MemoryError, RuntimeError) as error:
            if isinstance(error, RuntimeError) and "memory" not in str(error):
                raise
            free = ""
            if self.device.type == "cuda":
                free = f", which has {torch.cuda.mem_get_info(self.device)[0] / 1e9:.1f} GB free"
            raise GpuOutOfMemory(
                f"{worlds} worlds need {needed / 1e9:.1f} GB of memory on {self.device}{free}; use fewer worlds."
            ) from None


def _rounded(size: int) -> int:
    return (size + 127) // 128 * 128


def _bytes(shape: tuple[int, ...], kind: torch.dtype) -> int:
    return int(np.prod(shape)) * kind.itemsize
