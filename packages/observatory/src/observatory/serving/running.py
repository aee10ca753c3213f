"""Lock a data folder for its servers, and publish the address of one of them."""

from __future__ import annotations

import fcntl
import json
import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

__all__ = ["AlreadyRunning", "UnusableFolder", "announce", "hold_folder", "running_url", "why_not_writable"]

_LOCK = "server.lock"
_PLACE = "server.json"


class AlreadyRunning(RuntimeError):
    """Another server has this data folder."""


class UnusableFolder(RuntimeError):
    """The data folder is read-only or not a folder."""


def why_not_writable(folder: Path) -> str | None:
    """Return why no file can be created in a folder; None if one can."""
    try:
        with tempfile.TemporaryFile(dir=folder):
            return None
    except OSError as problem:
        return problem.strerror or str(problem)


@contextmanager
def hold_folder(data_dir: Path, *, shared: bool = False) -> Iterator[None]:
    """Hold the data folder; the system lets go of it however this process ends.

    A folder with an SQLite database has one server. Servers on one PostgreSQL database may share a folder.
    """
    try:
        data_dir.mkdir(parents=True, exist_ok=True, mode=0o700)
        lock = (data_dir / _LOCK).open("a")
    except OSError as problem:
        raise UnusableFolder(
            f"The data folder {data_dir} cannot be written to: {problem.strerror}; "
            "set OBSERVATORY_DATA_DIR to a folder that can"
        ) from None
    with lock:
        try:
            fcntl.flock(lock, (fcntl.LOCK_SH if shared else fcntl.LOCK_EX) | fcntl.LOCK_NB)
        except BlockingIOError:
            raise AlreadyRunning(
                f"A server uses {data_dir} already; stop it, or set OBSERVATORY_DATA_DIR to another folder. "
                "Several servers need PostgreSQL (OBSERVATORY_DATABASE_URL)"
            ) from None
        try:
            yield
        finally:
            if _announced(data_dir).get("pid") == os.getpid():
                (data_dir / _PLACE).unlink(missing_ok=True)


def announce(data_dir: Path, url: str) -> None:
    """Tell commands on this machine where the server is."""
    temporary = data_dir / f"{_PLACE}.{os.getpid()}"
    temporary.write_text(json.dumps({"url": url, "pid": os.getpid()}))
    temporary.replace(data_dir / _PLACE)


def running_url(data_dir: Path) -> str | None:
    """Return the URL of the server of a data folder; None when none runs."""
    try:
        with sole_owner_probe(data_dir):
            return None
    except AlreadyRunning:
        pass
    url = _announced(data_dir).get("url")
    return None if url is None else str(url)


def _announced(data_dir: Path) -> dict[str, object]:
    try:
        place = json.loads((data_dir / _PLACE).read_text())
    except (OSError, ValueError):
        return {}
    return place if isinstance(place, dict) else {}


@contextmanager
def sole_owner_probe(data_dir: Path) -> Iterator[None]:
    """As `hold_folder`, without leaving anything behind."""
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
