"""Commands for servers with names; part of `cogames auth`."""

from __future__ import annotations

import os
from typing import Annotated

import typer

from softmax.cli.output import hint, print_data, print_table, warn
from softmax.cli.program import examples

ServerName = Annotated[str, typer.Argument(metavar="NAME", help="Name of the server.")]
NewName = Annotated[str, typer.Argument(metavar="NAME", help="Name to give it: letters, digits, - and _.")]
Address = Annotated[str, typer.Argument(metavar="URL", help="Address of the server.")]
Login = Annotated[
    str | None, typer.Option("--login-server", metavar="URL", help="Login server, if it is at another address.")
]
Switch = Annotated[bool, typer.Option("--switch", help="Also use it from now on.")]
Json = Annotated[bool, typer.Option("--json", help="Print JSON and nothing else; --json=name prints one field.")]


def list_servers(json: Json = False) -> None:
    """List the servers with names, and where you are signed in."""
    from softmax.client.addresses import resolve_addresses
    from softmax.client.credentials import current_token
    from softmax.client.servers import named_servers

    used = resolve_addresses()
    rows = []
    for server in named_servers():
        login = resolve_addresses(server.name).login
        rows.append(
            {
                "name": server.name,
                "server": server.api,
                "login_server": login,
                "signed_in": current_token(login) is not None,
                "current": server.api == used.api,
            }
        )
    if json:
        print_data(rows, "json")
        return
    cells = [
        ("*" if row["current"] else "", row["name"], row["server"], "yes" if row["signed_in"] else "no") for row in rows
    ]
    print_table(["", "Name", "Server", "Signed In"], cells)
    if not any(row["current"] for row in rows):
        hint(f"commands use {used.api}, which has no name; `cogames auth add NAME {used.api}` names it")
    else:
        hint("* marks the server that commands use; `cogames auth switch NAME` changes it")


@examples("cogames auth add work https://league.example.org --switch")
def add(name: NewName, url: Address, login_server: Login = None, switch: Switch = False) -> None:
    """Give a server a name."""
    from softmax.client.servers import add_server, switch_server

    server = add_server(name, url, login_server)
    print(f"Added {server.name}: {server.api}")
    if switch:
        switch_server(name)
        _print_switched(name, server.api)
    else:
        hint(f"cogames auth switch {name}")


def remove(name: ServerName) -> None:
    """Forget the name of a server; its saved tokens stay."""
    from softmax.client.addresses import saved_login
    from softmax.client.credentials import current_token
    from softmax.client.servers import remove_server

    server = remove_server(name)
    print(f"Removed {server.name}: {server.api}")
    login = server.login or saved_login(f"{server.api}/api")
    if current_token(login) is not None:
        hint(f"you are still signed in there; to sign out: cogames auth logout --server {login}")


@examples("cogames auth switch work", "cogames auth switch local")
def switch(name: ServerName) -> None:
    """Use a server in all commands that do not name another one."""
    from softmax.client.servers import switch_server

    _print_switched(name, switch_server(name).api)


def _print_switched(name: str, address: str) -> None:
    from softmax.client.addresses import API_VARIABLE, LOGIN_VARIABLE, resolve_addresses
    from softmax.client.credentials import current_token

    print(f"Commands now use {name}: {address}")
    for variable in (API_VARIABLE, LOGIN_VARIABLE):
        if os.environ.get(variable):
            warn(f"{variable} is set to {os.environ[variable]} and wins over it")
    if current_token(resolve_addresses(name).login) is None:
        hint("you are not signed in there: cogames auth login")
