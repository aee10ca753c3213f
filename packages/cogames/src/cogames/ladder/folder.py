"""The folder of a ladder: its plan, one file for each finished game, and the outputs.

Files are replaced as a whole, so a ladder that is killed at any moment continues from the games that it has finished.
"""

from __future__ import annotations

import fcntl
import json
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from cogames.ladder.errors import LadderError
from cogames.ladder.games import Game
from cogames.ladder.plan import Ladder
from cogames.ladder.records import GameRecord

__all__ = ["LadderFolder"]

PLAN, LOCK, GAMES, REPLAYS = "plan.json", ".lock", "games", "replays"


class LadderFolder:
    """A ladder on disk; use `opened` to get it."""

    def __init__(self, path: Path) -> None:
        self.path = path

    @classmethod
    @contextmanager
    def opened(cls, path: Path, ladder: Ladder) -> Iterator[LadderFolder]:
        """Lock the folder, check that it is empty or has the same plan, and write the plan.

        Raises `LadderError` for a folder with another plan or with other files, and while another process uses it.
        """
        folder = cls(path)
        if path.exists() and not path.is_dir():
            raise LadderError(f"{path} is a file; a ladder needs a folder", ["choose another --output"])
        if path.is_dir() and not (path / PLAN).exists() and any(child.name not in _OURS for child in path.iterdir()):
            raise LadderError(f"{path} has files that belong to no ladder", ["choose an empty folder with --output"])
        path.mkdir(parents=True, exist_ok=True)
        with (path / LOCK).open("w") as lock:
            try:
                fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                raise LadderError(f"Another ladder is running in {path}", ["wait for it, or choose --output"]) from None
            folder._check_plan(ladder)
            (path / GAMES).mkdir(exist_ok=True)
            yield folder

    def load(self, game: Game) -> GameRecord | None:
        """Return the record of a finished game; None if there is none or its file is damaged."""
        try:
            record = GameRecord.model_validate_json((self.path / GAMES / f"{game.key}.json").read_bytes())
        except (FileNotFoundError, ValidationError):
            return None
        return record if record.game == game.key else None

    def save(self, game: Game, record: GameRecord) -> None:
        self.write(f"{GAMES}/{game.key}.json", record.model_dump_json(indent=1) + "\n")

    def replay(self, game: Game) -> Path:
        return self.path / REPLAYS / f"{game.key}.cogreplay"

    def write(self, name: str, text: str) -> Path:
        """Replace a file as a whole and return its path."""
        path = self.path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        part = path.with_name(f".{path.name}.part")
        part.write_text(text, encoding="utf-8")
        os.replace(part, path)
        return path

    def _check_plan(self, ladder: Ladder) -> None:
        document = json.loads(json.dumps(ladder.document()))
        path = self.path / PLAN
        if path.exists():
            try:
                stored = json.loads(path.read_bytes())
            except ValueError:
                raise LadderError(f"{path} is damaged", ["delete the folder, or choose another --output"]) from None
            if stored != document:
                raise LadderError(
                    f"{self.path} has another ladder: {_first_difference(stored, document)}",
                    ["choose another --output, or delete the folder to start again"],
                )
            return
        self.write(PLAN, json.dumps(document, indent=2) + "\n")


_OURS = {LOCK, f".{PLAN}.part", "bundles"}


def _first_difference(stored: Any, document: dict[str, Any]) -> str:
    """Return what differs between two plans, in words."""
    if not isinstance(stored, dict):
        return "its plan is not readable"
    for key, value in document.items():
        old = stored.get(key)
        if old == value:
            continue
        if key in ("policies", "missions") and isinstance(old, list):
            before, after = ([_name(item) for item in part] for part in (old, value))
            if before != after:
                return f"its {key} are {', '.join(before)}, not {', '.join(after)}"
            changed = next(_name(new) for item, new in zip(old, value, strict=True) if item != new)
            return f"{changed} has changed since it began"
        return f"its {key.replace('_', ' ')} is {json.dumps(old)}, not {json.dumps(value)}"
    return "its plan was written by another version"


def _name(item: Any) -> str:
    return str(item.get("name")) if isinstance(item, dict) else str(item)
