"""Shared parts of commands that call a server: options, the client with its token, times and JSON output."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import TYPE_CHECKING, Annotated, Any

import typer

from softmax.cli.output import command_line, decimal, hint, note, print_data

if TYPE_CHECKING:
    from cogames.client import TournamentServerClient
    from softmax.wire import PolicyVersionRow

__all__ = [
    "Json",
    "LoginServer",
    "LongServer",
    "Server",
    "client_for",
    "moment",
    "number",
    "print_json",
    "show_home",
    "signed_in",
    "versions_of",
]

SERVER, OUTPUT, FILTER, TOURNAMENT = "Server", "Output", "Filter", "Tournament"
NOTHING = "—"
SERVER_HELP = "Server, or a name of `cogames auth list` [default: COGAMES_API_URL, the chosen one, or this machine's]"

Server = Annotated[
    str | None, typer.Option("--server", "-s", metavar="SERVER", help=SERVER_HELP, rich_help_panel=SERVER)
]
LongServer = Annotated[str | None, typer.Option("--server", metavar="SERVER", help=SERVER_HELP, rich_help_panel=SERVER)]
LoginServer = Annotated[
    str | None,
    typer.Option(
        "--login-server",
        metavar="SERVER",
        help="Server whose token to use [default: COGAMES_LOGIN_URL, or the same]",
        rich_help_panel=SERVER,
    ),
]
Json = Annotated[
    bool,
    typer.Option(
        "--json", help="Print JSON and nothing else; --json=id,name prints only these fields.", rich_help_panel=OUTPUT
    ),
]


def client_for(server: str | None, login_server: str | None = None) -> TournamentServerClient:
    """Return a client that uses the saved token when there is one."""
    from cogames.client import TournamentServerClient, resolve_addresses
    from softmax.client.credentials import current_token

    addresses = resolve_addresses(server, login_server)
    client = TournamentServerClient(addresses.api, current_token(addresses.login))
    named = login_server or server
    if named is not None:
        client.sign_in = command_line("cogames", "auth", "login", "--server", named)
    return client


def signed_in(client: TournamentServerClient) -> TournamentServerClient:
    """Check the client's token with the server and return the client."""
    client.check_token()
    return client


def versions_of(client: TournamentServerClient, policy: str | None) -> list[PolicyVersionRow]:
    """Return the user's policy versions: all, or those that match `name[:version]`."""
    from cogames.client.references import split_reference

    return client.get_my_policy_versions(*(split_reference(policy) if policy else (None, None)))


def print_json(rows: Any) -> None:
    """Print the server's documents as JSON, including fields that this version does not know."""
    from pydantic import BaseModel

    def plain(value: Any) -> Any:
        if isinstance(value, BaseModel):
            return value.model_dump(mode="json")
        if isinstance(value, list):
            return [plain(item) for item in value]
        if isinstance(value, dict):
            return {key: plain(item) for key, item in value.items()}
        return value

    print_data(plain(rows), "json")


def moment(time: datetime | str | None) -> str:
    """Format a time as local time, to the minute."""
    if time is None:
        return NOTHING
    try:
        parsed = datetime.fromisoformat(time) if isinstance(time, str) else time
    except ValueError:
        return str(time)
    return f"{parsed.astimezone():%Y-%m-%d %H:%M}"


def number(value: float | None) -> str:
    return NOTHING if value is None else decimal(value)


def show_home(login: str, follow_up: Sequence[str]) -> None:
    """Print the URL of the user's policies and the next commands; open the URL if there is a display and a terminal."""
    from cogames.commands.shared.web import why_no_browser
    from softmax.client.addresses import home_page

    page = home_page(login)
    reason = why_no_browser()
    if reason is None:
        import webbrowser

        reason = None if webbrowser.open(page) else "no browser could be started"
    if reason is not None:
        note(f"Browser launch skipped: {reason}")
    print(f"Observatory: {page}")
    for command in follow_up:
        hint(command)
