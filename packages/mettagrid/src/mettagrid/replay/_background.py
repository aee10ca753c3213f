"""Write replays in the background."""

from __future__ import annotations

import logging
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from threading import Semaphore
from typing import Self

from mettagrid.replay.errors import ReplayNotWritten

logger = logging.getLogger(__name__)


class BackgroundWriter:
    """Runs jobs one after the other in a thread, in the order of `submit`.

    At most `most_waiting` jobs are queued; then `submit` blocks. A failure is logged at once and raised by `wait` and
    `close`. A program that exits without `close` first finishes all jobs.
    """

    def __init__(self, max_waiting: int = 4) -> None:
        self._room = Semaphore(max_waiting + 1)
        self._thread = ThreadPoolExecutor(1, "replay-writer")
        self._under_way: list[tuple[str, Future[None]]] = []

    def submit(self, write: Callable[[], None], name: str) -> None:
        """Queue a job; `name` names it in errors."""
        self._room.acquire()
        future = self._thread.submit(self._write, write, name)
        self._under_way = [entry for entry in self._under_way if not _is_fine(entry[1])]
        self._under_way.append((name, future))

    def wait(self) -> None:
        """Wait until all jobs are done. Raises `ReplayNotWritten` once for those that failed."""
        under_way, self._under_way = self._under_way, []
        failed = [(name, error) for name, future in under_way if (error := future.exception()) is not None]
        if not failed:
            return
        name, error = failed[0]
        others = f" (and {len(failed) - 1} more)" if len(failed) > 1 else ""
        raise ReplayNotWritten(f"{name} could not be written: {error}{others}") from error

    def close(self) -> None:
        """Wait for all jobs and stop the thread."""
        self._thread.shutdown(wait=True)
        self.wait()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        self.close()

    def _write(self, write: Callable[[], None], name: str) -> None:
        try:
            write()
        except BaseException as error:
            logger.error("%s could not be written: %s", name, error)
            raise
        finally:
            self._room.release()


def _is_fine(future: Future[None]) -> bool:
    return future.done() and future.exception() is None
