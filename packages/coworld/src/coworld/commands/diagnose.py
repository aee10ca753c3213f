"""`coworld diagnose`."""

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

__all__ = ["diagnose"]

Policy = Annotated[
    str,
    typer.Option("--policy", metavar="REF", help="The policy to advise, as the diagnoser knows it, such as a slot."),
]
Diagnoser = Annotated[
    str | None, typer.Option("--diagnoser", metavar="ID", help="Which diagnoser; by default the first.")
]
Output = Annotated[Path, typer.Option("--output", "-o", metavar="FILE", help="The diagnosis to write.")]


@examples("coworld diagnose paintarena results --policy 0 -o diagnosis.zip")
def diagnose(
    manifest: Manifest,
    bundle: BundleArg,
    policy: Policy,
    diagnoser: Diagnoser = None,
    output: Output = Path("diagnosis.zip"),
    timeout_seconds: Timeout = 300.0,
    engine: EngineName = "auto",
    pull: Pull = "missing",
    platform: Platform = None,
    maps: Maps = None,
    unsafe_local: UnsafeLocal = False,
    server: Server = None,
    json: Json = False,
) -> None:
    """Run a diagnoser on an episode, for one policy."""
    from coworld.cli.json_output import RoleDocument
    from coworld.cli.roles import output_of
    from coworld.roles.role_runner import check_diagnosis
    from coworld.runner.artifacts import write_file
    from softmax.cli.output import print_json

    role_output = output_of(
        manifest,
        "diagnoser",
        bundle,
        role_id=diagnoser,
        target=policy,
        timeout_seconds=timeout_seconds,
        engine=engine,
        pull=pull,
        platform=platform,
        maps=maps or [],
        unsafe=unsafe_local,
        server=server,
    )
    document, names = check_diagnosis(role_output.data)
    output.parent.mkdir(parents=True, exist_ok=True)
    write_file(output, role_output.data)
    if json:
        listed = [*names]
        print_json(
            RoleDocument(role="diagnoser", id=role_output.id, output=str(output), files=listed, document=document)
        )
        return
    print(f"Diagnosis: {output}")
    print(f"Files: {', '.join(names)}")
