"""Commands that sign in to a login server and manage the saved tokens; also `cogames auth`."""

from __future__ import annotations

import shlex
import sys
from typing import Annotated

import typer

from softmax.cli.errors import fail
from softmax.cli.output import hint, note
from softmax.cli.program import examples

HELP = "Login server, or a name of `cogames auth list` [default: COGAMES_LOGIN_URL, the chosen one, or this machine's]"
AuthServer = Annotated[str | None, typer.Option("--server", "-s", metavar="SERVER", help=HELP)]
LoginServer = Annotated[
    str | None, typer.Option("--login-server", metavar="SERVER", help="The same; wins over --server.")
]
NoBrowser = Annotated[bool, typer.Option("--no-browser", help="Only print the address of the page.")]
Force = Annotated[bool, typer.Option("--force", "-f", help="Sign in again, even with a token that works.")]
Timeout = Annotated[
    float | None, typer.Option("--timeout", metavar="S", min=1, help="Give up after this many seconds.")
]
Token = Annotated[str, typer.Argument(metavar="TOKEN", help="Token to save; - reads it from standard input.")]


@examples("cogames auth login", "cogames auth login --server https://league.example.org/api")
def login(
    server: AuthServer = None,
    login_server: LoginServer = None,
    no_browser: NoBrowser = False,
    force: Force = False,
    timeout: Timeout = None,
) -> None:
    """Sign in with a browser.

    Opens a page of the login server, which sends the token back; you can also paste it here. Without a terminal the
    command prints the URL of the page and how to save a token.
    """
    from softmax.client.addresses import host_of
    from softmax.client.credentials import save_user_token
    from softmax.client.sign_in import read_pasted_token, sign_in

    address = _login_server(server, login_server)
    if not force and _is_known(address):
        print(f"Already authenticated with {host_of(address)}")
        hint("cogames auth login --force signs in again")
        return
    if not sys.stdin.isatty():
        _print_instructions(address)
        raise typer.Exit(1)
    token = sign_in(
        address,
        show=lambda page: _show_page(page, no_browser),
        paste=read_pasted_token,
        say=note,
        timeout=timeout,
    )
    save_user_token(address, token)
    print(f"\nSigned in to {host_of(address)}")


def logout(server: AuthServer = None, login_server: LoginServer = None) -> None:
    """Delete the saved tokens of a login server."""
    from softmax.client.addresses import saved_login
    from softmax.client.credentials import delete_tokens

    deleted = delete_tokens(saved_login(_login_server(server, login_server)))
    print("Logged out." if deleted else "No token found: already logged out.")


def get_login_url(server: AuthServer = None, login_server: LoginServer = None) -> None:
    """Print the address of the sign-in page."""
    from softmax.client.addresses import login_page

    print(login_page(_login_server(server, login_server)))


@examples("cogames auth status", "cogames auth status --server https://league.example.org/api")
def status(server: AuthServer = None, login_server: LoginServer = None) -> None:
    """Show the signed-in user, as the server reports it."""
    from softmax.client import NotAuthenticated, fetch_whoami, resolve_addresses
    from softmax.client.addresses import saved_login
    from softmax.client.credentials import current_token
    from softmax.client.servers import find_server

    named = login_server or server
    if find_server(named) is not None:
        addresses = resolve_addresses(named)
        server = login_server = None
    else:
        addresses = resolve_addresses(server if login_server else None, saved_login(named) if named else None)
    token = current_token(addresses.login)
    if token is None:
        raise NotAuthenticated(hints=[_sign_in(named)])
    # With one address, call the login server itself; with two, the API server.
    identity = fetch_whoami(addresses.login if (server is None) != (login_server is None) else addresses.api, token)
    print("Authenticated")
    print(f"user_email: {identity.user_email}")
    print(f"subject_type: {identity.subject_type}")
    print(f"subject_id: {identity.subject_id or '-'}")
    print(f"owner_user_id: {identity.owner_user_id or '-'}")
    if identity.scopes:
        print(f"scopes: {', '.join(identity.scopes)}")


def _sign_in(server: str | None) -> str:
    """Return the command that signs in to a server."""
    return "cogames auth login" if server is None else f"cogames auth login --server {shlex.quote(server)}"


def get_token(server: AuthServer = None, login_server: LoginServer = None) -> None:
    """Print the saved token, for scripts."""
    from softmax.client import NotAuthenticated
    from softmax.client.addresses import saved_login
    from softmax.client.credentials import current_token

    token = current_token(saved_login(_login_server(server, login_server)))
    if token is None:
        raise NotAuthenticated("No token found.", [_sign_in(login_server or server)])
    print(token)


@examples("cogames auth set-token TOKEN", "cogames auth set-token - < token.txt")
def set_token(token: Token, server: AuthServer = None, login_server: LoginServer = None) -> None:
    """Save a token, on a machine without a browser."""
    from softmax.client.credentials import save_user_token

    address = _login_server(server, login_server)
    token = (sys.stdin.readline() if token == "-" else token).strip()
    if not token or not token.isascii() or not token.isprintable() or " " in token:
        fail("A token is one word of ASCII characters; copy it again from the page")
    save_user_token(address, token)
    print(f"Token saved for {address}")


def _login_server(server: str | None, login_server: str | None) -> str:
    from softmax.client import resolve_addresses

    return resolve_addresses(None, login_server or server).login


def _is_known(login: str) -> bool:
    """Return whether the user's saved token works or cannot be checked."""
    from softmax.client import ClientError, TokenRejected, fetch_whoami
    from softmax.client.credentials import user_token

    token = user_token(login)
    if token is None:
        return False
    try:
        fetch_whoami(login, token)
    except TokenRejected:
        return False
    except ClientError as error:
        note(f"Could not verify the saved token: {error}")
    return True


def _show_page(page: str, no_browser: bool) -> None:
    import webbrowser

    note(f"Open this page to sign in:\n\n    {page}\n")
    if not no_browser:
        webbrowser.open(page)
    note("The page sends the token back. If it shows the token instead, paste it here.")


def _print_instructions(login: str) -> None:
    from softmax.client.addresses import login_page

    print("Interactive login requires a terminal.")
    print(f"\nOpen this page in any browser to sign in:\n\n    {login_page(login)}\n")
    print(f"Copy the token it shows, then run:\n\n    cogames auth set-token --server '{login}' '<TOKEN>'\n")
    print("Automated programs: ask your user to open the page and give you the token.")
