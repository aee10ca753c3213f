"""`observatory worker`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

__all__ = ["worker"]


def worker(
    server: Annotated[str, typer.Option(help="Address of the server.", envvar="OBSERVATORY_SERVER")],
    token_file: Annotated[Path, typer.Option(help="File with a token of `observatory admin token create`.")],
    name: Annotated[str | None, typer.Option(help="Name of this worker, for people.")] = None,
    label: Annotated[
        list[str] | None, typer.Option(help="Label of this machine for the page of workers, such as `gpu`; repeatable.")
    ] = None,
    once: Annotated[bool, typer.Option("--once", help="Play one job at most, then stop.")] = False,
    sandbox: Annotated[str, typer.Option(help="Weakest isolation to play policies in.")] = "landlock",
    parent: Annotated[int | None, typer.Option(hidden=True)] = None,
) -> None:
    """Play episodes for a server until stopped."""
    from observatory.worker.program import read_token, run_worker

    run_worker(server, read_token(token_file), name=name, labels=label or (), once=once, minimum=sandbox, parent=parent)
