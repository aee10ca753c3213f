"""`coworld roles`: find implementations of all roles in catalogues of folders."""

from __future__ import annotations

from typing import Annotated

import typer

from coworld.cli.options import Json
from coworld.commands.reporters import Catalogs, QueryArg
from softmax.cli.program import Entry, examples

__all__ = ["COMMANDS", "list_roles", "search_roles", "show_role"]

COMMANDS = [
    Entry("list", "coworld.commands.roles:list_roles", "List implementations of roles."),
    Entry("search", "coworld.commands.roles:search_roles", "Find them by a text."),
    Entry("show", "coworld.commands.roles:show_role", "Show one, and its entry for a manifest."),
]

Role = Annotated[str | None, typer.Option("--role", metavar="ROLE", help="Only this role, such as grader.")]
EntryArg = Annotated[str, typer.Argument(metavar="ID", help="The id of an implementation.")]


@examples("coworld roles list", "coworld roles list --role grader")
def list_roles(role: Role = None, catalogs: Catalogs = None, json: Json = False) -> None:
    """List the implementations of the built-in catalogue and of catalogue folders."""
    _print(role, None, catalogs, json=json)


@examples("coworld roles search highlights")
def search_roles(text: QueryArg, role: Role = None, catalogs: Catalogs = None, json: Json = False) -> None:
    """List the implementations that match a text."""
    _print(role, text, catalogs, json=json)


@examples("coworld roles show default-grader")
def show_role(entry: EntryArg, role: Role = None, catalogs: Catalogs = None, json: Json = False) -> None:
    """Show an implementation, and the entry for a manifest."""
    from coworld.catalogue.folders import entry_named, matching, read_catalogues
    from coworld.cli.catalogue import print_entry

    _check(role)
    print_entry(entry_named(matching(read_catalogues(catalogs or []), role=role), entry), json=json)


def _print(role: str | None, query: str | None, catalogs: Catalogs, *, json: bool) -> None:
    from coworld.catalogue.folders import matching, read_catalogues
    from coworld.cli.catalogue import print_entries

    _check(role)
    print_entries(matching(read_catalogues(catalogs or []), role=role, query=query), json=json)


def _check(role: str | None) -> None:
    from coworld.catalogue.entries import ROLES
    from softmax.cli.errors import UsageError

    if role is not None and role not in ROLES:
        raise UsageError(f"{role!r} is not a role", [f"roles are: {', '.join(ROLES)}"])
