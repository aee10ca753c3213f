"""`cogames tutorial`: commands to get started."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from cogames.cli.errors import CommandError, fail
from cogames.cli.output import hint, warn
from cogames.cli.program import Entry, examples

COMMANDS = [
    Entry("make-policy", "cogames.commands.tutorial:make_policy", "Write a new policy from a template.", "Tutorial"),
]

KIND, OUTPUT = "Policy Type", "Output"
Trainable = Annotated[bool, typer.Option("--trainable", help="A policy with a neural network.", rich_help_panel=KIND)]
Scripted = Annotated[bool, typer.Option("--scripted", help="A policy that follows rules.", rich_help_panel=KIND)]
Output = Annotated[Path, typer.Option("--output", "-o", metavar="FILE", help="File to write.", rich_help_panel=OUTPUT)]


@examples(
    "cogames tutorial make-policy --scripted -o my_policy.py",
    "cogames tutorial make-policy --trainable -o my_network.py",
)
def make_policy(
    trainable: Trainable = False, scripted: Scripted = False, output: Output = Path("my_policy.py")
) -> None:
    """Write a new policy from a template.

    Give exactly one type. The file is yours to change; it works as it is.
    """
    kinds = [kind for kind, chosen in (("trainable", trainable), ("scripted", scripted)) if chosen]
    if len(kinds) != 1:
        fail(
            "Specify exactly one of --trainable and --scripted",
            "cogames tutorial make-policy --scripted -o my_policy.py",
            "cogames tutorial make-policy --trainable -o my_network.py",
        )
    from cogames.make_policy import make_policy as write

    try:
        made = write(kinds[0], output)
    except ValueError as error:
        raise CommandError(str(error), ["choose another file with -o"]) from error
    if made.replaced:
        warn(f"{made.path} was there already and has been overwritten")
    print(f"Wrote {made.path}")
    print(f"Play with it:\ncogames play -m arena -p class={made.class_path}")
    if trainable:
        hint("networks need PyTorch: pip install cogames[neural]")
