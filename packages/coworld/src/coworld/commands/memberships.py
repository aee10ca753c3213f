"""`coworld submit`, `submissions`, `memberships`, `retire-membership` and `champion`: who plays in a league."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Literal

import typer

from coworld.cli.league import (
    Cursor,
    Division,
    LeagueOption,
    LeagueServer,
    Limit,
    Mine,
    PlayerOption,
    Policy,
    label,
    player_label,
    policy_id,
    print_document,
    print_line,
    print_next,
    print_rows,
)
from coworld.cli.options import Json, OpenBrowser
from coworld.cli.pairs import json_pairs
from softmax.cli.program import examples

if TYPE_CHECKING:
    from collections.abc import Sequence

    from coworld.server.api_client import CoworldApiClient, LeaguePolicyMembershipPublic

__all__ = ["champion", "memberships", "retire_membership", "submissions", "submit"]

PolicyArg = Annotated[str, typer.Argument(metavar="POLICY", help="Your policy: NAME, NAME:v2 or an id.")]
MembershipArg = Annotated[str, typer.Argument(metavar="MEMBERSHIP", help="A membership's id (lpm_...).")]
ToLeague = Annotated[
    str, typer.Option("--league", "-l", metavar="LEAGUE", help="The league: its id, or its name if only one has it.")
]
AsPlayer = Annotated[
    str | None,
    typer.Option("--player", metavar="PLAYER", help="Player to submit as [default: the active or the default one]"),
]
AutoChampionOption = Annotated[
    Literal["always", "never", "lineage"],
    typer.Option("--auto-champion", help="When the version replaces your champion."),
]
Preference = Annotated[
    list[str] | None,
    typer.Option("--preference", metavar="KEY=VALUE", help="A wish for its seats; JSON values are read (repeatable)."),
]
Reason = Annotated[str | None, typer.Option("--reason", metavar="TEXT", help="Why, for the league's log.")]
ActiveOnly = Annotated[bool, typer.Option("--active-only", help="Only live memberships.")]
ChampionsOnly = Annotated[bool, typer.Option("--champions-only", help="Only champions.")]


def _client(server: str | None) -> CoworldApiClient:
    from coworld.server.api_client import CoworldApiClient

    return CoworldApiClient.from_login(server)


@examples("coworld submit my-player --league league_...", "coworld submit my-player:v3 -l league_... --player ply_...")
def submit(
    policy: PolicyArg,
    league: ToLeague,
    player: AsPlayer = None,
    auto_champion: AutoChampionOption = "always",
    preference: Preference = None,
    open_browser: OpenBrowser = True,
    server: LeagueServer = None,
    json: Json = False,
) -> None:
    """Submit a policy to a league."""
    from coworld.cli.browser import open_page
    from coworld.cli.support import observatory_web_url
    from coworld.server.references import resolve_league_id

    preferences = json_pairs(preference, "--preference")
    with _client(server) as client:
        submission = client.submit_to_league(
            resolve_league_id(client, league),
            policy_id(client, policy),
            auto_champion=auto_champion,
            preferences=preferences or None,
            player_id=player,
        )
    page = observatory_web_url(client.server_url, f"policies/versions/{submission.policy_version.id}")
    if json:
        print_document(submission)
        return
    print_line(f"Submission: {submission.id}")
    print_line(f"Policy: {label(submission.policy_version)} as {player_label(submission.player)}")
    print_line(f"League: {submission.league.name}")
    print_line(f"Status: {submission.status}" + (f": {submission.notes}" if submission.notes else ""))
    print_line(f"Page: {page}")
    if open_browser:
        open_page(page)


@examples("coworld submissions --mine", "coworld submissions --league league_... --json")
def submissions(
    league: LeagueOption = None,
    policy: Policy = None,
    player: PlayerOption = None,
    mine: Mine = False,
    limit: Limit = None,
    cursor: Cursor = None,
    server: LeagueServer = None,
    json: Json = False,
) -> None:
    """List submissions to leagues."""
    with _client(server) as client:
        page = client.list_submissions(
            league_id=league,
            player_id=player,
            policy_version_id=policy_id(client, policy),
            mine=mine,
            limit=limit,
            cursor=cursor,
        )
    if json:
        print_document(page)
        return
    lines = [
        [
            row.id,
            row.status,
            player_label(row.player),
            label(row.policy_version),
            row.league.name,
            row.league_policy_membership_id,
        ]
        for row in page.entries
    ]
    print_rows(["ID", "Status", "Player", "Policy", "League", "Membership"], lines, empty="No submissions found")
    print_next(page.next_cursor)


@examples("coworld memberships --league league_... --active-only", "coworld memberships --mine --json")
def memberships(
    league: LeagueOption = None,
    division: Division = None,
    policy: Policy = None,
    player: PlayerOption = None,
    mine: Mine = False,
    active_only: ActiveOnly = False,
    champions_only: ChampionsOnly = False,
    limit: Limit = None,
    cursor: Cursor = None,
    server: LeagueServer = None,
    json: Json = False,
) -> None:
    """List who plays in leagues."""
    from coworld.server.api_client import CoworldApiClient

    signed_in = mine or policy is not None
    with CoworldApiClient.from_login(server) if signed_in else CoworldApiClient.maybe_signed_in(server) as client:
        page = client.list_memberships(
            league_id=league,
            division_id=division,
            policy_version_id=policy_id(client, policy),
            player_id=player,
            active_only=active_only,
            champions_only=champions_only,
            mine=mine,
            limit=limit,
            cursor=cursor,
        )
    if json:
        print_document(page)
        return
    _print_memberships(page.entries)
    print_next(page.next_cursor)


@examples("coworld retire-membership lpm_... --reason 'a better version plays'")
def retire_membership(
    membership: MembershipArg, reason: Reason = None, server: LeagueServer = None, json: Json = False
) -> None:
    """Take a policy out of a league."""
    with _client(server) as client:
        row = client.retire_membership(membership, reason=reason)
    print_document(row) if json else _print_memberships([row])


@examples("coworld champion lpm_...")
def champion(membership: MembershipArg, server: LeagueServer = None, json: Json = False) -> None:
    """Make a membership its player's champion: the version that plays in rounds."""
    with _client(server) as client:
        row = client.make_champion(membership)
    print_document(row) if json else _print_memberships([row])


def _print_memberships(rows: Sequence[LeaguePolicyMembershipPublic]) -> None:
    lines = [
        [
            row.id,
            player_label(row.player),
            label(row.policy_version),
            f"{row.division.name} ({row.league.name})",
            row.status,
            "champion" if row.is_champion else row.substatus,
        ]
        for row in rows
    ]
    headers = ["ID", "Player", "Policy", "Division", "Status", "Substatus"]
    print_rows(headers, lines, empty="No memberships found")
