"""Run one episode in a separate process, which exits when the worker does."""

from __future__ import annotations

import os
import threading
from collections.abc import Sequence
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any

from observatory import games, tracing
from observatory.games import PolicyToPlay
from observatory.worker.live import LiveSender

__all__ = ["follow", "play_in_child"]


def play_in_child(
    parent: Connection,
    folder: Path,
    spec: dict[str, Any],
    policies: Sequence[PolicyToPlay],
    minimum: str,
    time_limit_seconds: float,
    live: LiveSender | None = None,
    traceparent: str | None = None,
) -> None:
    """Entry of the child: end when the worker has ended, whatever way, and play."""
    if traceparent is not None:
        tracing.start_tracing("observatory-episode")
    follow(parent)
    game = games.find(games.engine_of(spec))
    options = {} if live is None else {"live": live}
    with tracing.span("play episode", parent=traceparent, engine=games.engine_of(spec), policies=len(policies)):
        game.play(folder, spec, policies, minimum=minimum, time_limit_seconds=time_limit_seconds, **options)
    if live is not None:
        live.close()
    tracing.flush()


def follow(worker: Connection) -> None:
    """Leave it to the worker to end this process: it alone receives Ctrl-C, and this process ends when it does."""
    os.setpgid(0, 0)
    threading.Thread(target=_end_with, args=(worker,), daemon=True).start()


def _end_with(worker: Connection) -> None:
    try:
        worker.recv()
    except (EOFError, OSError):
        os._exit(1)
