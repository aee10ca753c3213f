"""`coworld manifest-schema`."""

from __future__ import annotations

from typing import Annotated

import typer

from coworld.cli.options import Json
from softmax.cli.program import Entry, examples

__all__ = ["COMMANDS", "check"]

COMMANDS = [
    Entry("check", "coworld.commands.manifest_schema:check", "Compare the schema of manifests with an older one.")
]

Against = Annotated[
    str, typer.Option("--against", metavar="REF", help="A commit, or a folder with the package's older files.")
]


@examples("coworld manifest-schema check --against older-coworld")
def check(against: Against = "origin/main", json: Json = False) -> None:
    """Compare the schema of manifests with an older one: would a manifest that was good then still be?"""
    from coworld.cli.json_output import SchemaCheckDocument
    from coworld.manifest.schema_check import check_manifest_schema
    from softmax.cli.output import print_json

    problems = check_manifest_schema(against)
    if json:
        print_json(SchemaCheckDocument(against=against, problems=problems))
    elif not problems:
        print(f"Nothing that was good at {against} breaks")
    else:
        for problem in problems:
            print(problem)
    if problems:
        raise typer.Exit(1)
