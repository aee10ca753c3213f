"""The `softmax` command: sign in to a league server. Other distributions add commands, such as `softmax cogames`."""

from __future__ import annotations

from typing import Annotated

import typer

from softmax.cli.program import Entry, Program, make_app
from softmax.commands.auth import AuthServer, LoginServer

__all__ = ["app", "main"]

ACCOUNT = "Account"

COMMANDS = [
    Entry("login", "softmax.commands.auth:login", "Sign in with a browser.", ACCOUNT),
    Entry("logout", "softmax.commands.auth:logout", "Delete the saved tokens of a login server.", ACCOUNT),
    Entry("get-login-url", "softmax.commands.auth:get_login_url", "Print the address of the sign-in page.", ACCOUNT),
    Entry(
        "exchange-code",
        "softmax.main:exchange_code",
        "Exchange a code from the sign-in page for a token, and save it.",
        ACCOUNT,
    ),
    Entry("status", "softmax.commands.auth:status", "Show the signed-in user, as the server reports it.", ACCOUNT),
    Entry("get-token", "softmax.commands.auth:get_token", "Print the saved token, for scripts.", ACCOUNT),
    Entry(
        "set-token",
        "softmax.commands.auth:set_token",
        "Save a token, on a machine without a browser.",
        ACCOUNT,
    ),
]
Code = Annotated[str, typer.Argument(metavar="CODE", help="Code that the sign-in page shows.")]


def exchange_code(code: Code, server: AuthServer = None, login_server: LoginServer = None) -> None:
    """Exchange a code from the sign-in page for a token, and save it.

    A code works once, for a few minutes, with the server that issued it.
    """
    from softmax.client import resolve_addresses
    from softmax.client import sign_in as signing
    from softmax.client.credentials import save_user_token

    address = resolve_addresses(None, login_server or server).login
    save_user_token(address, signing.exchange_code(address, code.strip()))
    print(f"Token saved for {address}")


class SoftmaxProgram(Program):
    """`softmax`, with the commands that other distributions add, such as `softmax cogames`."""

    distribution = "softmax-cli"
    entries = COMMANDS
    entry_point_group = "softmax.commands"


app: typer.Typer = make_app("softmax", "Sign in to an Alignment League server.", SoftmaxProgram)


def main() -> None:
    """Run the command with the arguments of this process, and end the process."""
    app(prog_name="softmax")
