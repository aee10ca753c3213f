"""Read transcripts: the steps of a certification as a table in a Markdown file."""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path

from coworld.errors import CoworldError, MissingFileError
from coworld.models.transcript import CoworldTranscript, TranscriptStep

__all__ = ["EXECUTABLE_TRANSCRIPT_PATH", "TRANSCRIPT_NAME", "load_executable_transcript", "load_transcript"]

TRANSCRIPT_NAME = "coworld-executable"
EXECUTABLE_TRANSCRIPT_PATH = Path(__file__).with_name(f"{TRANSCRIPT_NAME}.transcript.md")

_COLUMNS = ("id", "kind", "checks", "pass", "how")


@cache
def load_executable_transcript() -> CoworldTranscript:
    """Return the ten steps of a certification."""
    return load_transcript(EXECUTABLE_TRANSCRIPT_PATH, name=TRANSCRIPT_NAME)


def load_transcript(path: Path, *, name: str) -> CoworldTranscript:
    r"""Read the first table of a Markdown file: a row per step, with the columns id, kind, checks, pass and how.

    A bar in a cell is written `\|`.

    Raises:
        MissingFileError: the file does not exist.
        CoworldError: it has no such table, or a row has another number of cells.
        pydantic.ValidationError: a cell is not valid.
    """
    try:
        text = path.read_text(encoding="utf-8")
    except FileNotFoundError:
        raise MissingFileError(path, hint="name a transcript") from None
    rows = _first_table(text)
    hint = f"begin the table with | {' | '.join(_COLUMNS)} |"
    if len(rows) < 3:
        raise CoworldError(f"{path} has no table of steps", hint=hint)
    header, _, *steps = rows
    if header != _COLUMNS:
        raise CoworldError(f"{path} transcript table columns must be {_COLUMNS}, found {header}", hint=hint)
    if wrong := next((row for row in steps if len(row) != len(_COLUMNS)), None):
        raise CoworldError(f"{path} has a row with {len(wrong)} cells: {wrong[0]}", hint=f"write {len(_COLUMNS)} cells")
    return CoworldTranscript(
        name=name,
        text=text,
        steps=[TranscriptStep.model_validate(dict(zip(_COLUMNS, row, strict=True))) for row in steps],
    )


def _first_table(text: str) -> list[tuple[str, ...]]:
    """Return the rows of the first table, its heading and the line below it included."""
    rows: list[tuple[str, ...]] = []
    for line in text.splitlines():
        stripped = line.strip()
        if stripped.startswith("|"):
            cells = re.split(r"(?<!\\)\|", stripped.removeprefix("|").removesuffix("|"))
            rows.append(tuple(cell.strip().replace(r"\|", "|") for cell in cells))
        elif rows:
            break
    return rows
