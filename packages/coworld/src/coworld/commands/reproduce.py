"""`coworld reproduce`."""

from __future__ import annotations

import tempfile
from contextlib import ExitStack
from pathlib import Path
from typing import Annotated

import typer

from coworld.cli.league import LeagueServer, print_document, print_rows
from coworld.cli.options import Json
from coworld.commands.episodes import EpisodeArg
from softmax.cli.errors import UsageError, fail
from softmax.cli.output import note
from softmax.cli.program import examples

__all__ = ["reproduce"]

Keep = Annotated[
    Path | None, typer.Option("--keep", metavar="DIR", help="Keep the downloaded and played files in a new folder.")
]
Sandbox = Annotated[str, typer.Option("--sandbox", metavar="LEVEL", help="Weakest isolation to play policies in.")]


@examples("coworld reproduce ereq_...", "coworld reproduce ereq_... --keep again --json")
def reproduce(
    episode: EpisodeArg,
    keep: Keep = None,
    sandbox: Sandbox = "landlock",
    server: LeagueServer = None,
    json: Json = False,
) -> None:
    """Play an episode of a server on this machine and compare results and replay byte for byte.

    It needs the archives of all policies in it. A game that does not wait for its players may end differently.
    """
    from coworld.server.reproduction import reproduce_episode
    from coworld.server.upload_client import CoworldUploadClient

    if keep is not None and keep.exists() and (not keep.is_dir() or any(keep.iterdir())):
        raise UsageError(f"{keep} exists and is not empty", ["give a new folder to --keep"])
    with CoworldUploadClient.from_login(server) as client, ExitStack() as stack:
        folder = keep or Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="coworld-reproduce-")))
        outcome = reproduce_episode(client, episode, folder.absolute(), minimum=sandbox, say=note)
    if json:
        print_document(outcome)
    else:
        lines = [[file.name, _short(file.recorded), _short(file.played)] for file in outcome.files]
        print_rows(["File", "On the server", "Played here"], lines, empty="No files to compare")
    if not outcome.same:
        fail("The episode is not the same here", "compare the files: --keep DIR keeps them")
    if not json:
        print("The same, byte for byte")


def _short(digest: str | None) -> str:
    return "missing" if digest is None else digest[:12]
