"""`coworld grade`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from coworld.cli.options import (
    BundleArg,
    EngineName,
    Json,
    Manifest,
    Maps,
    Platform,
    Pull,
    Server,
    Timeout,
    UnsafeLocal,
)
from softmax.cli.program import examples

__all__ = ["grade"]

Grader = Annotated[str | None, typer.Option("--grader", metavar="ID", help="Which grader; by default the first.")]
Output = Annotated[
    Path | None, typer.Option("--output", "-o", metavar="FILE", help="Also write the grade to this file.")
]


@examples("coworld grade paintarena results", "coworld grade paintarena episode.zip --json")
def grade(
    manifest: Manifest,
    bundle: BundleArg,
    grader: Grader = None,
    output: Output = None,
    timeout_seconds: Timeout = 300.0,
    engine: EngineName = "auto",
    pull: Pull = "missing",
    platform: Platform = None,
    maps: Maps = None,
    unsafe_local: UnsafeLocal = False,
    server: Server = None,
    json: Json = False,
) -> None:
    """Run a grader on an episode."""
    from coworld.cli.json_output import RoleDocument
    from coworld.cli.roles import output_of
    from coworld.roles.role_runner import check_grade
    from coworld.runner.artifacts import write_file
    from softmax.cli.output import print_json

    role_output = output_of(
        manifest,
        "grader",
        bundle,
        role_id=grader,
        timeout_seconds=timeout_seconds,
        engine=engine,
        pull=pull,
        platform=platform,
        maps=maps or [],
        unsafe=unsafe_local,
        server=server,
    )
    document = check_grade(role_output.data)
    if output is not None:
        output.parent.mkdir(parents=True, exist_ok=True)
        write_file(output, role_output.data)
    if json:
        path = str(output) if output is not None else None
        print_json(RoleDocument(role="grader", id=role_output.id, output=path, document=document))
        return
    print(f"Score: {document['score']}")
    for key, value in document.items():
        if key != "score":
            print(f"{key}: {value}")
