"""`coworld league settings` and the commands that start and stop rounds, for owners of leagues."""

from __future__ import annotations

import json as format
from pathlib import Path
from typing import Annotated

import typer

from coworld.cli.league import LeagueServer, print_document, print_line
from coworld.cli.options import Json
from coworld.commands.league import LeagueArg, league_client
from softmax.cli.errors import UsageError
from softmax.cli.program import examples

__all__ = ["cancel_round", "pause", "resume", "settings", "trigger"]

SettingsFile = Annotated[
    Path | None, typer.Argument(metavar="FILE", help="A JSON file with the new settings; without it they are printed.")
]
RoundArg = Annotated[str, typer.Argument(metavar="ROUND", help="A round's id (round_...).")]
Reason = Annotated[str | None, typer.Option("--reason", metavar="TEXT", help="A sentence for those who play in it.")]


@examples("coworld league settings league_...", "coworld league settings league_... settings.json")
def settings(league: LeagueArg, file: SettingsFile = None, server: LeagueServer = None, json: Json = False) -> None:
    """Print how a league is played, with all defaults, or replace it by a file. Owners may, and administrators."""
    from coworld.server.references import resolve_league_id

    document = None if file is None else _read(file)
    with league_client(server) as client:
        league_id = resolve_league_id(client, league)
        found = client.get_league_settings(league_id)
        if document is not None:
            found = client.replace_league_settings(league_id, document, revision=found.revision)
    if json:
        print_document(found)
        return
    document = {"ladder": found.effective_ladder_config, "round_interval_minutes": found.round_interval_minutes}
    print_line(format.dumps({**found.settings, **document}, indent=2))


def _read(file: Path) -> dict[str, object]:
    try:
        document = format.loads(file.read_text())
    except OSError as error:
        raise UsageError(f"{file} cannot be read: {error.strerror}", ["give the path of a JSON file"]) from None
    except ValueError as error:
        raise UsageError(f"{file} is not JSON: {error}", ["correct it"]) from None
    if not isinstance(document, dict):
        raise UsageError(f"{file} has no object", ['write {"ladder": {"enabled": true}}'])
    return document


@examples("coworld league pause league_...")
def pause(league: LeagueArg, server: LeagueServer = None, json: Json = False) -> None:
    """Start no more rounds; a round that has begun ends as usual."""
    _pause(league, True, server, json)


@examples("coworld league resume league_...")
def resume(league: LeagueArg, server: LeagueServer = None, json: Json = False) -> None:
    """Start rounds again."""
    _pause(league, False, server, json)


def _pause(league: str, paused: bool, server: str | None, json: bool) -> None:
    from coworld.server.references import resolve_league_id

    with league_client(server) as client:
        row = client.pause_league_rounds(resolve_league_id(client, league), paused=paused)
    print_document(row) if json else print_line(f"Rounds of {row.name} are {'paused' if paused else 'played'}")


@examples("coworld league trigger league_...")
def trigger(league: LeagueArg, server: LeagueServer = None, json: Json = False) -> None:
    """Start the next round of every division now, regardless of the interval."""
    from coworld.server.references import resolve_league_id

    with league_client(server) as client:
        row = client.trigger_league_round(resolve_league_id(client, league))
    print_document(row) if json else print_line(f"The next round of {row.name} starts now")


@examples("coworld league cancel-round round_... --reason 'wrong map'")
def cancel_round(round_id: RoundArg, reason: Reason = None, server: LeagueServer = None, json: Json = False) -> None:
    """Cancel a round that is being played; it changes no rating."""
    with league_client(server) as client:
        row = client.cancel_round(round_id, reason=reason)
    print_document(row) if json else print_line(f"Round {row.round_number} of {row.division.name} is {row.status}")
