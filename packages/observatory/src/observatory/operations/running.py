"""One server for a data folder, and where it is."""

from __future__ import annotations

import fcntl
import json
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

__all__ = ["AlreadyRunning", "announce", "running_url", "sole_owner"]

_LOCK = "server.lock"
_PLACE = "server.json"


class AlreadyRunning(RuntimeError):
    """Another server has this data folder."""


@contextmanager
def sole_owner(data_dir: Path) -> Iterator[None]:
    """Hold the data folder; the system lets go of it however this process ends."""
    data_dir.mkdir(parents=True, exist_ok=True, mode=0o700)
    with (data_dir / _LOCK).open("a") as lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise AlreadyRunning(
                f"A server uses {data_dir} already; stop it, or set OBSERVATORY_DATA_DIR to another folder"
            ) from None
        try:
            yield
        finally:
            (data_dir / _PLACE).unlink(missing_ok=True)


def announce(data_dir: Path, url: str) -> None:
    """Tell commands on this machine where the server is."""
    temporary = data_dir / f"{_PLACE}.{os.getpid()}"
    temporary.write_text(json.dumps({"url": url, "pid": os.getpid()}))
    temporary.replace(data_dir / _PLACE)


def running_url(data_dir: Path) -> str | None:
    """Where the server of a data folder is; None when none runs."""
    try:
        with sole_owner_probe(data_dir):
            return None
    except AlreadyRunning:
        pass
    try:
        return str(json.loads((data_dir / _PLACE).read_text())["url"])
    except (OSError, ValueError, KeyError):
        return None


@contextmanager
def sole_owner_probe(data_dir: Path) -> Iterator[None]:
    """As `sole_owner`, without leaving anything behind."""
    try:
        lock = (data_dir / _LOCK).open("r")
    except FileNotFoundError:
        yield
        return
    with lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise AlreadyRunning from None
        yield
