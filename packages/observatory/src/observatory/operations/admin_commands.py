"""`observatory admin`: accounts, tokens, invitations and seasons, from the machine of the server or from another."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

if TYPE_CHECKING:
    from observatory.operations.admin_client import AdminClient

__all__ = ["Json", "admin_calls", "app", "show", "table"]

app = typer.Typer(no_args_is_help=True, help="Accounts, tokens, invitations and seasons.")
user_app = typer.Typer(no_args_is_help=True, help="Accounts.")
token_app = typer.Typer(no_args_is_help=True, help="Tokens of users and of workers.")
app.add_typer(user_app, name="user")
app.add_typer(token_app, name="token")

Json = Annotated[bool, typer.Option("--json", help="Print the server's answer as JSON.")]
Days = Annotated[int | None, typer.Option(min=1, help="Days until it expires; never by default.")]
Email = Annotated[str, typer.Argument(help="Name of the account.")]

_where: dict[str, Any] = {}


@app.callback()
def where(
    server: Annotated[str | None, typer.Option(help="Address of another machine's server.")] = None,
    token_file: Annotated[Path | None, typer.Option(help="File with the token of an administrator there.")] = None,
    data: Annotated[Path | None, typer.Option(help="Data folder of a server on this machine.")] = None,
) -> None:
    """By default the server of this machine's data folder, whether it runs or not."""
    _where.update(server=server, token_file=token_file, data=data)


@user_app.command("create")
def create_user(
    email: Email,
    admin: Annotated[bool, typer.Option("--admin")] = False,
    name: str | None = None,
    as_json: Json = False,
) -> None:
    """Make an account, and print the link with which its owner chooses a password."""
    with admin_calls() as client:
        client.call("POST", "/admin/users", {"email": email, "name": name, "is_admin": admin})
        invitation = client.call("POST", "/admin/invitations", {"email": email})
    show(invitation, as_json, f"Choose a password at: {invitation['url']}")


@user_app.command("list")
def list_users(as_json: Json = False) -> None:
    """Every account."""
    with admin_calls() as client:
        users = client.call("GET", "/admin/users")
    rows = [
        [u["email"], u["id"], "admin" if u["is_admin"] else "", "disabled" if u["disabled_at"] else ""] for u in users
    ]
    show(users, as_json, table(rows))


@user_app.command("disable")
def disable_user(email: Email, undo: Annotated[bool, typer.Option("--undo")] = False) -> None:
    """Lock an account out: its sessions and tokens work no more."""
    _update(email, {"disabled": not undo})


@user_app.command("make-admin")
def make_admin(email: Email, undo: Annotated[bool, typer.Option("--undo")] = False) -> None:
    """Let an account administer the server."""
    _update(email, {"is_admin": not undo})


@token_app.command("create")
def create_token(
    name: Annotated[str, typer.Argument(help="What it is for.")],
    user: Annotated[str | None, typer.Option(help="Account it acts as; without it the token is for a worker.")] = None,
    read_only: Annotated[bool, typer.Option("--read-only", help="A token that changes nothing.")] = False,
    days: Days = None,
    as_json: Json = False,
) -> None:
    """Make a token and print it; it is shown only now."""
    body = {"name": name, "email": user, "expires_in_days": days, "scopes": [] if read_only else ["write"]}
    with admin_calls() as client:
        made = client.call("POST", "/admin/tokens", body)
    show(made, as_json, made["token"])


@token_app.command("list")
def list_tokens(as_json: Json = False) -> None:
    """Every token that was not revoked."""
    with admin_calls() as client:
        tokens = client.call("GET", "/admin/tokens")
    rows = [
        [t["id"], t["kind"], t["name"], t["token_preview"], t["user_id"] or "", t["expires_at"] or ""] for t in tokens
    ]
    show(tokens, as_json, table(rows))


@token_app.command("revoke")
def revoke_token(token_id: Annotated[str, typer.Argument(help="Id, as `list` shows it.")]) -> None:
    """Make a token useless."""
    with admin_calls() as client:
        gone = client.call("DELETE", f"/admin/tokens/{token_id}")
    print(f"Revoked {gone['name']}")


@app.command()
def invite(
    email: Annotated[str | None, typer.Option(help="An account that is to choose a new password.")] = None,
    admin: Annotated[bool, typer.Option("--admin", help="The new account will be an administrator's.")] = False,
    hours: Annotated[int, typer.Option(min=1, help="Hours until it expires.")] = 72,
    as_json: Json = False,
) -> None:
    """Print a link that makes one account, or lets an account choose a new password."""
    with admin_calls() as client:
        made = client.call("POST", "/admin/invitations", {"email": email, "is_admin": admin, "expires_in_hours": hours})
    show(made, as_json, made["url"])


def _update(email: str, change: dict[str, Any]) -> None:
    with admin_calls() as client:
        user = next((u for u in client.call("GET", "/admin/users") if u["email"] == email.lower()), None)
        if user is None:
            from observatory.main import fail

            fail(f"There is no account {email}")
        client.call("PATCH", f"/admin/users/{user['id']}", change)
    print(f"Changed {email}")


@contextmanager
def admin_calls() -> Iterator[AdminClient]:
    """Calls to the server that the options mean; a refusal ends the program with its sentence."""
    from observatory.main import fail, load_settings
    from observatory.operations.admin_client import Refused, admin_client
    from observatory.operations.logs import configure_logging
    from observatory.operations.running import AlreadyRunning

    configure_logging("plain", "WARNING")
    settings = load_settings({} if _where["data"] is None else {"data_dir": _where["data"]})
    try:
        token = None if _where["token_file"] is None else _where["token_file"].read_text().strip()
        with admin_client(settings, server=_where["server"], token=token) as client:
            yield client
    except (Refused, AlreadyRunning, OSError) as problem:
        fail(str(problem))


def show(document: Any, as_json: bool, text: str) -> None:
    print(json.dumps(document, indent=2) if as_json else text)


def table(rows: Sequence[Sequence[str]]) -> str:
    widths = [max((len(row[column]) for row in rows), default=0) for column in range(len(rows[0]) if rows else 0)]
    return "\n".join(
        "  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip() for row in rows
    )
