"""`coworld leagues`, `divisions`, `results`, `rounds`, `pools` and `events`: what leagues are and how they stand."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from coworld.cli.league import (
    Cursor,
    Division,
    LeagueOption,
    LeagueServer,
    Offset,
    PlayerOption,
    Policy,
    RoundOption,
    label,
    moment,
    player_label,
    policy_id,
    print_document,
    print_line,
    print_next,
    print_rows,
    score,
)
from coworld.cli.options import Json
from softmax.cli.errors import UsageError
from softmax.cli.program import examples

if TYPE_CHECKING:
    from collections.abc import Sequence

    from coworld.server.api_client import (
        CoworldApiClient,
        DivisionPublic,
        LeaguePublic,
        RoundDetailPublic,
    )

__all__ = ["divisions", "events", "leagues", "pools", "results", "rounds"]

LeagueArg = Annotated[str | None, typer.Argument(metavar="[LEAGUE]", help="A league's id; without it, all are listed.")]
DivisionArg = Annotated[
    str | None, typer.Argument(metavar="[DIVISION]", help="A division's id; without it, they are listed.")
]
RoundArg = Annotated[str | None, typer.Argument(metavar="[ROUND]", help="A round's id; without it, they are listed.")]
PoolArg = Annotated[str | None, typer.Argument(metavar="[POOL]", help="A pool's id; without it, they are listed.")]
Target = Annotated[str, typer.Argument(metavar="TARGET", help="A league, division or round: league_, div_ or round_.")]
Status = Annotated[str | None, typer.Option("--status", metavar="STATUS", help="Only rounds with this status.")]
FewRows = Annotated[int, typer.Option("--limit", metavar="N", min=1, max=200, help="Number of rows.")]
RecentRounds = Annotated[
    int, typer.Option("--include-recent-rounds", metavar="N", min=0, help="Add this many rounds to --json.")
]
EventType = Annotated[str | None, typer.Option("--event-type", metavar="TYPE", help="Only events of this type.")]
Audience = Annotated[str | None, typer.Option("--audience", metavar="WHO", help="Only events for public or user.")]


def _client(server: str | None) -> CoworldApiClient:
    from coworld.server.api_client import CoworldApiClient

    return CoworldApiClient.maybe_signed_in(server)


@examples("coworld leagues", "coworld leagues league_... --json")
def leagues(league: LeagueArg = None, server: LeagueServer = None, json: Json = False) -> None:
    """List the leagues of a server, or show one and its guide."""
    with _client(server) as client:
        if league is None:
            rows = client.list_leagues()
            print_document(rows) if json else _print_leagues(rows, client.server_url)
            return
        row = client.get_league(league)
    print_document(row) if json else _print_league(row, client.server_url)


def _print_leagues(rows: Sequence[LeaguePublic], server: str) -> None:
    lines = [[row.id, row.name, row.game.name, "yes" if row.public else "no", moment(row.created_at)] for row in rows]
    print_rows(["ID", "Name", "Game", "Public", "Created"], lines, empty="No leagues found")
    if rows:
        print_line(f"\nHow to enter one: {server}/v2/participate?league_id=ID")


def _print_league(row: LeaguePublic, server: str) -> None:
    print_line(f"League: {row.name}")
    print_line(f"ID: {row.id}")
    print_line(f"Game: {row.game.name} ({row.game.coworld_id or 'no version yet'})")
    print_line(f"Public: {'yes' if row.public else 'no'}")
    print_line(f"Created: {moment(row.created_at)}")
    if row.rounds_paused_at is not None:
        print_line(f"Rounds paused: {moment(row.rounds_paused_at)}")
    if row.disabled_at is not None:
        print_line(f"Disabled: {moment(row.disabled_at)}")
    print_line(f"How to enter: {server}/v2/participate?league_id={row.id}")


@examples("coworld divisions --league league_...")
def divisions(
    division: DivisionArg = None, league: LeagueOption = None, server: LeagueServer = None, json: Json = False
) -> None:
    """List divisions, or show one."""
    with _client(server) as client:
        if division is None:
            rows = client.list_divisions(league_id=league)
            print_document(rows) if json else _print_divisions(rows)
            return
        row = client.get_division(division)
    print_document(row) if json else _print_division(row)


def _print_divisions(rows: Sequence[DivisionPublic]) -> None:
    lines = [[row.id, row.name, row.level, row.league.name, moment(row.created_at)] for row in rows]
    print_rows(["ID", "Name", "Level", "League", "Created"], lines, empty="No divisions found", right=[2])


def _print_division(row: DivisionPublic) -> None:
    print_line(f"Division: {row.name}")
    print_line(f"ID: {row.id}")
    print_line(f"Level: {row.level} ({row.type})")
    print_line(f"League: {row.league.name} ({row.league.id})")
    if row.description:
        print_line(f"Description: {row.description}")
    for name, text in (row.commissioner_description or {}).items():
        if isinstance(text, str) and text:
            print_line(f"{name.replace('_', ' ').capitalize()}: {text}")
    print_line(f"Created: {moment(row.created_at)}")


@examples("coworld results league_...", "coworld results div_...", "coworld results round_... --json")
def results(
    target: Target, include_recent_rounds: RecentRounds = 0, server: LeagueServer = None, json: Json = False
) -> None:
    """Show the divisions of a league, the standings of a division, or the results of a round."""
    kind = target.partition("_")[0]
    if kind not in ("league", "div", "round"):
        raise UsageError(f"{target!r} is not the id of a league, division or round", ["coworld leagues lists leagues"])
    with _client(server) as client:
        if kind == "league":
            ladder = client.get_league_division_ladder(target)
            if json:
                print_document(ladder)
                return
            lines = [[f"{row.name} ({row.id})", row.level, row.member_count] for row in ladder]
            print_rows(["Division", "Level", "Members"], lines, empty="The league has no divisions", right=[1, 2])
        elif kind == "div":
            board = client.get_division_leaderboard(target, include_recent_rounds=include_recent_rounds)
            if json:
                print_document(board)
                return
            lines = [[row.rank, row.player_name or row.player_id, score(row.score), row.rounds_played] for row in board]
            headers = ["Rank", "Player", "Score", "Rounds"]
            print_rows(headers, lines, empty="The division has no standings yet", right=[0, 2, 3])
        else:
            row = client.get_round(target)
            print_document(row) if json else _print_results(row)


def _print_results(row: RoundDetailPublic) -> None:
    lines = [
        [result.rank, player_label(result.player), label(result.policy_version), score(result.score)]
        for result in row.results
    ]
    headers = ["Rank", "Player", "Policy", "Score"]
    print_rows(headers, lines, empty=f"The round is {row.status} and has no results", right=[0, 3])


@examples("coworld rounds --league league_...", "coworld rounds --status running", "coworld rounds round_...")
def rounds(
    round_id: RoundArg = None,
    league: LeagueOption = None,
    division: Division = None,
    status: Status = None,
    limit: FewRows = 25,
    cursor: Cursor = None,
    offset: Offset = 0,
    server: LeagueServer = None,
    json: Json = False,
) -> None:
    """List rounds, or show one."""
    with _client(server) as client:
        if round_id is not None:
            row = client.get_round(round_id)
            if json:
                print_document(row)
                return
            print_line(f"Round: {row.round_number} of {row.division.name} ({row.division.id})")
            print_line(f"Status: {row.status}" + (f": {row.error}" if row.error else ""))
            print_line(f"Started: {moment(row.started_at)}, completed: {moment(row.completed_at)}")
            _print_results(row)
            return
        page = client.list_rounds(
            league_id=league, division_id=division, status=status, limit=limit, cursor=cursor, offset=offset or None
        )
    if json:
        print_document(page)
        return
    lines = [
        [
            row.id,
            row.round_number,
            row.status,
            f"{row.division.name} ({row.division.league.name})",
            moment(row.started_at),
            moment(row.completed_at),
        ]
        for row in page.entries
    ]
    headers = ["ID", "#", "Status", "Division", "Started", "Completed"]
    print_rows(headers, lines, empty="No rounds found", right=[1])
    print_next(page.next_cursor)


@examples("coworld pools --round round_...")
def pools(
    pool: PoolArg = None,
    round_id: RoundOption = None,
    limit: FewRows = 50,
    offset: Offset = 0,
    server: LeagueServer = None,
    json: Json = False,
) -> None:
    """List the pools of rounds, or show one. Since leagues have divisions, a round has one pool."""
    with _client(server) as client:
        if pool is None:
            rows = client.list_pools(round_id=round_id, limit=limit, offset=offset)
            if json:
                print_document(rows)
                return
            lines = [[row.id, row.round_id, row.label, row.status, moment(row.created_at)] for row in rows]
            print_rows(["ID", "Round", "Label", "Status", "Created"], lines, empty="No pools found")
            return
        detail = client.get_pool(pool)
    if json:
        print_document(detail)
        return
    print_line(f"Pool: {detail.label} of {detail.round_id}, {detail.status}")
    entries = [[entry.seed_order, player_label(entry.player), label(entry.policy_version)] for entry in detail.entries]
    print_rows(["Seed", "Player", "Policy"], entries, empty="The pool has no entrants", right=[0])


@examples("coworld events --league league_...", "coworld events --event-type champion_changed")
def events(
    league: LeagueOption = None,
    division: Division = None,
    round_id: RoundOption = None,
    event_type: EventType = None,
    audience: Audience = None,
    policy: Policy = None,
    player: PlayerOption = None,
    limit: FewRows = 50,
    cursor: Cursor = None,
    server: LeagueServer = None,
    json: Json = False,
) -> None:
    """List what happened in leagues, newest first."""
    with _client(server) as client:
        page = client.list_events(
            league_id=league,
            division_id=division,
            round_id=round_id,
            event_type=event_type,
            audience=audience,
            player_id=player,
            policy_version_id=policy_id(client, policy),
            limit=limit,
            cursor=cursor,
        )
    if json:
        print_document(page)
        return
    lines = [[row.id, row.event_type, moment(row.created_at), row.headline, row.summary] for row in page.entries]
    print_rows(["ID", "Type", "When", "Headline", "Summary"], lines, empty="No events found")
    print_next(page.next_cursor)
