"""`coworld init`: begin a project."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Literal

import typer

from coworld.cli.options import Json
from softmax.cli.program import Entry, examples

__all__ = ["COMMANDS", "player"]

COMMANDS = [Entry("player", "coworld.commands.init:player", "Write a player that plays and certifies as it is.")]

EXAMPLES = ("paintarena", "parley")
"""names that scripts may give; all of them get the same player"""

Language = Literal["python", "typescript", "cpp"]
Directory = Annotated[Path, typer.Argument(metavar="DIR", help="A folder that is missing or empty.")]
LanguageOpt = Annotated[Language, typer.Option("--language", "-l", help="The language of the player.")]
Example = Annotated[
    str | None,
    typer.Option("--example", metavar="NAME", help="Accepted for older scripts: the players here play Paint Arena."),
]


@examples("coworld init player my-player", "coworld init player my-player --language cpp")
def player(
    directory: Directory = Path("."), language: LanguageOpt = "python", example: Example = None, json: Json = False
) -> None:
    """Write a player that plays and certifies as it is.

    The folder is a whole Coworld: the player, a manifest that seats it in Paint Arena, and how it is run here.
    """
    from coworld.commands.make_policy import write
    from coworld.templates import TEMPLATES

    if example is not None:
        from softmax.cli.errors import UsageError
        from softmax.cli.output import note

        if example not in EXAMPLES:
            raise UsageError(f"There is no example {example!r}", [f"it is one of: {', '.join(EXAMPLES)}"])
        note("The players here play Paint Arena, whatever `--example` names")
    write(language, directory, as_json=json)
    if not json and TEMPLATES[language].build:
        print(f"Build: (cd {directory} && {TEMPLATES[language].build})")
