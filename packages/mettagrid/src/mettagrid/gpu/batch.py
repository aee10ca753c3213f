"""Step many worlds of one game on a GPU, with the interface of `mettagrid.batch.Batch`."""

import ctypes
from collections.abc import Callable, Iterable, Sequence
from operator import index
from types import TracebackType
from typing import Any, Literal, Self

import numpy as np
import torch

from mettagrid import _native
from mettagrid._native import Map
from mettagrid.compiler import Program
from mettagrid.gpu.driver import open_kernels
from mettagrid.gpu.memory import Memory
from mettagrid.gpu.tables import Tables
from mettagrid.map_pool import MapPool
from mettagrid.mettagrid_c import _BUFFER_TYPES, MettaGrid

__all__ = ["Batch"]

NEXT, STARTS_OVER = _native.gpu_due()
RULES_THREADS, RULES_WORLDS = 128, 32  # per block
OBSERVE_THREADS = 256
BEGIN_BLOCKS = 1024
ROW_THREADS = 128


class Batch:
    """Step many worlds of one program together; everything stays on the GPU.

    `maps` is one map for all worlds, a map per world, maps to choose from with `map_of` (their numbers, by world), or a
    `MapPool`, whose maps are all built and copied to the GPU first. There is a world for each of the `seeds`. The
    agents of all worlds lie world by world in tensors on the device: `observations` uint8 [agents, tokens, 3],
    `terminals` and `truncations` bool [agents], `rewards` float32 [agents], `actions` and `vibe_actions` int32
    [agents]. They belong to the batch, which reads the actions and writes the rest in order with the other work on the
    current stream of PyTorch.

    `auto_reset`, `next_seed` and the maps of later episodes are as in `mettagrid.batch.Batch`. Results are the same,
    bit for bit.

    `device` is "cuda" or "cuda:1" and so on; "emulated" runs the kernels on the CPU, exactly and slowly, for tests. A
    warp plays the rules of 32 / `spread` worlds (`spread`: 1, 2, 4, 8, 16 or 32); this only affects the speed, as does
    `graph`, which records a step as a CUDA graph. Raises `GpuUnavailable`.
    """

    def __init__(
        self,
        program: Program,
        maps: "Map | Sequence[Map] | MapPool",
        seeds: Iterable[int],
        *,
        map_of: Sequence[int] | None = None,
        auto_reset: bool = True,
        next_seed: Literal["same", "next"] = "same",
        device: str = "cuda",
        spread: int = 4,
        graph: bool = True,
    ) -> None:
        given = [index(seed) & 0xFFFFFFFF for seed in seeds]
        if not given:
            raise ValueError("A batch needs at least one world.")
        if next_seed not in ("same", "next"):
            raise ValueError(f"next_seed must be 'same' or 'next', not {next_seed!r}.")
        if spread not in (1, 2, 4, 8, 16, 32):
            raise ValueError(f"spread must be a power of two from 1 to 32, not {spread}.")
        is_pooled = isinstance(maps, MapPool)
        pool, places = _distinct(maps, len(given), map_of)
        agents = pool[0]._agents
        if any(built._agents != agents for built in pool):
            raise ValueError("All maps of a batch on a GPU must have the same number of agents.")
        self.program = program
        self.num_worlds = len(given)
        self.num_agents = len(given) * agents
        self._agents = agents
        self._maps = pool
        self._kernels = open_kernels(device)
        self.device = self._kernels.device
        tables = Tables(program)
        self._memory = memory = Memory(program, tables, pool, len(given), self.device)
        tensors = memory.tensors
        self.observations, self.rewards = tensors["observations"], tensors["rewards"]
        self.terminals, self.truncations = tensors["terminals"], tensors["truncations"]
        self.actions, self.vibe_actions = tensors["actions"], tensors["vibe_actions"]
        self.episodes = tensors["episodes"]
        """number of finished episodes of each world, int64 [worlds]; incremented when the next one begins"""
        tensors["map_of"].copy_(torch.from_numpy(places))
        self._in_order = tables.reads_observing()
        self._fields = memory.fields(
            auto_reset=int(auto_reset),
            next_seed=int(next_seed == "next"),
            is_pooled=int(is_pooled),
            in_order=int(self._in_order),
        )
        self._spread = spread
        self._records = graph and self.device.type == "cuda"
        self._graphs: dict[Any, torch.cuda.CUDAGraph] = {}
        self._is_warm = False
        self._is_open = True
        self.reset(seeds=given)

    @classmethod
    def from_worlds(cls, worlds: Sequence[MettaGrid], **options: Any) -> Self:
        """Create a batch of worlds on the maps and with the seeds of these, at the beginning of their episodes."""
        if len({id(world.program) for world in worlds}) > 1:
            raise ValueError("All worlds of a batch on a GPU must have the same program.")
        for number, world in enumerate(worlds):
            if world._map is None:
                raise ValueError(f"World {number} was opened from a snapshot and has no map.")
        maps = options.pop("maps", None) or [world._map for world in worlds]
        return cls(worlds[0].program, maps, [world.seed for world in worlds], **options)

    @property
    def memory_bytes(self) -> int:
        """bytes of all tensors of the batch on its device"""
        return self._memory.bytes

    def agents_of(self, world: int) -> slice:
        """Return the slice of a world's agents in the tensors."""
        self._check_number(world)
        return slice(world * self._agents, (world + 1) * self._agents)

    def step(self) -> None:
        """Step every world once with the actions in the tensors. Does not wait for the GPU.

        If a world fails, it stays as it is until its next episode, the others continue, and a later call of `step`, or
        `check`, raises a RuntimeError that names the world and the reason.
        """
        self._check_open()
        self._raise_known()
        self._play(None, self._launch_step)

    def run(
        self,
        steps: int,
        *,
        seed: int | None = None,
        actions: torch.Tensor | None = None,
        vibe_actions: torch.Tensor | None = None,
    ) -> torch.Tensor:
        """Take many steps; return the sum of each agent's rewards, float32 [agents] on the device.

        The actions are rows of `actions` and `vibe_actions` (int32 [steps, agents]; without the second, no agent
        changes its vibe) or, with `seed`, the same random ones as in `mettagrid.batch.Batch.run`. Waits for the GPU.
        """
        self._check_open()
        if index(steps) < 0:
            raise ValueError(f"A run has 0 steps or more, not {steps}.")
        if (seed is None) == (actions is None):
            raise ValueError("A run needs a seed for random actions, or actions.")
        sums = self._memory.tensors["sums"]
        sums.zero_()
        if seed is not None:
            number = ctypes.c_uint64(index(seed) & 0xFFFFFFFFFFFFFFFF)
            for _ in range(steps):
                self._play(number.value, lambda: self._launch_random(number))
        elif actions is not None:
            for row in range(steps):
                self.actions.copy_(actions[row])
                if vibe_actions is None:
                    self.vibe_actions.zero_()
                else:
                    self.vibe_actions.copy_(vibe_actions[row])
                self._play("sums", self._launch_summed)
        self.check()
        return sums.clone()

    def reset(
        self,
        seeds: Iterable[int] | None = None,
        worlds: Iterable[int] | None = None,
        *,
        maps: Sequence[int] | None = None,
    ) -> None:
        """Begin new episodes now, in all worlds or in those with the given numbers.

        Without `seeds` each world begins its next episode. With one seed per world they start over, as in a new batch
        of worlds with these seeds, on the map of episode 0. `maps` are the numbers of other maps for them, unless a
        `MapPool` chooses.
        """
        self._check_open()
        numbers = list(range(self.num_worlds) if worlds is None else map(index, worlds))
        for number in numbers:
            self._check_number(number)
        if len(set(numbers)) != len(numbers):
            raise ValueError("Each world can be reset once; one was named twice.")
        tensors = self._memory.tensors
        where = torch.tensor(numbers, dtype=torch.int64, device=self.device)
        if seeds is not None:
            given = np.array([index(seed) & 0xFFFFFFFF for seed in seeds], np.uint32)
            if len(given) != len(numbers):
                raise ValueError(f"There must be one seed for each of the {len(numbers)} worlds, not {len(given)}.")
            tensors["seeds"][where] = torch.from_numpy(given.view(np.int32)).to(self.device)
        if maps is not None:
            _, chosen = _distinct(self._maps, len(numbers), maps)
            tensors["map_of"][where] = torch.from_numpy(chosen).to(self.device)
        tensors["due"][where] = NEXT if seeds is None else STARTS_OVER
        tensors["faults"][where] = 0
        self._launch_begin()
        self.check()

    def check(self) -> None:
        """Wait for the GPU, and raise a RuntimeError if a world has failed."""
        if self.device.type == "cuda":
            torch.cuda.synchronize(self.device)
        self._raise_known()

    def state_hashes(self) -> np.ndarray:
        """Return the state hash of each world, uint64 [worlds]: that of `MettaGrid.state_hash`."""
        self._check_open()
        self._launch("hash_kernel", _blocks(self.num_worlds, 32), 32)
        return self._memory.tensors["hashes"].cpu().numpy().view(np.uint64)

    def world(self, number: int) -> MettaGrid:
        """Return a copy of a world on the host, in its present state: for stats, objects, snapshots.

        Raises the RuntimeError of a world that has failed.
        """
        self._check_open()
        self._check_number(number)
        tensors = self._memory.tensors
        built = self._maps[int(tensors["map_of"][number])]
        part = self.agents_of(number)
        arrays = {name: tensors[name][part].cpu().numpy().copy() for name in _BUFFER_TYPES}
        block = tensors["blocks"][number].cpu().numpy()
        return MettaGrid._from_block(self.program, built, int(tensors["seeds"][number]) & 0xFFFFFFFF, arrays, block)

    def close(self) -> None:
        """Release the memory on the device. A second call does nothing."""
        self._is_open = False
        self._graphs.clear()
        self._memory.tensors.clear()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    # Launching

    def _play(self, key: Any, launch: Callable[[], None]) -> None:
        """Launch the kernels of a step: directly at first, then as a recorded graph."""
        if not self._records:
            return launch()
        if key not in self._graphs:
            launch()
            if not self._is_warm:  # the first launch loads kernels, which cannot be recorded
                self._is_warm = True
                return
            self._graphs[key] = torch.cuda.CUDAGraph()
            with torch.cuda.graph(self._graphs[key]):
                launch()
            return
        self._graphs[key].replay()

    def _launch_step(self) -> None:
        self._launch_begin()
        self._launch_rules()
        if not self._in_order:
            self._launch_observe()

    def _launch_rules(self) -> None:
        threads = min(RULES_THREADS, RULES_WORLDS * self._spread)
        blocks = _blocks(self.num_worlds * self._spread, threads)
        self._launch("rules_kernel", blocks, threads, ctypes.c_int32(self._spread))

    def _launch_observe(self) -> None:
        self._launch("observe_kernel", self.num_worlds, min(OBSERVE_THREADS, 32 * self._agents))

    def _launch_begin(self) -> None:
        chunk = min(OBSERVE_THREADS, _blocks(self.num_worlds, BEGIN_BLOCKS))
        self._launch("begin_kernel", _blocks(self.num_worlds, chunk), OBSERVE_THREADS, ctypes.c_int32(chunk))

    def _launch_random(self, seed: ctypes.c_uint64) -> None:
        self._launch("draw_kernel", _blocks(self.num_agents, ROW_THREADS), ROW_THREADS, seed)
        self._launch_summed()

    def _launch_summed(self) -> None:
        self._launch_step()
        self._launch("sum_kernel", _blocks(self.num_agents, ROW_THREADS), ROW_THREADS)

    def _launch(self, name: str, blocks: int, threads: int, number: Any = None) -> None:
        self._kernels.launch(name, self._fields, blocks, threads, number)

    # Checking

    def _check_open(self) -> None:
        if not self._is_open:
            raise RuntimeError("The batch is closed")

    def _check_number(self, world: int) -> None:
        if not 0 <= index(world) < self.num_worlds:
            raise IndexError(f"There is no world {world} in a batch of {self.num_worlds}.")

    def _raise_known(self) -> None:
        """Raise the error of the first world that failed, if the GPU has reported one by now."""
        if not int(self._memory.failed[0]):
            return
        numbers = torch.nonzero(self._memory.tensors["faults"][:, 0]).flatten().tolist()
        self._memory.failed.zero_()
        self._memory.tensors["faults"].zero_()
        first, others = numbers[0], len(numbers) - 1
        rest = f" ({others} other world{'s' * (others > 1)} failed too)" if others else ""
        try:
            self.world(first)
        except RuntimeError as error:
            raise RuntimeError(f"World {first}: {error}{rest}") from None


def _distinct(
    maps: "Map | Sequence[Map] | MapPool", worlds: int, map_of: Sequence[int] | None
) -> tuple[list[Map], np.ndarray]:
    """Return the different maps, and the index of the map of each world."""
    if isinstance(maps, MapPool):
        return list(maps), np.arange(worlds, dtype=np.int32) % len(maps)
    if isinstance(maps, Map):
        return [maps], np.zeros(worlds, np.int32)
    if map_of is not None:
        chosen = np.array(map_of, np.int32)
        if chosen.shape != (worlds,) or not ((chosen >= 0) & (chosen < len(maps))).all():
            raise ValueError(
                f"map_of must have the number of a map (below {len(maps)}) for each of the {worlds} worlds."
            )
        return list(maps), chosen
    if len(maps) != worlds:
        raise ValueError(f"There must be one map for each of the {worlds} worlds, not {len(maps)}.")
    pool = list({id(built): built for built in maps}.values())
    places = {id(built): number for number, built in enumerate(pool)}
    return pool, np.array([places[id(built)] for built in maps], np.int32)


def _blocks(count: int, each: int) -> int:
    return -(-count // each)
