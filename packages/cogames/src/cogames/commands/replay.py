"""`cogames replay`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from cogames.cli.errors import fail
from cogames.cli.output import Format, print_data
from cogames.cli.program import examples

BITWORLD = b"BITWORLD"

File = Annotated[Path, typer.Argument(metavar="FILE", help="A replay: .json.z, .json.gz or .cogreplay.")]
Duration = Annotated[
    float | None, typer.Option("--duration", metavar="S", help="Seconds to show a BitWorld replay; others ignore it.")
]
AsDocument = Annotated[Format | None, typer.Option("--format", metavar="FMT", help="Print a document: yaml or json.")]


@examples("cogames replay ./replays/game.json.z")
def replay(file: File, duration: Duration = None, format: AsDocument = None) -> None:
    """Look at a saved episode.

    Prints what was played, by whom, and how it ended.
    """
    if not file.exists():
        fail(f"Replay file not found: {file}")
    if not file.is_file():
        fail(f"{file} is a folder; give the path of a replay")
    with file.open("rb") as opened:
        if opened.read(len(BITWORLD)) == BITWORLD:
            fail(f"{file} is a BitWorld replay, which needs BitWorld's viewer; this version has none")

    from mettagrid.replay import load_replay, summarize

    summary = summarize(load_replay(file))
    if format is None:
        print(summary.text())
        return
    import dataclasses

    print_data(dataclasses.asdict(summary), format)
