"""`observatory worker`: the program around the loop."""

from __future__ import annotations

import logging
import os
import signal
import socket
from collections.abc import Sequence
from contextlib import ExitStack
from pathlib import Path
from types import FrameType

__all__ = ["read_token", "run_worker"]

NICENESS = 19


def read_token(path: Path) -> str:
    """Return the token in a file; raise `ValueError` if it is empty."""
    token = path.read_text().strip()
    if not token:
        raise ValueError(f"There is no token in {path}")
    return token


def run_worker(
    server: str,
    token: str,
    *,
    name: str | None = None,
    labels: Sequence[str] = (),
    once: bool = False,
    minimum: str = "landlock",
    parent: int | None = None,
) -> None:
    """Play jobs of a server until SIGTERM or SIGINT, then give the job at hand back.

    The process runs at the lowest priority, so that other work comes first. With `parent`, it also stops when the
    process that started it is no longer its parent.
    """
    from observatory.job_states import COMMISSIONER, HOSTED
    from observatory.logs import configure_logging
    from observatory.tracing import start_tracing
    from observatory.worker.client import HttpJobClient
    from observatory.worker.lane import SideLane
    from observatory.worker.loop import Worker
    from observatory.worker.machine import MachineFailed

    configure_logging("json", os.environ.get("OBSERVATORY_LOG_LEVEL", "INFO"))
    start_tracing("observatory-worker")
    os.nice(NICENESS - os.nice(0))
    _check_games()
    _check_sandbox(minimum)
    stop = False

    def on_signal(number: int, frame: FrameType | None) -> None:
        nonlocal stop
        stop = True

    def stopping() -> bool:
        return stop or (parent is not None and os.getppid() != parent)

    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, on_signal)
    client = HttpJobClient(server, token, labels=labels)
    name = name or f"{socket.gethostname()}-{os.getpid()}"
    worker = Worker(client, name, stopping=stopping, minimum=minimum)
    try:
        with ExitStack() as lanes:
            for lane in () if once else (COMMISSIONER, HOSTED):
                lanes.enter_context(SideLane(client, name, worker.work, lane, stopping=stopping))
            worker.run(once=once)
    except (PermissionError, MachineFailed) as problem:
        logging.getLogger(__name__).error("%s", problem)
        raise SystemExit(1) from None
    finally:
        client.close()


def _check_games() -> None:
    """Refuse to take jobs when there is no game to play."""
    from observatory import games

    if games.installed():
        return
    try:
        games.find()
    except games.GameMissing as problem:
        logging.getLogger(__name__).error("%s", problem.message)
        raise SystemExit(1) from None


def _check_sandbox(minimum: str) -> None:
    """Refuse to play without the required isolation: policies would be blamed for faults of the machine."""
    import cogbox

    try:
        cogbox.sandbox(minimum=minimum, at_most="bubblewrap")
    except (cogbox.CogboxError, ValueError) as problem:
        logging.getLogger(__name__).error("This machine cannot isolate policies: %s", problem)
        raise SystemExit(1) from None
