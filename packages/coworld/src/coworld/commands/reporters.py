"""`coworld reporters`: find reporters in catalogues of folders, or on a server."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Literal

import typer

from coworld.cli.options import Json
from softmax.cli.program import Entry, examples

__all__ = ["COMMANDS", "list_reporters", "search_reporters", "show_reporter"]

COMMANDS = [
    Entry("list", "coworld.commands.reporters:list_reporters", "List reporters."),
    Entry("search", "coworld.commands.reporters:search_reporters", "Find reporters by a text."),
    Entry("show", "coworld.commands.reporters:show_reporter", "Show a reporter and its outputs."),
]

Catalogs = Annotated[
    list[Path] | None,
    typer.Option("--catalog", metavar="DIR", help="A folder with a CATALOG.yaml (repeatable); also COWORLD_CATALOGS."),
]
OnServer = Annotated[
    str | None, typer.Option("--server", metavar="URL", help="Read the reporters of this server instead.")
]
Query = Annotated[
    str | None,
    typer.Option("--query", "-q", metavar="TEXT", help="Text in the name, title, description or purpose."),
]
QueryArg = Annotated[str, typer.Argument(metavar="TEXT", help="Text in the name, title, description or purpose.")]
Types = Annotated[
    list[str] | None,
    typer.Option("--type", metavar="TYPE", help="Output type such as render-html (repeatable)."),
]
Mode = Annotated[
    Literal["all", "hosted", "external"],
    typer.Option("--mode", help="Where reporters run: on the server or elsewhere."),
]
Author = Annotated[str | None, typer.Option("--author", metavar="OWNER", help="Owner, exactly.")]
Schema = Annotated[str | None, typer.Option("--schema", metavar="URI", help="Schema that a JSON output declares.")]
Limit = Annotated[int, typer.Option("--limit", metavar="N", min=1, max=500, help="Number of rows.")]
Cursor = Annotated[str | None, typer.Option("--cursor", metavar="CURSOR", help="Continue a server's listing.")]
ReporterArg = Annotated[str, typer.Argument(metavar="ID", help="A reporter's id; on a server it starts with rptr_.")]


@examples("coworld reporters list", "coworld reporters list --type render-html --json")
def list_reporters(
    query: Query = None,
    type_filter: Types = None,
    mode: Mode = "all",
    author: Author = None,
    limit: Limit = 200,
    cursor: Cursor = None,
    schema_uri: Schema = None,
    catalogs: Catalogs = None,
    server: OnServer = None,
    json: Json = False,
) -> None:
    """List the reporters of the built-in catalogue, of catalogue folders, or of a server."""
    from coworld.cli.catalogue import print_entries, print_reporters
    from softmax.cli.errors import UsageError

    if server is not None:
        if catalogs:
            raise UsageError("--catalog and --server exclude each other", ["leave one of them out"])
        from coworld.server.api_client import CoworldApiClient

        with CoworldApiClient.maybe_signed_in(server) as client:
            page = client.list_reporters(
                q=query,
                types=type_filter,
                mode=mode,
                author=author,
                schema_uri=schema_uri,
                limit=limit,
                cursor=cursor,
            )
        print_reporters(page, json=json)
        return
    from coworld.catalogue.folders import matching, read_catalogues

    listed = matching(
        read_catalogues(catalogs or []),
        role="reporter",
        query=query,
        types=type_filter or (),
        owner=author,
        schema=schema_uri,
    )
    print_entries([] if mode == "external" else listed[:limit], json=json)


@examples("coworld reporters search highlights")
def search_reporters(text: QueryArg, catalogs: Catalogs = None, server: OnServer = None, json: Json = False) -> None:
    """List the reporters that match a text."""
    list_reporters(query=text, catalogs=catalogs, server=server, json=json)


@examples("coworld reporters show default-reporter")
def show_reporter(
    reporter: ReporterArg, catalogs: Catalogs = None, server: OnServer = None, json: Json = False
) -> None:
    """Show a reporter, its outputs, and the entry for a manifest."""
    from coworld.cli.catalogue import print_entry, print_reporter

    if server is not None:
        from coworld.server.api_client import CoworldApiClient

        with CoworldApiClient.maybe_signed_in(server) as client:
            print_reporter(client.get_reporter(reporter), json=json)
        return
    from coworld.catalogue.folders import entry_named, matching, read_catalogues

    print_entry(entry_named(matching(read_catalogues(catalogs or []), role="reporter"), reporter), json=json)
