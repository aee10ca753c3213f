"""Store which lessons the player has finished."""

from __future__ import annotations

import json
import os
from pathlib import Path

__all__ = ["Progress", "state_folder"]


def state_folder() -> Path:
    """Return the state folder of this user: `$XDG_STATE_HOME/cogames`, by default under `~/.local/state`."""
    home = os.environ.get("XDG_STATE_HOME", "")
    return (Path(home) if os.path.isabs(home) else Path.home() / ".local" / "state") / "cogames"


class Progress:
    """The finished lessons of one course, by name.

    They are stored in `lessons.json` in `folder`. An unreadable file counts as empty.
    """

    def __init__(self, course: str, folder: Path | None = None) -> None:
        self._course = course
        self._path = (folder or state_folder()) / "lessons.json"

    def finished(self) -> set[str]:
        names = self._read().get(self._course)
        return {name for name in names if isinstance(name, str)} if isinstance(names, list) else set()

    def add(self, lesson: str) -> None:
        """Save that a lesson is finished; raise `OSError` if the file cannot be written."""
        everything = {**self._read(), self._course: sorted(self.finished() | {lesson})}
        self._path.parent.mkdir(parents=True, exist_ok=True)
        draft = self._path.with_suffix(f".{os.getpid()}")
        draft.write_text(json.dumps(everything, indent=2) + "\n", encoding="utf-8")
        draft.replace(self._path)

    def _read(self) -> dict[str, object]:
        try:
            document = json.loads(self._path.read_text(encoding="utf-8"))
        except (OSError, ValueError):
            return {}
        return document if isinstance(document, dict) else {}
