"""`cogames reproduce`."""

from __future__ import annotations

import tempfile
from contextlib import ExitStack
from pathlib import Path
from typing import Annotated

import typer

from cogames.commands.shared.server import OUTPUT, Json, LoginServer, LongServer, client_for, print_json, signed_in
from softmax.cli.errors import fail
from softmax.cli.output import note, print_table, warn
from softmax.cli.program import examples

MatchId = Annotated[str, typer.Argument(metavar="MATCH_ID", help="Id of the match, or a prefix of one of yours.")]
Keep = Annotated[
    Path | None,
    typer.Option(
        "--keep", metavar="DIR", help="Keep downloaded and replayed files in a new folder.", rich_help_panel=OUTPUT
    ),
]
Sandbox = Annotated[str, typer.Option("--sandbox", metavar="LEVEL", help="Weakest isolation to play policies in.")]


@examples("cogames reproduce MATCH_ID", "cogames reproduce MATCH_ID --keep ./again --json")
def reproduce(
    match_id: MatchId,
    keep: Keep = None,
    sandbox: Sandbox = "landlock",
    server: LongServer = None,
    login_server: LoginServer = None,
    json: Json = False,
) -> None:
    """Replay a match on this machine and compare it byte for byte.

    Seeds are hidden until the season ends; before that only its operators can do this. A policy whose bundle you may
    not download is played from its recorded actions. The exit code is 0 if results and replay are identical.
    """
    from cogames.client.lookup import find_match
    from cogames.client.references import as_uuid
    from cogames.client.reproduction import reproduce_match

    if keep is not None and keep.exists() and (not keep.is_dir() or any(keep.iterdir())):
        fail(f"{keep} exists and is not empty", "pass a new folder to --keep")
    client = client_for(server, login_server)
    if as_uuid(match_id) is None:
        match_id = str(find_match(signed_in(client), match_id))
    with ExitStack() as stack:
        folder = keep or Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="cogames-reproduce-")))
        outcome = reproduce_match(client, match_id, folder.absolute(), sandbox=sandbox, tell=note)
    if json:
        print_json({**outcome.model_dump(mode="json"), "same": outcome.is_same})
    else:
        rows = [
            [file.name, *(_short(digest) for digest in (file.recorded, file.stored, file.played))]
            for file in outcome.files
        ]
        print_table(["File", "Recorded", "On the server", "Played here"], rows)
    for sentence in outcome.sentences():
        warn(sentence) if not outcome.is_same else note(sentence)
    if not outcome.is_same:
        fail("The match could not be confirmed")
    if not json:
        print("The same, byte for byte")


def _short(digest: str | None) -> str:
    return "missing" if digest is None else digest[:12]
