"""`cogames submissions`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Annotated

import typer

from cogames.commands.shared.server import (
    FILTER,
    NOTHING,
    Json,
    LoginServer,
    Server,
    client_for,
    moment,
    print_json,
    signed_in,
    versions_of,
)
from cogames.commands.shared.web import Web, open_page
from softmax.cli.output import hint, print_table, warn
from softmax.cli.program import examples

if TYPE_CHECKING:
    from cogames.client import TournamentServerClient
    from softmax.wire import PolicySummary, PolicyVersionRow

Policy = Annotated[
    str | None,
    typer.Option("--policy", "-p", metavar="POLICY", help="Only this policy: NAME or NAME:v2.", rich_help_panel=FILTER),
]
Season = Annotated[
    str | None,
    typer.Option("--season", metavar="SEASON", help="Show submissions to this season.", rich_help_panel=FILTER),
]


@examples(
    "cogames submissions",
    "cogames submissions --season beta-cvc",
    "cogames submissions -p my-policy",
    "cogames submissions -p my-policy --web",
)
def submissions(
    policy: Policy = None,
    season: Season = None,
    web: Web = False,
    server: Server = None,
    login_server: LoginServer = None,
    json: Json = False,
) -> None:
    """Show your uploads, or your submissions to a season."""
    client = signed_in(client_for(server, login_server))
    if web:
        _open(client, policy, season, server, login_server)
        return
    if season is None:
        uploads = versions_of(client, policy)
        print_json(uploads) if json else _print_uploads(client, uploads)
        if policy and not uploads:
            from cogames.client.lookup import UnknownPolicy

            for text in UnknownPolicy(policy, client.get_my_policy_versions(), otherwise="").hints:
                hint(text)
        return
    from cogames.client.references import split_reference

    rows = client.get_season_policies(season, mine=True)
    if policy is not None:
        name, version = split_reference(policy)
        rows = [row for row in rows if row.policy.name == name and version in (None, row.policy.version)]
    print_json(rows) if json else _print_entries(rows, season)


def _open(
    client: TournamentServerClient, policy: str | None, season: str | None, server: str | None, login: str | None
) -> None:
    """Open the page of a policy, of a season, or of the user's own policies."""
    if policy is not None:
        from cogames.client.lookup import own_version

        open_page(server, login, "policies", own_version(client, policy).id)
    elif season is not None:
        open_page(server, login, "seasons", season)
    else:
        open_page(server, login, "home")


def _print_uploads(client: TournamentServerClient, uploads: Sequence[PolicyVersionRow]) -> None:
    from cogames.client import ClientError

    if not uploads:
        print("No uploads found.")
        return
    try:
        seasons = client.get_my_memberships()
    except ClientError as error:
        warn(f"could not fetch the seasons of your policies: {error}")
        seasons = {}
    rows = [(row.label, moment(row.created_at), ", ".join(seasons.get(str(row.id), [])) or NOTHING) for row in uploads]
    print_table(["Policy", "Uploaded", "Seasons"], rows, title="Your Uploaded Policies")


def _print_entries(entries: Sequence[PolicySummary], season: str) -> None:
    if not entries:
        print(f"No submissions found in '{season}'.")
        return
    rows: list[tuple[str, str]] = []
    for entry in entries:
        rows.append((entry.policy.label, moment(entry.entered_at)))
        for pool in entry.pools:
            branch = "└" if pool is entry.pools[-1] else "├"
            state = "active" if pool.active else "retired"
            count = pool.completed + pool.failed + pool.pending
            rows.append((f"  {branch} {pool.pool_name} ({state}): {count} matches", ""))
    print_table(["Policy", "Entered"], rows, title=f"Submissions in '{season}'")
