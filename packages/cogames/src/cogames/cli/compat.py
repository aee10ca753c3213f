"""Compatibility name for checking that a season accepts policies of this version."""

from __future__ import annotations

from typing import TYPE_CHECKING

import typer

from cogames.cli.base import console

if TYPE_CHECKING:
    from softmax.wire import SeasonSummary

__all__ = ["check_compat_version", "console"]


def check_compat_version(season: SeasonSummary) -> None:
    """Print the reason and exit with code 1 when the season plays with another version of the game."""
    from cogames.client.pools import check_compatible
    from softmax.client.errors import ClientError

    try:
        check_compatible(season)
    except ClientError as error:
        console.print(f"[red]Error:[/red] {error}")
        for hint in error.hints:
            console.print(f"hint: {hint}", markup=False)
        raise typer.Exit(1) from error
