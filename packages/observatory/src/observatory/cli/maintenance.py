"""`observatory backup`, `restore` and `doctor`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from observatory.cli.options import Data, load_settings
from softmax.cli.errors import fail

__all__ = ["backup", "doctor", "restore"]


def backup(target: Annotated[Path, typer.Argument(help="File to write.")], data: Data = None) -> None:
    """Write everything to one file, while the server runs or not. Keep it safe: the keys are in it."""
    from observatory.serving.backup import BackupError
    from observatory.serving.backup import backup as write

    try:
        counts = write(load_settings(data_dir=data), target)
    except BackupError as problem:
        fail(str(problem))
    print(f"{sum(counts.values()) - counts['objects']} rows and {counts['objects']} files are in {target}")


def restore(source: Annotated[Path, typer.Argument(help="File of `observatory backup`.")], data: Data = None) -> None:
    """Fill an empty data folder from a backup."""
    from observatory.serving.backup import BackupError
    from observatory.serving.backup import restore as read

    settings = load_settings(data_dir=data)
    try:
        counts = read(settings, source)
    except BackupError as problem:
        fail(str(problem))
    rows = sum(counts.values()) - counts["objects"]
    print(f"{rows} rows and {counts['objects']} files are in {settings.data_dir}")


def doctor(data: Data = None) -> None:
    """Check this installation; exit status 1 when something must be corrected."""
    from observatory.serving.doctor import examine

    all_ok = True
    for finding in examine(load_settings(data_dir=data)):
        print(f"{'ok  ' if finding.ok else 'FAIL'}  {finding.sentence}")
        all_ok = all_ok and finding.ok
    raise typer.Exit(0 if all_ok else 1)
