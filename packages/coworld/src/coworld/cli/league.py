"""Shared parts of commands that call a league server: options, tables and JSON."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import datetime
from pathlib import Path
from typing import Annotated, Any

import typer

from softmax.cli.output import decimal, note, print_table

__all__ = [
    "Cursor",
    "Division",
    "DownloadDir",
    "LeagueOption",
    "LeagueServer",
    "Limit",
    "Mine",
    "Offset",
    "Output",
    "PlayerOption",
    "Policy",
    "PoolOption",
    "RoundOption",
    "label",
    "moment",
    "player_label",
    "policy_id",
    "print_document",
    "print_line",
    "print_next",
    "print_rows",
    "round_of",
    "score",
]

BLANK = "-"

LeagueServer = Annotated[
    str | None,
    typer.Option(
        "--server",
        metavar="URL",
        help="League server [default: COGAMES_API_URL, ~/.metta/config.yaml, or this machine's]",
    ),
]
LeagueOption = Annotated[str | None, typer.Option("--league", "-l", metavar="LEAGUE", help="Only of this league.")]
Division = Annotated[str | None, typer.Option("--division", "-d", metavar="DIVISION", help="Only of this division.")]
RoundOption = Annotated[str | None, typer.Option("--round", "-r", metavar="ROUND", help="Only of this round.")]
PoolOption = Annotated[str | None, typer.Option("--pool", metavar="POOL", help="Only of this pool: pool_....")]
Policy = Annotated[
    str | None, typer.Option("--policy", "-p", metavar="POLICY", help="Only of this policy: NAME, NAME:v2 or an id.")
]
PlayerOption = Annotated[str | None, typer.Option("--player", metavar="PLAYER", help="Only of this player (ply_...).")]
Mine = Annotated[bool, typer.Option("--mine", help="Only what is yours.")]
Limit = Annotated[int | None, typer.Option("--limit", metavar="N", min=1, max=1000, help="Number of rows.")]
Offset = Annotated[int, typer.Option("--offset", metavar="N", min=0, help="Skip this many rows.")]
Cursor = Annotated[str | None, typer.Option("--cursor", metavar="CURSOR", help="Continue after the previous page.")]
Output = Annotated[Path | None, typer.Option("--output", "-o", metavar="FILE", help="Write it to this file.")]
DownloadDir = Annotated[
    Path | None, typer.Option("--download-dir", "-o", metavar="DIR", help="Download the files to this folder.")
]


def policy_id(client: Any, policy: str | None) -> Any:
    """Return the id of the policy version that an option names; None without the option."""
    if policy is None:
        return None
    from coworld.server.references import policy_version_of
    from softmax.cli.errors import UsageError

    try:
        return policy_version_of(client, policy)
    except ValueError as error:
        raise UsageError(str(error), ["write NAME, NAME:v2 or the id of a policy version"]) from None


def round_of(round_id: str | None, pool: str | None) -> str | None:
    """Return the round that `--round` or `--pool` names: a round has one pool, with the same number."""
    return round_id if pool is None else f"round_{pool.removeprefix('pool_')}"


def print_document(document: Any) -> None:
    """Print models as one JSON document, with fields that this version does not know."""
    from pydantic import BaseModel

    from softmax.cli.output import print_data

    def plain(value: Any) -> Any:
        if isinstance(value, BaseModel):
            return value.model_dump(mode="json")
        return [plain(item) for item in value] if isinstance(value, list) else value

    print_data(plain(document), "json")


def print_rows(
    headers: Sequence[str], rows: Iterable[Sequence[object]], *, empty: str, right: Sequence[int] = ()
) -> None:
    """Print a table, or a sentence if it has no rows. Names come from other people: they cannot control a terminal."""
    lines = [[_plain(cell) for cell in row] for row in rows]
    if lines:
        print_table(headers, lines, right=right)
    else:
        note(empty)


def print_line(text: str) -> None:
    """Print one line with names from other people, without control characters."""
    print(_plain(text))


def print_next(cursor: str | None) -> None:
    """Print the cursor of the next page, if there is one."""
    if cursor is not None:
        print_line(f"Next cursor: {cursor}")


def moment(time: datetime | None) -> str:
    """Format a time as local time, to the minute."""
    return BLANK if time is None else time.astimezone().strftime("%Y-%m-%d %H:%M")


def score(value: float | None) -> str:
    if value is None:
        return BLANK
    return f"{value:.4f}" if value == 0 or abs(value) >= 0.01 else decimal(value)


def label(policy_version: Any) -> str:
    return BLANK if policy_version is None else f"{policy_version.policy.name}:v{policy_version.version}"


def player_label(player: Any) -> str:
    return BLANK if player is None else player.name or player.id


def _plain(cell: object) -> str:
    text = BLANK if cell is None or cell == "" else str(cell)
    return "".join(letter if letter.isprintable() else " " for letter in text)
