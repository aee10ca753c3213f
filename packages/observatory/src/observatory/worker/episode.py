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

__all__ = ["end_with", "play_in_child"]


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
    threading.Thread(target=end_with, args=(parent,), daemon=True).start()
    game = games.find(games.engine_of(spec))
    options = {} if live is None else {"live": live}
    with tracing.span("play episode", parent=traceparent, engine=games.engine_of(spec), policies=len(policies)):
        game.play(folder, spec, policies, minimum=minimum, time_limit_seconds=time_limit_seconds, **options)
    if live is not None:
        live.close()
    tracing.flush()


def end_with(parent: Connection) -> None:
    """End this process when the worker has ended."""
    try:
        parent.recv()
    except (EOFError, OSError):
        os._exit(1)
