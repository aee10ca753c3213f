"""The program of a worker process: `python -m mettagrid.runner.episode.worker SOCKET MARK`, both file descriptors.

It reads the import path, then plans, and responds to each with an `EpisodeOutcome` or an `EpisodeError`, all pickled.
The other end is the parent process. None asks the worker to finish the replays that are being written. It exits when
the socket is closed.
"""

from __future__ import annotations

import ctypes
import mmap
import os
import pickle
import signal
import sys
import traceback
from multiprocessing.connection import Connection
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from mettagrid.replay import BackgroundWriter

PR_SET_PDEATHSIG = 1


def main() -> None:
    socket_number, mark_number = map(int, sys.argv[1:3])
    _die_with_parent()
    connection = Connection(socket_number)
    sys.path[:] = pickle.loads(connection.recv_bytes())
    player = _Player(mmap.mmap(mark_number, 4))
    while True:
        try:
            message = pickle.loads(connection.recv_bytes())
            connection.send_bytes(pickle.dumps(player.answer(message)))
        except (EOFError, OSError):
            return


class _Player:
    def __init__(self, mark: mmap.mmap) -> None:
        self._mark = mark
        self._environments: dict[int, Any] = {}
        self._warned: set[str] = set()
        self._background: BackgroundWriter | None = None

    def answer(self, message: Any) -> object:
        from mettagrid.runner.episode.errors import EpisodeError, describe

        try:
            return self._play(*message) if message is not None else self._finish()
        except EpisodeError as error:
            error.__cause__ = None  # it may not be picklable
            return error
        except Exception as error:
            traceback.print_exc()
            return EpisodeError(f"A worker failed: {describe(error)}")

    def _play(self, key: int, environment: bytes | None, settings: bytes) -> object:
        from mettagrid.runner.episode.plan import EpisodePlan
        from mettagrid.runner.episode.play import play_episode

        if environment is not None:
            self._environments[key] = pickle.loads(environment)
        plan = EpisodePlan(env=self._environments[key], **pickle.loads(settings))
        if self._background is None and plan.replay_path is not None:
            from mettagrid.replay import BackgroundWriter

            self._background = BackgroundWriter()
        return play_episode(plan, turn=self._turn, warned=self._warned, background=self._background)

    def _finish(self) -> object:
        if self._background is not None:
            self._background.wait()
        return None

    def _turn(self, index: int) -> None:
        self._mark[0:4] = index.to_bytes(4, "little", signed=True)


def _die_with_parent() -> None:
    """Make the kernel kill this worker when its parent dies, where the system supports it."""
    if sys.platform != "linux":
        return
    parent = os.getppid()
    ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGKILL)
    if os.getppid() != parent:
        sys.exit("The process that started this worker is gone")


if __name__ == "__main__":
    main()
