"""`cogames leaderboard`."""

from __future__ import annotations

from typing import Annotated

import typer

from cogames.commands.shared.server import (
    FILTER,
    TOURNAMENT,
    Json,
    LoginServer,
    Server,
    client_for,
    print_json,
    signed_in,
)
from cogames.commands.shared.web import Web, open_page
from softmax.cli.errors import fail
from softmax.cli.program import examples

SeasonArgument = Annotated[str | None, typer.Argument(metavar="SEASON", help="Season: NAME or NAME:v2.")]
SeasonOption = Annotated[
    str | None,
    typer.Option(
        "--season",
        metavar="SEASON",
        help="Same as the SEASON argument.",
        show_default="the server's default",
        rich_help_panel=TOURNAMENT,
    ),
]
Policy = Annotated[
    str | None,
    typer.Option("--policy", "-P", metavar="POLICY", help="Only this policy: NAME or NAME:v2.", rich_help_panel=FILTER),
]
Mine = Annotated[bool, typer.Option("--mine", "-M", help="Only your own.", rich_help_panel=FILTER)]


@examples(
    "cogames leaderboard",
    "cogames leaderboard beta-cvc --mine",
    "cogames leaderboard beta-cvc --policy my-policy:v3 --json",
)
def leaderboard(
    season: SeasonArgument = None,
    season_option: SeasonOption = None,
    policy: Policy = None,
    mine: Mine = False,
    web: Web = False,
    server: Server = None,
    login_server: LoginServer = None,
    json: Json = False,
) -> None:
    """Show the standings of a season."""
    if season is not None and season_option is not None:
        fail("Pass the season once: as an argument or with --season")
    from cogames.client.references import split_reference
    from cogames.commands.season import print_standings

    reference = split_reference(policy) if policy else None
    client = client_for(server, login_server)
    if mine:
        client.require_token()
    name = season or season_option or client.get_default_season().name
    if web:
        open_page(server, login_server, "seasons", client.get_season(name).name)
        return
    rows = client.get_leaderboard(name)
    if mine:
        own = {row.policy.id for row in signed_in(client).get_season_policies(name, mine=True)}
        rows = [row for row in rows if row.policy.id in own]
    if reference is not None:
        rows = [row for row in rows if row.policy.name == reference[0] and reference[1] in (None, row.policy.version)]
    if json:
        print_json(rows)
    elif not rows and policy:
        print(f"'{policy}' has no score in '{name}' yet.")
    elif not rows:
        print(f"None of your policies has a score in '{name}' yet." if mine else f"No scored policies in '{name}' yet.")
    else:
        print_standings(rows, f"Leaderboard: {name}")
