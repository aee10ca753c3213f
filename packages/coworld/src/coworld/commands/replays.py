"""`coworld replays` and `replay-open`: replays of a league server."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from coworld.cli.league import (
    Cursor,
    Division,
    DownloadDir,
    LeagueOption,
    LeagueServer,
    Mine,
    Offset,
    Policy,
    PoolOption,
    RoundOption,
    print_document,
    print_next,
    print_rows,
    round_of,
)
from coworld.cli.options import EngineName, Json, Maps, OpenBrowser, Platform, Pull, Timeout, UnsafeLocal
from coworld.commands.episodes import EpisodeArg, OwnFiles, Rows, client_for, matching_episodes
from softmax.cli.errors import fail
from softmax.cli.output import note
from softmax.cli.program import examples

__all__ = ["replay_open", "replays"]

Hosted = Annotated[bool, typer.Option("--hosted", help="Watch it on the server instead of starting the game here.")]
WithArtifacts = Annotated[bool, typer.Option("--with-artifacts", help="Also download the artifacts of your players.")]
ArtifactsDir = Annotated[
    Path | None, typer.Option("--artifacts-dir", metavar="DIR", help="Where to [default: ./EPISODE-artifacts]")
]


@examples("coworld replays --league league_... --mine --download-dir replays", "coworld replays --round round_...")
def replays(
    league: LeagueOption = None,
    division: Division = None,
    round_id: RoundOption = None,
    pool: PoolOption = None,
    policy: Policy = None,
    mine: Mine = False,
    download_dir: DownloadDir = None,
    limit: Rows = 100,
    cursor: Cursor = None,
    offset: Offset = 0,
    server: LeagueServer = None,
    json: Json = False,
) -> None:
    """List or download replays."""
    from coworld.server.episode_files import download_replays

    with client_for(server) as client:
        page = matching_episodes(
            client,
            "replays",
            league=league,
            division=division,
            round_id=round_of(round_id, pool),
            policy=policy,
            mine=mine,
            limit=limit,
            offset=offset,
            cursor=cursor,
        )
        page.entries = [row for row in page.entries if row.replay_url]
        if download_dir is not None:
            index = download_replays(client, page.entries, download_dir)
            if json:
                print_document(index)
                return
            note(f"{len(index)} replays are in {download_dir}; index.json describes them")
    if json:
        print_document(page)
        return
    lines = [[row.id, row.coworld_id, row.replay_url, f"coworld replay-open {row.id}"] for row in page.entries]
    headers = ["Episode Request", "Coworld", "Replay URI", "Local Command"]
    print_rows(headers, lines, empty="No replays found")
    print_next(page.next_cursor)


@examples("coworld replay-open ereq_...", "coworld replay-open ereq_... --hosted")
def replay_open(
    episode: EpisodeArg,
    hosted: Hosted = False,
    timeout_seconds: Timeout = 60.0,
    open_browser: OpenBrowser = True,
    with_artifacts: WithArtifacts = False,
    artifacts_dir: ArtifactsDir = None,
    mine: OwnFiles = False,
    engine: EngineName = "auto",
    pull: Pull = "missing",
    platform: Platform = None,
    maps: Maps = None,
    unsafe_local: UnsafeLocal = False,
    server: LeagueServer = None,
    json: Json = False,
) -> None:
    """Watch the replay of an episode in the browser: the game runs here, or on the server with --hosted."""
    import tempfile

    from coworld.cli.browser import open_page
    from coworld.cli.support import observatory_web_url
    from coworld.commands.replay import replay
    from coworld.server.episode_files import download_seats, fetch_replay, seats_of

    with client_for(server) as client:
        row = client.get_episode_request(episode)
        if not row.replay_url or row.coworld_id is None:
            fail(f"{episode} has no replay", f"it is {row.status}; `coworld episodes {episode}` shows it")
        if with_artifacts:
            folder = artifacts_dir or Path(f"{episode}-artifacts")
            for path in download_seats(client, episode, seats_of(client, episode), folder).paths:
                note(f"Saved {path}")
        if hosted:
            session = client.create_replay_session(
                coworld_id=row.coworld_id, episode_id=row.episode_id, replay_uri=row.replay_url
            )
            address = observatory_web_url(client.server_url, session.viewer_url)
            print_document(session) if json else print(address)
            if open_browser:
                open_page(address)
            return
        data = fetch_replay(client, row)
    with tempfile.TemporaryDirectory(prefix="coworld-replay-") as temporary:
        path = Path(temporary) / "replay"
        path.write_bytes(data)
        replay(
            row.coworld_id,
            str(path),
            timeout_seconds=timeout_seconds,
            open_browser=open_browser,
            engine=engine,
            pull=pull,
            platform=platform,
            maps=maps,
            unsafe_local=unsafe_local,
            server=client.server_url,
            json=json,
        )
