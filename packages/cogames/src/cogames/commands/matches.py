"""`cogames matches` and `cogames match-artifacts`."""

from __future__ import annotations

import re
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated
from uuid import UUID

import typer

from cogames.commands.shared import choices
from cogames.commands.shared.server import (
    FILTER,
    OUTPUT,
    Json,
    LoginServer,
    LongServer,
    client_for,
    moment,
    number,
    print_json,
    signed_in,
    versions_of,
)
from cogames.commands.shared.watching import follow
from cogames.commands.shared.web import Web, open_page
from softmax.cli.errors import fail
from softmax.cli.output import hint, note, warn
from softmax.cli.program import examples

if TYPE_CHECKING:
    from cogames.client import TournamentServerClient
    from softmax.wire import MatchResponse

POLL_SECONDS = 2.0
UNFINISHED = ("pending", "scheduled", "running")
LOG_NAME = re.compile(r"policy_agent_(\d+)\.txt")

MatchId = Annotated[str | None, typer.Argument(metavar="MATCH_ID", help="Match to show: its id, or a prefix of it.")]
NeededMatchId = Annotated[str, typer.Argument(metavar="MATCH_ID", help="Id of the match, or a prefix of it.")]
ArtifactType = Annotated[str, typer.Argument(metavar="TYPE", help="What to fetch: logs or error-info.")]
Season = Annotated[
    str | None,
    typer.Option(
        "--season",
        "-s",
        metavar="SEASON",
        help="Season to look in.",
        show_default="the server's default",
        rich_help_panel=FILTER,
    ),
]
Policy = Annotated[
    str | None,
    typer.Option(
        "--policy", "-P", metavar="POLICY", help="Only matches of this policy: NAME or NAME:v2.", rich_help_panel=FILTER
    ),
]
PolicyVersion = Annotated[
    str | None,
    typer.Option(
        "--policy",
        "-p",
        metavar="POLICY_VERSION_ID",
        help="Whose artifact.",
        show_default="your first policy in the match",
        rich_help_panel=FILTER,
    ),
]
Limit = Annotated[
    int, typer.Option("--limit", "-n", metavar="N", min=1, help="Number of matches.", rich_help_panel=FILTER)
]
Logs = Annotated[bool, typer.Option("--logs", "-l", help="List the logs of your agents.", rich_help_panel=OUTPUT)]
DownloadLogs = Annotated[
    Path | None,
    typer.Option("--download-logs", "-d", metavar="DIR", help="Save the logs of your agents.", rich_help_panel=OUTPUT),
]
Watch = Annotated[
    bool,
    typer.Option(
        "--watch",
        "-w",
        help="Wait until the match, or all unfinished ones, have ended; the exit code is 1 if one failed.",
        rich_help_panel=OUTPUT,
    ),
]
Output = Annotated[
    Path | None, typer.Option("--output", "-o", metavar="FILE", help="Write to a file.", rich_help_panel=OUTPUT)
]


@examples(
    "cogames matches",
    "cogames matches --policy my-policy:v3 -n 50",
    "cogames matches MATCH_ID --watch",
    "cogames matches MATCH_ID --logs",
    "cogames matches MATCH_ID --download-logs ./logs",
)
def matches(
    match_id: MatchId = None,
    season: Season = None,
    policy: Policy = None,
    limit: Limit = 20,
    logs: Logs = False,
    download_logs: DownloadLogs = None,
    watch: Watch = False,
    web: Web = False,
    server: LongServer = None,
    login_server: LoginServer = None,
    json: Json = False,
) -> None:
    """Show your recent matches, or one match with its logs."""
    from cogames.client.lookup import find_match

    client = signed_in(client_for(server, login_server))
    if match_id is None:
        if web:
            open_page(server, login_server, "seasons", season or client.get_default_season().name, "matches")
        else:
            _list(client, season, policy, limit, json, watch)
        return
    match = client.get_match(find_match(client, match_id, season))
    if web:
        open_page(server, login_server, "matches", match.id)
        return
    if watch:
        match = follow(lambda: client.get_match(match.id), is_done=_is_done, line=_state, seconds=POLL_SECONDS)
    if not json:
        _print_match(match)
    _show_details(client, match, logs=logs, download_logs=download_logs, json=json)
    if watch and match.status != "completed":
        raise typer.Exit(1)


def _show_details(
    client: TournamentServerClient, match: MatchResponse, *, logs: bool, download_logs: Path | None, json: bool
) -> None:
    """Print the match as JSON, or what else there is to see of it; list or save the logs of the user's agents."""
    if not logs and download_logs is None:
        if json:
            print_json(match)
        else:
            _print_more(match)
        return
    available = {str(version): client.list_match_policy_logs(match.id, version) for version in _own(client, match)}
    if json:
        print_json({**match.model_dump(mode="json"), "logs": available})
    else:
        names = [name for files in available.values() for name in files]
        print(f"\nAvailable Logs ({len(names)}):")
        for name in names:
            print(f"  {name}")
    if download_logs is not None:
        _download(client, match, available, download_logs)


@examples("cogames match-artifacts MATCH_ID", "cogames match-artifacts MATCH_ID error-info -o error.json")
def match_artifacts(
    match_id: NeededMatchId,
    type: ArtifactType = "logs",
    policy: PolicyVersion = None,
    output: Output = None,
    server: LongServer = None,
    login_server: LoginServer = None,
) -> None:
    """Fetch the artifacts of a match: logs, or why it failed.

    Only the owner of a policy can fetch its artifacts.
    """
    from cogames.client.lookup import find_match
    from cogames.client.references import as_uuid

    client = signed_in(client_for(server, login_server))
    if policy is not None and as_uuid(policy) is None:
        fail(f"{policy!r} is not a policy version id", "cogames submissions --json lists the ids")
    full = find_match(client, match_id)
    if policy is None:
        versions = {row.id for row in client.get_my_policy_versions()}
        players = client.get_match(full).players
        policy = next((str(player.policy.id) for player in players if player.policy.id in versions), None)
    if policy is None:
        fail("None of your policies plays in this match", "only the owner of a policy can fetch its artifacts")
    artifact = client.get_match_artifact(full, policy, type)
    if output is not None:
        choices.output_file(output).write_bytes(artifact.content)
        print(f"Artifact saved to {output}")
        return
    sys.stdout.write(artifact.text if artifact.text.endswith("\n") else f"{artifact.text}\n")


def _list(
    client: TournamentServerClient, season: str | None, policy: str | None, limit: int, json: bool, watch: bool
) -> None:
    versions = versions_of(client, policy)
    if not versions:
        if policy is not None:
            from cogames.client.lookup import UnknownPolicy

            raise UnknownPolicy(policy, client.get_my_policy_versions())
        print_json([]) if json else print("No uploads found, so there are no matches.")
        return
    name = season or client.get_default_season().name
    ids = [row.id for row in versions]
    season_matches = client.get_season_matches(name, ids, limit=limit)
    if watch:
        season_matches = _watch_all(client, season_matches)
    if json:
        print_json(season_matches)
    elif not season_matches:
        print(f"No matches found in '{name}'.")
    else:
        from cogames.commands.season import print_matches

        print_matches(season_matches, f"Recent Matches ({name})", own=True)
        hint("cogames matches MATCH_ID shows one match; add --logs for your agents' logs")
    if watch and any(match.status != "completed" for match in season_matches):
        raise typer.Exit(1)


def _watch_all(client: TournamentServerClient, matches: Sequence[MatchResponse]) -> list[MatchResponse]:
    """Wait until these matches have ended, and return their final states."""
    rows = list(matches)

    def read() -> list[MatchResponse]:
        rows[:] = [match if _is_done(match) else client.get_match(match.id) for match in rows]
        return rows

    def line(rows: Sequence[MatchResponse]) -> str:
        running = sum(match.status == "running" for match in rows)
        failed = sum(_is_done(match) and match.status != "completed" for match in rows)
        return f"{sum(map(_is_done, rows))} of {len(rows)} finished, {running} running, {failed} failed"

    return follow(read, is_done=lambda rows: all(map(_is_done, rows)), line=line, seconds=POLL_SECONDS)


def _is_done(match: MatchResponse) -> bool:
    return match.status not in UNFINISHED


def _state(match: MatchResponse) -> str:
    return f"Match {match.id}: {match.status}"


def _own(client: TournamentServerClient, match: MatchResponse) -> list[UUID]:
    """Return the user's own policy versions in the match."""
    own = {row.id for row in client.get_my_policy_versions()}
    return list(dict.fromkeys(player.policy.id for player in match.players if player.policy.id in own))


def _print_match(match: MatchResponse) -> None:
    print(f"Match {match.id}")
    print(f"Season: {match.season_name}\nPool: {match.pool_name}\nStatus: {match.status}")
    print(f"Date: {moment(match.created_at)}")
    if match.job_id is not None:
        print(f"Job: {match.job_id}")
    if match.error:
        print(f"Error: {match.error.strip().splitlines()[-1]}")
    if match.episode_id is not None:
        print(f"Episode: {match.episode_id}")
    print("\nPlayers:")
    for place, player in enumerate(match.players):
        print(f"  {place}: {player.policy.label} ({player.num_agents} agents) - Score: {number(player.score)}")


def _print_more(match: MatchResponse) -> None:
    hint(f"cogames matches {match.id} --logs")
    if match.episode_id is not None:
        hint(f"cogames episode replay {match.episode_id}")
    if match.error:
        hint(f"cogames match-artifacts {match.id} error-info")


def _download(
    client: TournamentServerClient, match: MatchResponse, available: dict[str, list[str]], folder: Path
) -> None:
    """Save every log under its own name; warn about a log that cannot be fetched, and continue with the others."""
    from cogames.client import ClientError

    folder.mkdir(parents=True, exist_ok=True)
    missing = 0
    for version, files in available.items():
        for file in files:
            named = LOG_NAME.fullmatch(file)
            try:
                if named is None:
                    raise ClientError("not a valid log name")
                text = client.get_match_policy_log(match.id, version, int(named[1]))
            except ClientError as error:
                warn(f"{file}: {error}")
                missing += 1
                continue
            (folder / file).write_text(text)
            note(f"Wrote {folder / file}")
    if missing:
        fail(f"{missing} log(s) could not be saved")
    note(f"Logs saved to {folder}")
