"""Step many worlds together, in one set of arrays.

    worlds = [program.world(map, seed) for seed in range(64)]
    with Batch(worlds, threads=4) as batch:
        batch.actions[:] = policy(batch.observations)
        batch.step()

Raises ValueError, TypeError and IndexError for arguments, RuntimeError with the number of the world for errors while
playing, and its subclass MapBuildError for maps that could not be built.
"""

from collections.abc import Iterable, Sequence
from operator import index
from types import TracebackType
from typing import Literal, NoReturn

import numpy as np

from mettagrid import _native
from mettagrid.map_pool import MapBuildError, MapPool
from mettagrid.mettagrid_c import _BUFFER_TYPES, MettaGrid, _check_array, _new_arrays

__all__ = ["Batch", "MapBuildError", "MapPool"]

EMPTY = 255  # all bytes of an unused token


class Batch(_native.Batch):
    """Step many worlds together, in one set of arrays.

    The agents of all worlds lie world by world in `observations` uint8 [agents, tokens, 3], `terminals` and
    `truncations` bool [agents], `rewards` float32 [agents], `actions` and `vibe_actions` int32 [agents]. Given arrays
    are used without copying and stay the caller's; the others are allocated, with room for as many tokens as any of the
    games needs. Every world gets its slices through `set_buffers`, with all its effects, and stays usable itself.

    With `auto_reset` a world whose agents are all terminal or all truncated restarts at the beginning of the next step,
    which is then the first step of the new episode; so the last observation of an episode is visible. With `next_seed`
    "same" the new episode has the seed of the old one, with "next" one more. With `maps`, episode k of world i is
    played on map (i + k * worlds) % len(maps), including the first; otherwise on the map of the previous episode.

    `rooms` reserves rows for each world, at least as many as it has agents; rows without an agent are cleared. They
    are for worlds with more agents that `replace` may bring later.

    The number of `threads` only affects the speed. A world can be in one batch at a time.
    """

    def __init__(
        self,
        worlds: Sequence[MettaGrid],
        *,
        threads: int = 1,
        auto_reset: bool = True,
        next_seed: Literal["same", "next"] = "same",
        maps: MapPool | None = None,
        rooms: Sequence[int] | None = None,
        observations: np.ndarray | None = None,
        terminals: np.ndarray | None = None,
        truncations: np.ndarray | None = None,
        rewards: np.ndarray | None = None,
        actions: np.ndarray | None = None,
        vibe_actions: np.ndarray | None = None,
    ) -> None:
        self.worlds = list(worlds)
        _check_worlds(self.worlds, maps)
        if index(threads) < 1:
            raise ValueError(f"A batch needs at least 1 thread, not {threads}.")
        if next_seed not in ("same", "next"):
            raise ValueError(f"next_seed must be 'same' or 'next', not {next_seed!r}.")
        counts = _checked_rooms(self.worlds, rooms)
        ends = np.cumsum(counts).tolist()
        self._slices = [slice(end - count, end) for count, end in zip(counts, ends, strict=True)]
        self.num_agents: int = ends[-1]

        tokens = max(world.program.num_tokens for world in self.worlds)
        self.observations = self._array("observations", observations, tokens)
        self.terminals = self._array("terminals", terminals)
        self.truncations = self._array("truncations", truncations)
        self.rewards = self._array("rewards", rewards)
        self.actions = self._array("actions", actions)
        self.vibe_actions = self._array("vibe_actions", vibe_actions)
        for number, world in enumerate(self.worlds):
            self._give_rows(number, world)

        self._programs = {id(world.program): world.program for world in self.worlds}  # native code points to them
        self._maps = maps
        counted = np.zeros(len(self.worlds), np.int64)  # the native side counts in it
        self.episodes = counted.view()
        """number of finished episodes of each world, int64 [worlds]; incremented when the next one begins"""
        self.episodes.flags.writeable = False
        count = min(index(threads), len(self.worlds))
        super().__init__(list(self.worlds), counts, count, bool(auto_reset), next_seed == "next", maps, counted)
        if maps is not None:
            self._begin_on_maps()

    def agents_of(self, world: int) -> slice:
        """Return the slice of a world's agents in the arrays."""
        return self._slices[world]

    def step(self) -> None:
        """Step every world once with the actions in the arrays, in place, without holding the GIL.

        If a world fails, the others still take the step, and then a RuntimeError names the world and the reason; if
        several fail, it is about the first one.
        """
        self._step()

    def run(
        self,
        steps: int,
        *,
        seed: int | None = None,
        actions: np.ndarray | None = None,
        vibe_actions: np.ndarray | None = None,
    ) -> np.ndarray:
        """Take many steps at once; return the sum of each agent's rewards, float32 [agents].

        The actions are rows of `actions` and `vibe_actions` (int32 [steps, agents]; without the second, no agent
        changes its vibe) or, with `seed`, random ones: uniform over all primary actions, and over no change and all
        vibes. These depend only on the seed, the number of the world, the steps it has taken since it was created or
        reset with a seed, and the agent, so splitting the steps into several runs gives the same result. A world that
        fails stops there; the others run to the end.
        """
        if index(steps) < 0:
            raise ValueError(f"A run has 0 steps or more, not {steps}.")
        sums = np.zeros(self.num_agents, np.float32)
        if seed is not None:
            if actions is not None or vibe_actions is not None:
                raise ValueError("A run with a seed draws its own actions; omit actions and vibe_actions.")
            self._run_random(index(steps), index(seed) & 0xFFFFFFFFFFFFFFFF, sums)
        elif actions is not None:
            shape = (index(steps), self.num_agents)
            vibe_actions = np.zeros(shape, np.int32) if vibe_actions is None else vibe_actions
            self._run(_checked("actions", actions, shape), _checked("vibe_actions", vibe_actions, shape), sums)
        else:
            raise ValueError("A run needs a seed for random actions, or actions.")
        return sums

    def reset(self, seeds: Iterable[int] | None = None, worlds: Iterable[int] | None = None) -> None:
        """Begin new episodes now, in all worlds or in those with the given numbers.

        Without `seeds` each world begins its next episode. With one seed per world they start over, as in a new batch
        of worlds with these seeds, on the map of episode 0.
        """
        everything = range(len(self.worlds))
        numbers = list(everything if worlds is None else map(index, worlds))
        for number in numbers:
            if number not in everything:
                raise IndexError(f"There is no world {number} in a batch of {len(self.worlds)}.")
        if len(set(numbers)) != len(numbers):
            raise ValueError("Each world can be reset once; one was named twice.")
        given = None if seeds is None else [index(seed) & 0xFFFFFFFF for seed in seeds]
        if given is not None and len(given) != len(numbers):
            raise ValueError(f"There must be one seed for each of the {len(numbers)} worlds, not {len(given)}.")
        self._reset(numbers, given)

    def replace(self, number: int, world: MettaGrid) -> None:
        """Let another world, of any program, take the place and the rows of world `number`.

        It must have at most as many agents as the place has rows, and must not be in a batch. The old world gets arrays
        of its own. The place's count of episodes stays.
        """
        if not 0 <= index(number) < len(self.worlds):
            raise IndexError(f"There is no world {number} in a batch of {len(self.worlds)}.")
        _check_worlds([world], self._maps)
        part = self._slices[number]
        if world.num_agents > part.stop - part.start:
            raise ValueError(f"The place has {part.stop - part.start} rows; the world has {world.num_agents} agents.")
        old = self.worlds[number]
        self._give_rows(number, world)
        self._programs[id(world.program)] = world.program
        self._replace(index(number), world)
        self.worlds[number] = world
        old.set_buffers(**_new_arrays(old.num_agents, old.program.num_tokens))

    def close(self) -> None:
        """End the threads and release the worlds, which keep their slices. A second call does nothing."""
        self._close()

    def __enter__(self) -> "Batch":
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def _array(self, name: str, given: np.ndarray | None, *tokens: int) -> np.ndarray:
        """Return the caller's array after checking it, or a new one."""
        if given is None:
            return np.zeros((self.num_agents, *tokens, *(3 for _ in tokens)), _BUFFER_TYPES[name])
        shape = (self.num_agents, None, 3) if tokens else (self.num_agents,)
        return _checked(name, given, shape)

    def _give_rows(self, number: int, world: MettaGrid) -> None:
        """Let a world work in the first rows of a place, and clear the others."""
        part = self._slices[number]
        own, rest = slice(part.start, part.start + world.num_agents), slice(part.start + world.num_agents, part.stop)
        try:
            arrays = (getattr(self, name)[own] for name in _BUFFER_TYPES)
            world.set_buffers(*arrays)
        except RuntimeError as error:  # too few tokens, or another thread steps it
            raise RuntimeError(f"World {number}: {error}") from None
        self.observations[rest] = EMPTY
        for array in (self.terminals, self.truncations, self.rewards):
            array[rest] = 0

    def _begin_on_maps(self) -> None:
        try:
            self.reset(seeds=[world.seed for world in self.worlds])
        except BaseException:
            self.close()
            raise

    def _raise_failure(self, world: int, fault: str, lost_map: int, others: int) -> NoReturn:
        """Raise the error of the first world that failed; the native code calls it."""
        rest = f" ({others} other world{'s' * (others > 1)} failed too)" if others else ""
        if lost_map >= 0 and self._maps is not None:
            self._maps._raise_lost(lost_map, f"World {world}: ", rest)
        raise RuntimeError(f"World {world}: {fault}{rest}")


def _check_worlds(worlds: list[MettaGrid], maps: MapPool | None) -> None:
    if not worlds:
        raise ValueError("A batch needs at least one world.")
    if maps is not None and not isinstance(maps, MapPool):
        raise TypeError(f"maps must be a MapPool, not {type(maps).__name__}.")
    for number, world in enumerate(worlds):
        if not isinstance(world, MettaGrid):
            raise TypeError(f"World {number} must be a MettaGrid, not {type(world).__name__}.")
        if world._is_in_batch:
            raise ValueError(f"World {number} is already in a batch; close that one first.")
        if maps is not None and world.program.native is not maps.program.native:
            raise ValueError(f"World {number} has another program than the map pool.")
    if len({id(world) for world in worlds}) != len(worlds):
        raise ValueError("The worlds of a batch must be different; one was given twice.")


def _checked_rooms(worlds: list[MettaGrid], rooms: Sequence[int] | None) -> list[int]:
    """Return the number of rows of each world."""
    counts = [world.num_agents for world in worlds]
    if rooms is None:
        return counts
    given = [index(room) for room in rooms]
    if len(given) != len(counts):
        raise ValueError(f"There must be one room for each of the {len(counts)} worlds, not {len(given)}.")
    for number, (room, count) in enumerate(zip(given, counts, strict=True)):
        if room < count:
            raise ValueError(f"World {number} has {count} agents and needs as many rows, not {room}.")
    return given


def _checked(name: str, array: np.ndarray, shape: tuple[int | None, ...]) -> np.ndarray:
    """Return the array if the engine can use it, else raise ValueError; None in `shape` is any size."""
    _check_array(name, array)
    fits = array.ndim == len(shape) and all(b in (None, a) for a, b in zip(array.shape, shape, strict=True))
    if not fits:
        expected = ", ".join("tokens" if size is None else str(size) for size in shape)
        raise ValueError(f"{name} has shape {list(array.shape)}; it must be [{expected}].")
    if not array.flags.c_contiguous:
        raise ValueError(f"{name} is not contiguous in memory.")
    return array
