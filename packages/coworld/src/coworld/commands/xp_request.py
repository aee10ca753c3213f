"""`coworld xp-request`: ask a server for episodes, follow them, download what they left."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer

from coworld.cli.league import (
    Cursor,
    LeagueServer,
    Mine,
    Offset,
    moment,
    print_document,
    print_line,
    print_next,
    print_rows,
)
from coworld.cli.options import Json
from softmax.cli.errors import UsageError
from softmax.cli.output import note
from softmax.cli.program import Entry, examples

if TYPE_CHECKING:
    from coworld.server.api_client import CoworldApiClient
    from coworld.server.watching import Progress
    from softmax.wire.requests import ExperienceRequestDetail, ExperienceRequestRow

__all__ = ["COMMANDS", "cancel", "create", "download", "episodes", "get", "list_requests", "watch"]

COMMANDS = [
    Entry("create", "coworld.commands.xp_request:create", "Ask for episodes."),
    Entry("list", "coworld.commands.xp_request:list_requests", "List requests."),
    Entry("get", "coworld.commands.xp_request:get", "Show a request and its episodes."),
    Entry("episodes", "coworld.commands.xp_request:episodes", "List the episodes of requests."),
    Entry("watch", "coworld.commands.xp_request:watch", "Wait until the episodes of requests have ended."),
    Entry("download", "coworld.commands.xp_request:download", "Download the files of episodes."),
    Entry("cancel", "coworld.commands.xp_request:cancel", "Cancel the episodes that have not begun."),
]

Body = Annotated[str, typer.Argument(metavar="FILE", help="The request as a JSON file; `-` reads standard input.")]
Request = Annotated[str, typer.Argument(metavar="REQUEST", help="An experience request's id (xreq_...).")]
Ids = Annotated[list[str], typer.Argument(metavar="ID...", help="Ids: all xreq_..., or all ereq_....")]
Title = Annotated[str | None, typer.Option("--title", metavar="TEXT", help="What the request tests, in one line.")]
Description = Annotated[
    str | None, typer.Option("--description", metavar="TEXT", help="What changes, why, and what you expect.")
]
Rows = Annotated[int, typer.Option("--limit", metavar="N", min=1, max=1000, help="Number of rows.")]
BulkRows = Annotated[int, typer.Option("--limit", metavar="N", min=1, max=200, help="Number of rows.")]
View = Annotated[Literal["progress", "results"], typer.Option("--view", help="`results` adds scores.")]
Status = Annotated[list[str] | None, typer.Option("--status", metavar="STATUS", help="Only these (repeatable).")]
Until = Annotated[
    Literal["execution", "evidence"], typer.Option("--until", help="`evidence` also waits until the files are final.")
]
Include = Annotated[
    list[str] | None,
    typer.Option("--include", metavar="KIND", help="results, replay, events, error_info, game_logs, ... (repeatable)."),
]
Checkpoint = Annotated[Path | None, typer.Option("--checkpoint", metavar="FILE", help="Continue from this file.")]
Reset = Annotated[bool, typer.Option("--reset/--no-reset", help="Begin again, whatever the checkpoint says.")]
Seconds = Annotated[float, typer.Option("--timeout", metavar="SECONDS", min=1, help="How long to wait.")]
JsonLines = Annotated[bool, typer.Option("--jsonl/--no-jsonl", help="Print one JSON document per line.")]
Directory = Annotated[Path, typer.Option("--directory", "-d", metavar="DIR", help="Folder for the files.")]
Agents = Annotated[
    list[int] | None, typer.Option("--agent", metavar="SEAT", min=0, help="Only files of these seats (repeatable).")
]
Concurrency = Annotated[int, typer.Option("--concurrency", metavar="N", min=1, max=16, help="Downloads at a time.")]


def _client(server: str | None) -> CoworldApiClient:
    from coworld.server.api_client import CoworldApiClient

    return CoworldApiClient.from_login(server)


@examples("coworld xp-request create request.json", "coworld xp-request create - --title 'new aligner'")
def create(
    body: Body,
    title: Title = None,
    description: Description = None,
    server: LeagueServer = None,
    json: Json = False,
) -> None:
    """Ask for episodes. The file has a Coworld or league, a roster and a number of episodes."""
    document = _read(body)
    given = {"title": title, "description": description}
    document |= {name: text for name, text in given.items() if text is not None}
    with _client(server) as client:
        request = client.create_experience_request(document)
    print_document(request) if json else _print_request(request)


def _read(source: str) -> dict[str, Any]:
    import json
    import sys

    try:
        text = sys.stdin.read() if source == "-" else Path(source).read_text()
        document = json.loads(text)
    except OSError as error:
        raise UsageError(f"{source} cannot be read: {error.strerror}", ["give the path of a JSON file"]) from None
    except ValueError as error:
        raise UsageError(f"{source} is not JSON: {error}", ["correct it"]) from None
    if not isinstance(document, dict):
        raise UsageError(f"{source} is not a JSON object", ['it begins with {"coworld_id": ...'])
    return document


@examples("coworld xp-request list --mine")
def list_requests(
    mine: Mine = False,
    limit: Rows = 50,
    cursor: Cursor = None,
    offset: Offset = 0,
    server: LeagueServer = None,
    json: Json = False,
) -> None:
    """List requests, newest first."""
    with _client(server) as client:
        page = client.list_experience_requests(mine=mine, limit=limit, cursor=cursor, offset=offset or None)
    if json:
        print_document(page)
        return
    lines = [
        [
            row.id,
            row.status,
            f"{row.coworld_name} {row.coworld_version}",
            _counts(row),
            row.title,
            moment(row.created_at),
        ]
        for row in page.entries
    ]
    print_rows(["ID", "Status", "Coworld", "Episodes", "Title", "Created"], lines, empty="No requests found")
    print_next(page.next_cursor)


@examples("coworld xp-request get xreq_...")
def get(request: Request, server: LeagueServer = None, json: Json = False) -> None:
    """Show a request and its episodes."""
    with _client(server) as client:
        row = client.get_experience_request(request)
    print_document(row) if json else _print_request(row)


@examples("coworld xp-request cancel xreq_...")
def cancel(request: Request, server: LeagueServer = None, json: Json = False) -> None:
    """Cancel the episodes of a request that have not begun."""
    with _client(server) as client:
        row = client.cancel_experience_request(request)
    print_document(row) if json else _print_request(row)


def _print_request(row: ExperienceRequestDetail) -> None:
    from coworld.commands.episodes import print_episodes

    print_line(f"Experience request: {row.id}")
    if row.title:
        print_line(f"Title: {row.title}")
    print_line(f"Coworld: {row.coworld_name} {row.coworld_version} ({row.coworld_id}), variant {row.variant_id or '-'}")
    print_line(f"Status: {row.status} ({_counts(row)})" + (f": {row.error}" if row.error else ""))
    print_episodes(row.episodes)


def _counts(row: ExperienceRequestRow) -> str:
    ended = f"{row.completed_count} of {row.episode_count} completed"
    return f"{ended}, {row.failed_count} failed" if row.failed_count else ended


@examples("coworld xp-request episodes xreq_... --view results --jsonl")
def episodes(
    ids: Ids,
    view: View = "progress",
    status: Status = None,
    limit: BulkRows = 200,
    cursor: Cursor = None,
    server: LeagueServer = None,
    json: Json = False,
    jsonl: JsonLines = False,
) -> None:
    """List the episodes of requests; with --jsonl all of them, however many pages there are."""
    with _client(server) as client:
        while True:
            page = client.list_bulk_episodes(ids, view=view, statuses=status, limit=limit, cursor=cursor)
            if not jsonl:
                break
            for row in page.entries:
                print(row.model_dump_json())
            cursor = page.next_cursor
            if cursor is None:
                return
    if json:
        print_document(page)
        return
    lines = [[row.id, row.status, row.evidence_state, row.error_type, moment(row.created_at)] for row in page.entries]
    print_rows(["ID", "Status", "Files", "Error", "Created"], lines, empty="No episodes found")
    if page.unavailable_ids:
        note(f"Not found, or not visible to you: {', '.join(page.unavailable_ids)}")
    print_next(page.next_cursor)


@examples("coworld xp-request watch xreq_...", "coworld xp-request watch xreq_... --checkpoint watch.json --jsonl")
def watch(
    ids: Ids,
    view: View = "progress",
    until: Until = "execution",
    include: Include = None,
    checkpoint: Checkpoint = None,
    reset: Reset = False,
    timeout: Seconds = 3600,
    jsonl: JsonLines = False,
    server: LeagueServer = None,
    json: Json = False,
) -> None:
    """Wait until the episodes of requests have ended.

    Ends with 0 when all were completed, with 2 when one failed or was cancelled or the watch cannot continue, and
    with 3 when the time is over.
    """
    from coworld.server.watching import Progress, WatchStopped
    from coworld.server.watching import watch as follow

    progress, shown = Progress(), ""
    with _client(server) as client:
        pages = follow(
            client,
            ids,
            view=view,
            until="evidence" if include else until,
            checkpoint=checkpoint,
            reset=reset,
            timeout=timeout,
        )
        try:
            for page, progress in pages:
                if jsonl:
                    print("" if page is None else f"{page.model_dump_json()}\n", end="", flush=True)
                elif not json and (line := _line(progress)) != shown:
                    shown = line
                    print(line, flush=True)
            code = 2 if _has_failed(progress) else 0
        except WatchStopped as error:
            note(str(error))
            code = 3 if error.timed_out else 2
    if json:
        requests = {name: status for name, (status, _) in progress.requests.items()}
        print_document({"requests": requests, "episodes": progress.counts(), "timed_out": code == 3})
    if code:
        raise typer.Exit(code)


def _has_failed(progress: Progress) -> bool:
    bad = {"failed", "cancelled", "canceled"}
    return bool(bad & set(progress.counts()) or bad & {status for status, _ in progress.requests.values()})


def _line(progress: Progress) -> str:
    return ", ".join(f"{count} {status}" for status, count in sorted(progress.counts().items())) or "no episodes yet"


@examples("coworld xp-request download xreq_... --include results --include replay -d evidence")
def download(
    ids: Ids,
    directory: Directory,
    include: Include = None,
    agent: Agents = None,
    concurrency: Concurrency = 4,
    server: LeagueServer = None,
    json: Json = False,
) -> None:
    """Download the files of episodes; a second run gets what was missing. Ends with 2 if something is missing."""
    from coworld.server.evidence import CATEGORIES, download_evidence

    unknown = sorted(set(include or []) - set(CATEGORIES))
    if unknown or not include:
        what = f"--include {unknown[0]!r} is not known" if unknown else "Say what to download with --include"
        raise UsageError(what, [f"there are: {', '.join(CATEGORIES)}"])
    with _client(server) as client:
        found = download_evidence(client, ids, directory, include=include, agents=agent, concurrency=concurrency)
    if json:
        files = [
            {
                "episode_request_id": item.entry.episode_request_id,
                "category": item.entry.category,
                "path": None if item.path is None else str(item.path),
                "problem": item.problem,
            }
            for item in found
        ]
        print_document({"files": files})
    for item in found:
        if item.path is not None and not json:
            print(item.path)
        elif item.problem is not None:
            note(f"{item.entry.episode_request_id} {item.entry.filename}: {item.problem}")
    if not all(item.is_complete for item in found):
        raise typer.Exit(2)
