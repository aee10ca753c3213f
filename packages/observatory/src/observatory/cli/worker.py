"""`observatory worker`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from softmax.cli.errors import fail

__all__ = ["CaFile", "DrainSeconds", "check_labels", "worker"]

CaFile = Annotated[
    Path | None,
    typer.Option(
        help="Certificates to trust beside the usual ones.", envvar="OBSERVATORY_CA_FILE", exists=True, dir_okay=False
    ),
]
DrainSeconds = Annotated[
    float | None,
    typer.Option(min=0, help="After SIGTERM, give jobs back that have not ended after this time; by default wait."),
]


def worker(
    server: Annotated[str, typer.Option(help="Address of the server.", envvar="OBSERVATORY_SERVER")],
    token_file: Annotated[Path, typer.Option(help="File with a token of `observatory admin token create`.")],
    name: Annotated[str | None, typer.Option(help="Name of this worker, for people.")] = None,
    label: Annotated[
        list[str] | None,
        typer.Option(help="Label of this machine, such as `region=eu`; seasons may require some. Repeatable."),
    ] = None,
    ca_file: CaFile = None,
    drain_seconds: DrainSeconds = None,
    once: Annotated[bool, typer.Option("--once", help="Play one job at most, then stop.")] = False,
    sandbox: Annotated[str, typer.Option(help="Weakest isolation to play policies in.")] = "landlock",
    parent: Annotated[int | None, typer.Option(hidden=True)] = None,
) -> None:
    """Play episodes for a server until stopped."""
    from observatory.worker.program import read_token, run_worker

    run_worker(
        server,
        read_token(token_file),
        name=name,
        labels=check_labels(label or []),
        once=once,
        minimum=sandbox,
        parent=parent,
        ca_file=ca_file,
        drain_seconds=drain_seconds,
    )


def check_labels(labels: list[str]) -> list[str]:
    """Return the labels; end the command if one is not a label."""
    from pydantic import TypeAdapter, ValidationError

    from observatory.jobs.labels import WorkerLabel

    for label in labels:
        try:
            TypeAdapter(WorkerLabel).validate_python(label)
        except ValidationError:
            fail(
                f"{label!r} is not a label",
                "up to 63 letters, digits and _ . = / -, the first a letter or a digit, such as gpu or region=eu",
            )
    return labels
