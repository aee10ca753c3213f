"""The commands `observatory backup`, `restore`, `doctor`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

__all__ = ["backup", "doctor", "restore"]

Data = Annotated[Path | None, typer.Option(help="Folder of the database, the files and the keys.")]


def backup(target: Annotated[Path, typer.Argument(help="File to write.")], data: Data = None) -> None:
    """Write everything to one file, while the server runs or not. Keep it safe: the keys are in it."""
    from observatory.main import fail, load_settings
    from observatory.operations.backup import BackupError
    from observatory.operations.backup import backup as write

    try:
        counts = write(load_settings({} if data is None else {"data_dir": data}), target)
    except BackupError as problem:
        fail(str(problem))
    print(f"{sum(counts.values()) - counts['objects']} rows and {counts['objects']} files are in {target}")


def restore(source: Annotated[Path, typer.Argument(help="File of `observatory backup`.")], data: Data = None) -> None:
    """Fill an empty data folder from a backup."""
    from observatory.main import fail, load_settings
    from observatory.operations.backup import BackupError
    from observatory.operations.backup import restore as read

    settings = load_settings({} if data is None else {"data_dir": data})
    try:
        counts = read(settings, source)
    except BackupError as problem:
        fail(str(problem))
    rows = sum(counts.values()) - counts["objects"]
    print(f"{rows} rows and {counts['objects']} files are in {settings.data_dir}")


def doctor(data: Data = None) -> None:
    """Look whether this installation can do its work; exit status 1 when something must be done."""
    from observatory.main import load_settings
    from observatory.operations.doctor import examine

    good = True
    for finding in examine(load_settings({} if data is None else {"data_dir": data})):
        print(f"{'ok  ' if finding.ok else 'FAIL'}  {finding.sentence}")
        good = good and finding.ok
    raise typer.Exit(0 if good else 1)
