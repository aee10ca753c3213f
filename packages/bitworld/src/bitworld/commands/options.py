"""Options and errors that the commands share."""

import asyncio
import errno
from collections.abc import Coroutine
from contextlib import suppress
from typing import Annotated, Any

import typer

from bitworld.errors import BitWorldError
from softmax.cli.errors import fail
from softmax.cli.output import note

__all__ = ["Address", "Nim", "explain_nim", "run_server"]

NIM = "nim"
Address = Annotated[str, typer.Option("--address", metavar="HOST", help="Address to listen at.")]
Nim = Annotated[str, typer.Option("--nim", metavar="PROGRAM", help="Accepted and ignored: nothing is compiled.")]


def explain_nim(nim: str) -> None:
    if nim != NIM:
        note("--nim is ignored: the games come with this package and need no compiler")


def run_server(serving: Coroutine[Any, Any, None], port: int) -> None:
    """Run until the server ends or Ctrl-C; report what can go wrong in one sentence."""
    try:
        with suppress(KeyboardInterrupt):
            asyncio.run(serving)
    except BitWorldError as error:
        fail(str(error))
    except OSError as error:
        if error.errno == errno.EADDRINUSE:
            fail(f"Port {port} is in use", "pass another port, or none to get a free one")
        fail(f"The server cannot listen: {error.strerror or error}")
