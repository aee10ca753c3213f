"""`observatory workers`."""

from __future__ import annotations

import logging
import signal
from pathlib import Path
from types import FrameType
from typing import Annotated

import typer

from observatory.cli.worker import CaFile, check_labels
from softmax.cli.errors import fail

__all__ = ["workers"]


def workers(
    ray: Annotated[str, typer.Option(help="Address of a Ray cluster, or `auto`.")],
    server: Annotated[str, typer.Option(help="Address of the server.", envvar="OBSERVATORY_SERVER")],
    token_file: Annotated[Path, typer.Option(help="File with a token of `observatory admin token create`.")],
    minimum: Annotated[int, typer.Option("--min", min=0, help="Workers without any jobs.")] = 1,
    maximum: Annotated[int, typer.Option("--max", min=1, help="Most workers.")] = 8,
    label: Annotated[list[str] | None, typer.Option(help="Label of these workers; repeatable.")] = None,
    name: Annotated[str, typer.Option(help="Name of the fleet, if a cluster has several.")] = "fleet",
    cpus: Annotated[float, typer.Option(min=0, help="Processors that Ray reserves for each worker.")] = 1.0,
    gpus: Annotated[float, typer.Option(min=0, help="Graphics cards that Ray reserves for each worker.")] = 0.0,
    sandbox: Annotated[str, typer.Option(help="Weakest isolation to play policies in.")] = "landlock",
    calm_seconds: Annotated[
        float, typer.Option(min=0, help="Remove workers that were not needed for this long.")
    ] = 60.0,
    ca_file: CaFile = None,
    stop: Annotated[bool, typer.Option("--stop", help="Drain all workers of the fleet, then end.")] = False,
) -> None:
    """Run workers on a Ray cluster, as many as the queue needs.

    The workers continue when this program is killed; the same command takes them over. SIGTERM and Ctrl-C leave them
    running too: `--stop` drains them.
    """
    from observatory.fleet.queue import Queue
    from observatory.fleet.ray_fleet import FleetError, RayFleet, connected
    from observatory.fleet.scaling import Scale
    from observatory.fleet.slot import SlotOptions
    from observatory.logs import configure_logging
    from observatory.worker.client import ServerAway, WrongServer
    from observatory.worker.program import read_token

    configure_logging("plain", "INFO")
    logger = logging.getLogger("observatory.fleet")
    labels = check_labels(label or [])
    token = read_token(token_file)
    options = SlotOptions(
        server=server,
        token=token,
        labels=labels,
        sandbox=sandbox,
        certificates=None if ca_file is None else ca_file.read_text(),
    )
    is_stopping = False

    def on_signal(number: int, frame: FrameType | None) -> None:
        nonlocal is_stopping
        is_stopping = True

    try:
        queue = Queue(server, token, labels, ca_file=ca_file)
        fleet = RayFleet(options, Scale(minimum, maximum, calm_seconds), name=name, cpus=cpus, gpus=gpus)

        def jobs() -> int | None:
            try:
                return queue.jobs()
            except ServerAway as problem:
                logger.warning("%s; the fleet stays as it is", problem)
                return None

        with connected(ray):
            for number in (signal.SIGTERM, signal.SIGINT):
                signal.signal(number, on_signal)
            if stop:
                fleet.drain()
                print("All workers of the fleet have ended")
                return
            fleet.run(jobs, stopping=lambda: is_stopping)
    except (FleetError, WrongServer, PermissionError) as problem:
        fail(str(problem))
