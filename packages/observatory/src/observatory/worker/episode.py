"""Run one episode in a separate process, which exits when the worker does."""

from __future__ import annotations

import os
import threading
from collections.abc import Sequence
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any

from observatory import games
from observatory.games import PolicyToPlay

__all__ = ["end_with", "play_in_child"]


def play_in_child(
    parent: Connection,
    folder: Path,
    spec: dict[str, Any],
    policies: Sequence[PolicyToPlay],
    minimum: str,
    time_limit_seconds: float,
) -> None:
    """Entry of the child: end when the worker has ended, whatever way, and play."""
    threading.Thread(target=end_with, args=(parent,), daemon=True).start()
    game = games.find(games.engine_of(spec))
    game.play(folder, spec, policies, minimum=minimum, time_limit_seconds=time_limit_seconds)


def end_with(parent: Connection) -> None:
    """End this process when the worker has ended."""
    try:
        parent.recv()
    except (EOFError, OSError):
        os._exit(1)
