"""The `softmax` command: signing in, and the local workflows of `cogames` under this name."""

from __future__ import annotations

from typing import Annotated

import typer

from cogames.cli.program import Entry, Program, make_app
from cogames.commands.auth import AuthServer, LoginServer

__all__ = ["app", "main"]

ACCOUNT, LOCAL = "Account", "Local Games"

COMMANDS = [
    Entry("login", "cogames.commands.auth:login", "Sign in with a browser.", ACCOUNT),
    Entry("logout", "cogames.commands.auth:logout", "Forget the saved tokens of a login server.", ACCOUNT),
    Entry("get-login-url", "cogames.commands.auth:get_login_url", "Print the address of the sign-in page.", ACCOUNT),
    Entry(
        "exchange-code",
        "softmax.main:exchange_code",
        "Turn a code of the sign-in page into a token, and save it.",
        ACCOUNT,
    ),
    Entry("status", "cogames.commands.auth:status", "Show who is signed in, as the server sees it.", ACCOUNT),
    Entry("get-token", "cogames.commands.auth:get_token", "Print the saved token, for scripts.", ACCOUNT),
    Entry(
        "set-token",
        "cogames.commands.auth:set_token",
        "Save a token, where nobody can sign in with a browser.",
        ACCOUNT,
    ),
    Entry("cogames", "cogames.softmax_cli:COMMANDS", "Play, evaluate and pack policies on this machine.", LOCAL),
]
Code = Annotated[str, typer.Argument(metavar="CODE", help="Code that the sign-in page shows.")]


def exchange_code(code: Code, server: AuthServer = None, login_server: LoginServer = None) -> None:
    """Turn a code of the sign-in page into a token, and save it.

    A code works once, for a few minutes, with the server that made it.
    """
    from cogames.client import resolve_addresses
    from cogames.client import sign_in as signing
    from cogames.client.credentials import save_user_token

    address = resolve_addresses(None, login_server or server).login
    save_user_token(address, signing.exchange_code(address, code.strip()))
    print(f"Token saved for {address}")


class SoftmaxProgram(Program):
    entries = COMMANDS


app: typer.Typer = make_app("softmax", "Sign in to a server of the Alignment League.", SoftmaxProgram)


def main() -> None:
    """Run the command with the arguments of this process, and end the process."""
    app(prog_name="softmax")
