"""`coworld episodes`, `episode-stats`, `episode-results`, `episode-annotations` and `episode-logs`."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated
from uuid import UUID

import typer

from coworld.cli.league import (
    Cursor,
    Division,
    LeagueOption,
    LeagueServer,
    Mine,
    Offset,
    Output,
    Policy,
    PoolOption,
    RoundOption,
    moment,
    policy_id,
    print_document,
    print_line,
    print_next,
    print_rows,
    round_of,
    score,
)
from coworld.cli.options import Json
from softmax.cli.errors import UsageError
from softmax.cli.output import note
from softmax.cli.program import examples

if TYPE_CHECKING:
    from collections.abc import Sequence

    from coworld.server.api_client import CoworldApiClient
    from softmax.wire.requests import EpisodeRequestList, EpisodeRequestRow, EpisodeRequestSummary

__all__ = [
    "client_for",
    "episode_annotations",
    "episode_logs",
    "episode_results",
    "episode_stats",
    "episodes",
    "matching_episodes",
    "print_episodes",
]

EpisodeArg = Annotated[str, typer.Argument(metavar="EPISODE", help="An episode request's id (ereq_...).")]
MaybeEpisode = Annotated[
    str | None, typer.Argument(metavar="[EPISODE]", help="An episode request's id; without it, they are listed.")
]
VersionArg = Annotated[UUID, typer.Argument(metavar="POLICY_VERSION", help="The id of a policy version.")]
WithReplay = Annotated[bool, typer.Option("--with-replay", help="Only episodes with a replay.")]
Rows = Annotated[int, typer.Option("--limit", metavar="N", min=1, max=100, help="Number of rows.")]
ListLogs = Annotated[bool, typer.Option("--list", help="List the seats whose files you can access.")]
GameLog = Annotated[bool, typer.Option("--game", help="The log of the game.")]
Agent = Annotated[int | None, typer.Option("--agent", metavar="SEAT", min=0, help="The log of one seat.")]
Artifact = Annotated[bool, typer.Option("--artifact", help="The artifacts (.zip) that players wrote.")]
OwnFiles = Annotated[
    bool, typer.Option("--mine", hidden=True, help="For scripts of published releases; you get only your files anyway.")
]
LogDir = Annotated[
    Path | None,
    typer.Option("--download-dir", "-d", metavar="DIR", help="Download logs and artifacts to this folder."),
]
RequiredOutput = Annotated[Path, typer.Option("--output", "-o", metavar="FILE", help="Write it to this file.")]


def client_for(server: str | None) -> CoworldApiClient:
    from coworld.server.api_client import CoworldApiClient

    return CoworldApiClient.maybe_signed_in(server)


@examples(
    "coworld episodes --round round_...",
    "coworld episodes --division div_... --mine --with-replay",
    "coworld episodes ereq_... --json",
)
def episodes(
    episode: MaybeEpisode = None,
    league: LeagueOption = None,
    division: Division = None,
    round_id: RoundOption = None,
    pool: PoolOption = None,
    policy: Policy = None,
    mine: Mine = False,
    with_replay: WithReplay = False,
    limit: Rows = 50,
    cursor: Cursor = None,
    offset: Offset = 0,
    server: LeagueServer = None,
    json: Json = False,
) -> None:
    """List episodes of leagues and requests, or show one."""
    with client_for(server) as client:
        if episode is not None:
            row = client.get_episode_request(episode)
            print_document(row) if json else _print_episode(row)
            return
        page = matching_episodes(
            client,
            "episodes",
            league=league,
            division=division,
            round_id=round_of(round_id, pool),
            policy=policy,
            mine=mine,
            limit=limit,
            offset=offset,
            cursor=cursor,
        )
    page.entries = [row for row in page.entries if row.replay_url or not with_replay]
    if json:
        print_document(page)
        return
    print_episodes(page.entries)
    print_next(page.next_cursor)


def matching_episodes(
    client: CoworldApiClient,
    what: str,
    *,
    league: str | None,
    division: str | None,
    round_id: str | None,
    policy: str | None,
    mine: bool,
    limit: int,
    offset: int,
    cursor: str | None,
) -> EpisodeRequestList:
    """Return one page of the episodes that a command's options select; `what` names the listed things in an error."""
    if not (league or division or round_id or policy or mine):
        raise UsageError(f"Select the {what} to list", ["add --league, --division, --round, --policy or --mine"])
    return client.list_episode_requests(
        league_id=league,
        division_id=division,
        round_id=round_id,
        policy_version_id=policy_id(client, policy),
        mine=mine,
        limit=limit,
        offset=offset,
        cursor=cursor,
    )


def print_episodes(rows: Sequence[EpisodeRequestRow]) -> None:
    lines = [
        [row.id, row.status, _policies(row), "yes" if row.replay_url else "no", moment(row.created_at)] for row in rows
    ]
    print_rows(["ID", "Status", "Policies", "Replay", "Created"], lines, empty="No episodes found")


def _policies(row: EpisodeRequestRow | EpisodeRequestSummary) -> str:
    names = [
        f"{seat.policy_name}:v{seat.version}" if seat.policy_name else seat.name or f"seat {seat.position}"
        for seat in getattr(row, "participants", [])
    ]
    return ", ".join(dict.fromkeys(names)) or ", ".join(dict.fromkeys(str(each)[:8] for each in row.policy_version_ids))


def _print_episode(row: EpisodeRequestRow) -> None:
    print_line(f"Episode: {row.id}")
    print_line(f"Status: {row.status}")
    if row.error or row.error_type:
        seat = "" if row.failed_policy_index is None else f", seat {row.failed_policy_index}"
        print_line(f"Error: {row.error_type or 'error'}{seat}: {row.error or ''}")
    print_line(
        f"Coworld: {row.coworld_id}, variant {row.variant_id or '-'}, seed {'-' if row.seed is None else row.seed}"
    )
    print_line(f"Replay: {row.replay_url or '-'}")
    print_line(f"Created: {moment(row.created_at)}")
    scores = {each.policy_version_id: each.score for each in row.scores}
    lines = [
        [
            seat.position,
            f"{seat.policy_name}:v{seat.version}" if seat.policy_name else seat.name,
            seat.player_name,
            score(scores.get(seat.policy_version_id)) if seat.policy_version_id else "-",
        ]
        for seat in row.participants
    ]
    print_rows(["Seat", "Policy", "Player", "Score"], lines, empty="No seats are filled yet", right=[0, 3])


@examples("coworld episode-stats ereq_...")
def episode_stats(episode: EpisodeArg, server: LeagueServer = None, json: Json = False) -> None:
    """Show the statistics of an episode, for each policy."""
    with client_for(server) as client:
        stats = client.get_episode_request_episode_stats(episode)
    if json:
        print_document(stats)
        return
    if stats.steps is not None:
        print_line(f"Steps: {stats.steps}")
    lines = [
        [
            row.position,
            f"{row.policy_name}:v{row.policy_version}" if row.policy_name else row.policy_version_id,
            row.num_agents,
            score(row.avg_reward),
        ]
        for row in stats.policy_stats
    ]
    headers = ["Position", "Policy", "Agents", "Reward"]
    print_rows(headers, lines, empty="No statistics for policies", right=[0, 2, 3])
    print_rows(
        ["Statistic", "Value"],
        [[name, f"{value:g}"] for name, value in sorted(stats.game_stats.items())],
        empty="No statistics from the game",
        right=[1],
    )


@examples("coworld episode-results ereq_...", "coworld episode-results ereq_... -o results.json")
def episode_results(
    episode: EpisodeArg, output: Output = None, server: LeagueServer = None, json: Json = False
) -> None:
    """Print the results that the game wrote, or save them. They are JSON, with or without --json."""
    with client_for(server) as client:
        data = client.get_episode_request_artifact_bytes(episode, "results")
    if output is not None:
        _save(output, data, json=json)
        return
    print(data.decode(errors="replace").rstrip("\n"))


@examples("coworld episode-annotations ereq_... POLICY_VERSION -o annotations.jsonl")
def episode_annotations(
    episode: EpisodeArg,
    policy_version: VersionArg,
    output: RequiredOutput,
    server: LeagueServer = None,
    json: Json = False,
) -> None:
    """Save what a policy noted about an episode, as JSON Lines."""
    with client_for(server) as client:
        _save(output, client.get_episode_request_policy_annotations(episode, policy_version), json=json)


@examples(
    "coworld episode-logs ereq_... --list",
    "coworld episode-logs ereq_... --game",
    "coworld episode-logs ereq_... --mine --download-dir logs",
)
def episode_logs(
    episode: EpisodeArg,
    list_logs: ListLogs = False,
    game: GameLog = False,
    agent: Agent = None,
    mine: OwnFiles = False,
    artifact: Artifact = False,
    download_dir: LogDir = None,
    output: Output = None,
    server: LeagueServer = None,
    json: Json = False,
) -> None:
    """Show or download the logs of an episode. Only owners see the logs of their policies.

    A download ends with status 2 if a file that should be there is missing.
    """
    from coworld.server.episode_files import SeatFile, download_seats, seats_of

    if game and artifact:
        raise UsageError("--game and --artifact exclude each other", ["the game writes a log and no artifact"])
    if output is not None and not game and agent is None:
        raise UsageError("--output needs one file", ["add --game or --agent SEAT, or use --download-dir"])
    with client_for(server) as client:
        if game:
            data = client.get_episode_request_artifact_bytes(episode, "logs")
            target = output or (None if download_dir is None else download_dir / "game.log")
            _save(target, data, json=json) if target is not None else _print_log(data, json=json)
            return
        seats = [seat for seat in seats_of(client, episode) if agent in (None, seat.position)]
        if agent is not None and not seats:
            raise UsageError(
                f"You cannot access the files of seat {agent}", ["--list shows the seats that you can access"]
            )
        if download_dir is not None:
            saved = download_seats(client, episode, seats, download_dir, logs=not artifact)
            if json:
                print_document({"files": [str(path) for path in saved.paths], "missing": saved.missing})
            for path in saved.paths if not json else ():
                print(path)
            if saved.missing:
                note(f"Not available: {', '.join(saved.missing)}")
                raise typer.Exit(2)
            return
        if agent is not None and not list_logs:
            file = SeatFile(client, episode, seats[0])
            data = file.artifact() if artifact else file.log()
            if output is None and artifact:
                raise UsageError("An artifact is a zip archive", ["save it with --output FILE"])
            _save(output, data, json=json) if output is not None else _print_log(data, json=json)
            return
    if json:
        print_document(seats)
        return
    lines = [
        [seat.position, seat.policy_name, "yes" if seat.has_log else "no", "yes" if seat.has_artifact else "no"]
        for seat in seats
    ]
    print_rows(["Seat", "Policy", "Log", "Artifact"], lines, empty="No files that you can access", right=[0])


def _save(path: Path, data: bytes, *, json: bool) -> None:
    from coworld.runner.artifacts import write_file

    path.parent.mkdir(parents=True, exist_ok=True)
    write_file(path, data)
    print_document({"files": [str(path)], "missing": []}) if json else print(path)


def _print_log(data: bytes, *, json: bool) -> None:
    text = data.decode(errors="replace")
    print_document({"log": text}) if json else print(text, end="")
