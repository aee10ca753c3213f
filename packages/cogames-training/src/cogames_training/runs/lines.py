"""Files with one JSON document per epoch: `metrics.jsonl` and `evaluations.jsonl`."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import IO

from cogames_training.reports.epoch import EpochReport
from cogames_training.runs.atomic import write_file

__all__ = ["EpochLines", "read_evaluations", "read_metrics"]

METRICS, EVALUATIONS = "metrics.jsonl", "evaluations.jsonl"


class EpochLines:
    """Appends lines. The first line of a process removes the lines of its epoch and of all later ones.

    A run that continues from a checkpoint thus overwrites what came after that checkpoint.
    """

    def __init__(self, path: Path) -> None:
        self._path = path
        self._file: IO[str] | None = None

    def append(self, epoch: int, line: str) -> None:
        if self._file is None:
            self._cut(epoch)
            self._file = self._path.open("a", encoding="utf-8", buffering=1)
        try:
            self._file.write(line + "\n")
        except OSError:
            self.close()  # the next line removes the incomplete one
            raise

    def close(self) -> None:
        """Close the file. A line that could not be written has already raised an error."""
        file, self._file = self._file, None
        if file is not None:
            with suppress(OSError):
                file.close()

    def _cut(self, epoch: int) -> None:
        if not self._path.exists():
            return
        content = self._path.read_bytes()
        kept = [line for number, line in _lines(content) if number < epoch]
        text = b"".join(line + b"\n" for line in kept)
        if text != content:
            write_file(self._path, text)


def read_metrics(folder: Path) -> list[EpochReport]:
    """Return the epochs of a run; damaged lines are skipped."""
    reports = []
    for _, line in _lines(_content(folder / METRICS)):
        try:
            reports.append(EpochReport.from_json(line))
        except ValueError:
            continue
    return reports


def read_evaluations(folder: Path) -> list[dict[str, object]]:
    """Return the evaluations of a run, with `epoch` and `agent_steps`; damaged lines are skipped."""
    return [json.loads(line) for _, line in _lines(_content(folder / EVALUATIONS))]


def _content(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except FileNotFoundError:
        return b""


def _lines(content: bytes) -> Iterator[tuple[int, bytes]]:
    """Yield (epoch, line) of each whole line."""
    for line in content.splitlines():
        try:
            document = json.loads(line)
        except ValueError:
            continue
        if isinstance(document, dict) and type(document.get("epoch")) is int:
            yield document["epoch"], line
