"""The commands of a league server, for other programs that have a Typer application of their own."""

from __future__ import annotations

from typing import TYPE_CHECKING

from coworld.cli.table import COMMANDS, EPISODES, LEAGUE
from softmax.cli.program import Entry

if TYPE_CHECKING:
    import typer

__all__ = ["register_tournament_commands"]


def register_tournament_commands(app: typer.Typer) -> None:
    """Add the commands about leagues and hosted episodes to an application."""
    for entry in COMMANDS:
        if entry.panel in (LEAGUE, EPISODES) and entry.is_listed:
            _add(app, entry)


def _add(app: typer.Typer, entry: Entry) -> None:
    import importlib

    import typer

    module, _, attribute = entry.target.partition(":")
    target = getattr(importlib.import_module(module), attribute)
    if not isinstance(target, list):
        app.command(entry.name, help=entry.summary)(target)
        return
    group = typer.Typer(help=entry.summary)
    for sub in target:
        _add(group, sub)
    app.add_typer(group, name=entry.name)
