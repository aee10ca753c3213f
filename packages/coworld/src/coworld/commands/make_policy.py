"""`coworld make-policy`."""

from __future__ import annotations

import shlex
from pathlib import Path
from typing import Annotated

import typer

from coworld.cli.options import Json
from softmax.cli.program import examples

__all__ = ["make_policy", "write"]

NAMES = "python, typescript, cpp; game, commissioner, reporter, grader, diagnoser, optimizer"
Name = Annotated[str, typer.Argument(metavar="NAME", help=f"Template: {NAMES}.")]
Output = Annotated[Path, typer.Option("--output", "-o", metavar="DIR", help="A folder that is missing or empty.")]


@examples("coworld make-policy python -o my-player", "coworld make-policy game -o my-game")
def make_policy(name: Name, output: Output, json: Json = False) -> None:
    """Write a player, or another part of a Coworld, from a template."""
    write(name, output, as_json=json)


def write(template: str, directory: Path, *, as_json: bool) -> None:
    """Write a template and tell what there is; a folder with files in it is a usage error."""
    from coworld.cli.json_output import FilesDocument
    from coworld.templates import TemplateError, write_template
    from softmax.cli.errors import UsageError, hints_of
    from softmax.cli.output import print_json

    try:
        files = write_template(template, directory)
    except TemplateError as error:
        raise UsageError(str(error), hints_of(error) or ()) from error
    names = sorted(path.relative_to(directory).as_posix() for path in files)
    if as_json:
        print_json(FilesDocument(folder=str(directory), template=template, files=names))
        return
    print(f"Wrote {directory}: {', '.join(names)}")
    print(f"Try it: {shlex.join(['coworld', 'run-episode', str(directory / 'coworld_manifest.json')])}")
