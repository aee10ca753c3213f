"""`observatory worker`: the program around the loop."""

from __future__ import annotations

import logging
import math
import os
import signal
import socket
import sys
import time
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
    ca_file: Path | None = None,
    drain_seconds: float | None = None,
) -> None:
    """Play jobs of a server until stopped.

    SIGTERM drains: the worker finishes the jobs that it has and leases no more; those that are not finished after
    `drain_seconds` go back. SIGINT and a second SIGTERM give the jobs back at once.

    The process runs at the lowest priority, so that other work comes first. With `parent`, it also stops when the
    process that started it is no longer its parent.
    """
    from observatory.job_states import COMMISSIONER, HOSTED
    from observatory.logs import configure_logging
    from observatory.tracing import start_tracing
    from observatory.worker import machine
    from observatory.worker.client import HttpJobClient, ServerAway, WrongServer
    from observatory.worker.lane import SideLane
    from observatory.worker.loop import Worker

    configure_logging("json", os.environ.get("OBSERVATORY_LOG_LEVEL", "INFO"))
    start_tracing("observatory-worker")
    os.nice(NICENESS - os.nice(0))
    _check_games()
    level = _check_sandbox(minimum)
    stop, drain_until = False, math.inf

    def on_signal(number: int, frame: FrameType | None) -> None:
        nonlocal stop, drain_until
        if number == signal.SIGTERM and drain_until == math.inf:
            drain_until = time.monotonic() + (sys.maxsize if drain_seconds is None else drain_seconds)
        else:
            stop = True

    def stopping() -> bool:
        return stop or time.monotonic() > drain_until or (parent is not None and os.getppid() != parent)

    def draining() -> bool:
        return drain_until < math.inf

    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, on_signal)
    labels = list(dict.fromkeys([*labels, *machine.detected_labels(level)]))
    name = name or f"{socket.gethostname()}-{os.getpid()}"
    with ExitStack() as lanes:
        try:
            client = HttpJobClient(server, token, labels=labels, capacity=machine.capacity(), ca_file=ca_file)
            lanes.callback(client.close)
            worker = Worker(client, name, stopping=stopping, draining=draining, minimum=minimum)
            for lane in () if once else (COMMISSIONER, HOSTED):
                is_over = lambda: stopping() or draining()  # noqa: E731
                lanes.enter_context(SideLane(client, name, worker.work, lane, stopping=is_over))
            worker.run(once=once)
        except (PermissionError, WrongServer, ServerAway, machine.MachineFailed) as problem:
            logging.getLogger(__name__).error("%s", problem)
            stop = True  # ends the jobs of the other lanes
            raise SystemExit(1) from None


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


def _check_sandbox(minimum: str) -> str:
    """Return the level of isolation of this machine, and refuse to play below the minimum.

    Policies would be blamed for faults of the machine otherwise.
    """
    import cogbox

    try:
        return cogbox.sandbox(minimum=minimum, at_most="bubblewrap").level.name.lower()
    except (cogbox.CogboxError, ValueError) as problem:
        logging.getLogger(__name__).error("This machine cannot isolate policies: %s", problem)
        raise SystemExit(1) from None
