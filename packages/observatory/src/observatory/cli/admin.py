"""`observatory admin user`, `token` and `invite`; calls of all `admin` commands go through `admin_calls`."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from observatory.cli.options import Json, load_settings
from softmax.cli.errors import fail
from softmax.cli.output import table
from softmax.cli.program import CommandGroup, Entry

if TYPE_CHECKING:
    from observatory.serving.admin_client import AdminClient

__all__ = ["ADMIN", "admin_calls", "show"]

USERS = [
    Entry("create", "observatory.cli.admin:create_user", "Create an account and print its invitation link."),
    Entry("list", "observatory.cli.admin:list_users", "List all accounts."),
    Entry("disable", "observatory.cli.admin:disable_user", "Disable an account: its sessions and tokens stop working."),
    Entry("make-admin", "observatory.cli.admin:make_admin", "Make an account an administrator."),
]
TOKENS = [
    Entry("create", "observatory.cli.admin:create_token", "Create a token and print it once."),
    Entry("list", "observatory.cli.admin:list_tokens", "List all tokens that are not revoked."),
    Entry("revoke", "observatory.cli.admin:revoke_token", "Revoke a token."),
]

Days = Annotated[int | None, typer.Option(min=1, help="Days until it expires; never by default.")]
Email = Annotated[str, typer.Argument(help="Name of the account.")]

_where: dict[str, Any] = {}


def where(
    server: Annotated[str | None, typer.Option(help="Address of a server on another machine.")] = None,
    token_file: Annotated[Path | None, typer.Option(help="File with the token of an administrator there.")] = None,
    data: Annotated[Path | None, typer.Option(help="Data folder of a server on this machine.")] = None,
) -> None:
    """Choose the server: by default the one of this machine's data folder, whether it runs or not."""
    _where.update(server=server, token_file=token_file, data=data)


def create_user(
    email: Email,
    admin: Annotated[bool, typer.Option("--admin")] = False,
    name: str | None = None,
    as_json: Json = False,
) -> None:
    """Create an account and print the link with which its owner chooses a password."""
    with admin_calls() as client:
        client.call("POST", "/admin/users", {"email": email, "name": name, "is_admin": admin})
        invitation = client.call("POST", "/admin/invitations", {"email": email})
    show(invitation, as_json, f"Choose a password at: {invitation['url']}")


def list_users(as_json: Json = False) -> None:
    """List all accounts."""
    with admin_calls() as client:
        users = client.call("GET", "/admin/users")
    rows = [
        [u["email"], u["id"], "admin" if u["is_admin"] else "", "disabled" if u["disabled_at"] else ""] for u in users
    ]
    show(users, as_json, table(["Email", "Id", "Role", "State"], rows))


def disable_user(email: Email, undo: Annotated[bool, typer.Option("--undo")] = False) -> None:
    """Disable an account: its sessions and tokens stop working."""
    _update(email, {"disabled": not undo})


def make_admin(email: Email, undo: Annotated[bool, typer.Option("--undo")] = False) -> None:
    """Make an account an administrator."""
    _update(email, {"is_admin": not undo})


def create_token(
    name: Annotated[str, typer.Argument(help="What it is for.")],
    user: Annotated[str | None, typer.Option(help="Account it acts as; without it the token is for a worker.")] = None,
    read_only: Annotated[bool, typer.Option("--read-only", help="A token that changes nothing.")] = False,
    days: Days = None,
    as_json: Json = False,
) -> None:
    """Create a token and print it; it is not shown again."""
    body = {"name": name, "email": user, "expires_in_days": days, "scopes": [] if read_only else ["write"]}
    with admin_calls() as client:
        token = client.call("POST", "/admin/tokens", body)
    show(token, as_json, token["token"])


def list_tokens(as_json: Json = False) -> None:
    """List all tokens that are not revoked."""
    with admin_calls() as client:
        tokens = client.call("GET", "/admin/tokens")
    rows = [
        [t["id"], t["kind"], t["name"], t["token_preview"], t["user_id"] or "", t["expires_at"] or ""] for t in tokens
    ]
    show(tokens, as_json, table(["Id", "Kind", "Name", "Preview", "User", "Expires"], rows))


def revoke_token(token_id: Annotated[str, typer.Argument(help="Id, as `list` shows it.")]) -> None:
    """Revoke a token."""
    with admin_calls() as client:
        token = client.call("DELETE", f"/admin/tokens/{token_id}")
    print(f"Revoked {token['name']}")


def invite(
    email: Annotated[str | None, typer.Option(help="An account that is to choose a new password.")] = None,
    admin: Annotated[bool, typer.Option("--admin", help="The new account will be an administrator's.")] = False,
    hours: Annotated[int, typer.Option(min=1, help="Hours until it expires.")] = 72,
    as_json: Json = False,
) -> None:
    """Print a link that creates one account, or lets an account choose a new password."""
    with admin_calls() as client:
        invitation = client.call(
            "POST", "/admin/invitations", {"email": email, "is_admin": admin, "expires_in_hours": hours}
        )
    show(invitation, as_json, invitation["url"])


def _update(email: str, change: dict[str, Any]) -> None:
    with admin_calls() as client:
        user = next((u for u in client.call("GET", "/admin/users") if u["email"] == email.lower()), None)
        if user is None:
            fail(f"There is no account {email}")
        client.call("PATCH", f"/admin/users/{user['id']}", change)
    print(f"Changed {email}")


@contextmanager
def admin_calls() -> Iterator[AdminClient]:
    """Open calls to the server that the options name; a refusal ends the command with its message."""
    from observatory.logs import configure_logging
    from observatory.serving.admin_client import Refused, admin_client
    from observatory.serving.running import AlreadyRunning

    configure_logging("plain", "WARNING")
    settings = load_settings(data_dir=_where["data"])
    try:
        token = None if _where["token_file"] is None else _where["token_file"].read_text().strip()
        with admin_client(settings, server=_where["server"], token=token) as client:
            yield client
    except (Refused, AlreadyRunning, OSError) as problem:
        fail(str(problem))


def show(document: Any, as_json: bool, text: str) -> None:
    print(json.dumps(document, indent=2) if as_json else text)


ADMIN = CommandGroup(
    [
        Entry("user", "observatory.cli.admin:USERS", "Manage accounts."),
        Entry("token", "observatory.cli.admin:TOKENS", "Manage tokens of users and workers."),
        Entry("invite", "observatory.cli.admin:invite", "Print an invitation link."),
        Entry("season", "observatory.cli.seasons:SEASONS", "Manage seasons, which are YAML."),
        Entry("league", "observatory.cli.leagues:LEAGUES", "Manage leagues of Coworlds."),
        Entry("match", "observatory.cli.seasons:MATCHES", "Manage matches."),
        Entry("images", "observatory.cli.images:IMAGES", "Manage container images."),
        Entry("network", "observatory.cli.network:NETWORK", "Manage the hosts that policies may reach."),
        Entry("audit", "observatory.cli.network:audit", "List decisions of administrators, newest first."),
        Entry("recompute", "observatory.cli.seasons:recompute", "Recompute standings from results and compare."),
    ],
    options=where,
)
