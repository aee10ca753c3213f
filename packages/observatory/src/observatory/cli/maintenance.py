"""`observatory backup`, `restore`, `doctor` and `store-rules`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from observatory.cli.options import Data, load_settings
from softmax.cli.errors import fail

__all__ = ["backup", "doctor", "restore", "store_rules"]


def backup(
    target: Annotated[Path, typer.Argument(help="File to write.")],
    data: Data = None,
    without_files: Annotated[
        bool, typer.Option("--without-files", help="Leave the files in the bucket of the S3 store.")
    ] = False,
) -> None:
    """Write everything to one file, while the server runs or not. Keep it safe: the keys are in it."""
    from observatory.serving.backup import BackupError
    from observatory.serving.backup import backup as write

    settings = load_settings(data_dir=data)
    if without_files and settings.store == "folder":
        fail("The files are in the data folder, and a backup without them is not complete: leave out --without-files")
    try:
        counts = write(settings, target, files=not without_files)
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


def store_rules(
    apply: Annotated[bool, typer.Option("--apply", help="Set them; they replace the rules of the bucket.")] = False,
) -> None:
    """Print the rules that the bucket of the S3 store needs, as JSON: lifecycle and CORS."""
    import json

    from observatory.clock import utc_now
    from observatory.keys import load_keys
    from observatory.store.choose import make_store
    from observatory.store.rules import bucket_cors, bucket_lifecycle

    settings = load_settings()
    if settings.store != "s3" or not settings.s3_bucket:
        fail("Files are in the data folder, which needs no rules: set OBSERVATORY_STORE=s3 and OBSERVATORY_S3_BUCKET")
    lifecycle, cors = bucket_lifecycle(settings), bucket_cors(settings)
    if not apply:
        print(json.dumps({"lifecycle": lifecycle, "cors": cors}, indent=2))
        return
    from observatory.errors import ObservatoryError
    from observatory.store.s3 import S3Store

    store = make_store(settings, load_keys(settings), utc_now)
    assert isinstance(store, S3Store)
    try:
        store.apply_rules(lifecycle=lifecycle, cors=cors)
    except ObservatoryError as problem:
        fail(problem.message)
    print(f"The bucket {settings.s3_bucket} has the lifecycle and the CORS rules of this server")
