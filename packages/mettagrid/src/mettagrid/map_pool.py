"""Build maps for the episodes of a batch in the background."""

import atexit
import threading
import weakref
from collections.abc import Callable, Iterator, Sequence
from operator import index
from types import TracebackType
from typing import TYPE_CHECKING, NoReturn

import numpy as np

from mettagrid import _native
from mettagrid._native import Map
from mettagrid.compiler import Program

if TYPE_CHECKING:
    from mettagrid.map_builder.map_builder import MapBuilderConfig

Rows = Sequence[Sequence[str]] | np.ndarray

MAX_SIZE = 1_000_000

_building: "weakref.WeakKeyDictionary[threading.Thread, threading.Event]" = weakref.WeakKeyDictionary()


@atexit.register
def _stop_building() -> None:
    """Wait for the current maps: Python ends other threads wherever they are, which aborts in native code."""
    for thread, stopped in list(_building.items()):
        stopped.set()
        thread.join(timeout=5)


class MapBuildError(RuntimeError):
    """A required map could not be built; `__cause__` is the builder's exception."""


class MapPool(_native.MapPool):
    """Maps 0 to `size` - 1 of a program, built in this order by background threads, and cached.

    `build(number)` returns the rows of a map. It is called from `threads` Python threads. They stop, after the current
    map, on `close()`, when the pool is garbage-collected, and with the process.
    """

    def __init__(self, program: Program, build: Callable[[int], Rows], size: int, threads: int = 1) -> None:
        if not 1 <= index(size) <= MAX_SIZE:
            raise ValueError(f"A map pool must have a size from 1 to {MAX_SIZE}, not {size}.")
        if index(threads) < 1:
            raise ValueError(f"A map pool needs at least 1 thread, not {threads}.")
        super().__init__(program.native, size)
        self.program = program
        self._size = index(size)
        self._errors: dict[int, BaseException] = {}
        stopped = threading.Event()
        self._stop = weakref.finalize(self, stopped.set)
        # The threads hold only a weak reference to the pool, so that they do not keep an unused pool alive.
        arguments = weakref.ref(self), program, build, iter(range(size)), stopped
        for number in range(min(threads, size)):
            thread = threading.Thread(target=_build_maps, args=arguments, name=f"map pool {number}", daemon=True)
            _building[thread] = stopped
            thread.start()

    @classmethod
    def from_builder(
        cls, program: Program, builder_config: "MapBuilderConfig", num_agents: int, size: int, threads: int = 1
    ) -> "MapPool":
        """Create a pool from a builder: map j is built with the config's seed + j (0 + j if it has none)."""
        first = getattr(builder_config, "seed", None) or 0
        takes_seed = "seed" in type(builder_config).model_fields

        def build(number: int) -> np.ndarray:
            config = builder_config.model_copy(update={"seed": first + number} if takes_seed else None)
            return config.create().build_for_num_agents(num_agents).grid

        return cls(program, build, size, threads)

    def __len__(self) -> int:
        return self._size

    def __getitem__(self, number: int) -> Map:
        """Return a map, waiting until it is built. Raises `MapBuildError` if it cannot be built."""
        if not 0 <= index(number) < self._size:
            raise IndexError(f"There is no map {number} in a pool of {self._size}.")
        built = self._wait(number)
        return self._raise_lost(number) if built is None else built

    def __iter__(self) -> Iterator[Map]:
        return (self[number] for number in range(self._size))

    def close(self) -> None:
        """Stop building maps. Finished maps stay usable."""
        self._stop()
        self._close()

    def __enter__(self) -> "MapPool":
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def _raise_lost(self, number: int, before: str = "", after: str = "") -> NoReturn:
        error = self._errors.get(number)
        why = (
            "its pool was closed, or belongs to another process"
            if error is None
            else f"{type(error).__name__}: {error}"
        )
        raise MapBuildError(f"{before}Map {number} could not be built: {why}{after}") from error


def _build_maps(
    pool: "weakref.ref[MapPool]",
    program: Program,
    build: Callable[[int], Rows],
    numbers: Iterator[int],
    stopped: threading.Event,
) -> None:
    for number in numbers:  # shared by all threads: each takes the next one
        if stopped.is_set():
            return
        built, failure = None, None
        try:
            built = program.map(build(number))
        except BaseException as error:  # any error must reach the caller that needs this map
            failure = error
        owner = pool()
        if owner is None:
            return
        if failure is None:
            owner._put(number, built)
        else:
            owner._errors[number] = failure
            owner._fail(number)
        del owner
