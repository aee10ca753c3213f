"""Content types of the files of a job, for the worker that sends them and the server that takes them."""

from __future__ import annotations

from pathlib import PurePosixPath

__all__ = ["file_type"]

_TYPES = {
    ".html": "text/html",
    ".json": "application/json",
    ".jsonl": "application/jsonl",
    ".log": "text/plain",
    ".md": "text/markdown",
    ".txt": "text/plain",
    ".z": "application/x-compress",
    ".zip": "application/zip",
}


def file_type(name: str) -> str:
    """Return the content type of a file by its name."""
    return _TYPES.get(PurePosixPath(name).suffix, "application/octet-stream")
