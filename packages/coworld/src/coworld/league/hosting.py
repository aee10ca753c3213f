"""Run a game for people on a worker of a league, or let a game show a replay, until it ends or the server says so.

The game and the policies in its seats run as in an episode. The other seats are left to people, who reach the game
through a `GameDoor`. A game that is an episode leaves the files of one; see `coworld.league.playing`.
"""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from coworld.engines.base import Engine, EngineError
from coworld.errors import CoworldError
from coworld.league.playing import (
    SeatedPolicy,
    SeatProblem,
    Seats,
    episode_request,
    fail,
    job_manifest,
    keep_episode,
    league_engine,
    use_what_came_with_the_job,
)
from coworld.league.programs import game_programs
from coworld.league.showing import GameDoor, LiveGame, pages_folder
from coworld.models.manifest import CoworldManifest
from coworld.models.requests import CoworldEpisodeJobSpec
from coworld.runner.artifacts import write_document
from coworld.runner.budget import Budget
from coworld.runner.failures import EpisodeFailure, RunnerEpisodeError
from coworld.runner.options import EpisodeOptions, LiveEpisode
from coworld.runner.replay import replay_query, replay_server, require_replay
from coworld.runner.runner import run_episode_async

__all__ = ["GameDoor", "LiveGame", "host"]

ENDED = "cancelled"
"""the error type of a game that the server ended"""
FAREWELL_SECONDS = 1.0
"""how long the last messages of a game may take to reach people after it has ended"""


def host(
    folder: Path,
    spec: Mapping[str, Any],
    policies: Sequence[SeatedPolicy],
    door: GameDoor,
    *,
    minimum: str,
    time_limit_seconds: float,
) -> None:
    """Run a hosted game. `error_info.json` says why it ended, unless it ended by itself and well.

    The environment of this process changes: it runs no other game.
    """
    try:
        use_what_came_with_the_job(folder)
        manifest = job_manifest(spec)
        if spec["mode"] == "replay":
            engine = league_engine(game_programs(folder), minimum)
            asyncio.run(_show(manifest, folder / "replay", engine, door))
            return
        seats = Seats(manifest, folder)
        for slot, policy in enumerate(policies):
            if slot in spec["people"]:
                seats.add_person()
            else:
                seats.add(slot, policy, spec["game_players"][slot])
        request = episode_request(spec, manifest, seats.players)
        engine = league_engine({**game_programs(folder), **seats.programs}, minimum)
        options = EpisodeOptions(
            budget_seconds=0.9 * time_limit_seconds,
            probes=False,
            people=True,
            clean_exits=False,
            player_exit_seconds=5.0,
            prefix="coworld-hosted",
            player_secret_env={slot: policy.secrets for slot, policy in enumerate(policies)},
            player_egress={slot: tuple(policy.egress) for slot, policy in enumerate(policies)},
        )
        asyncio.run(_play(request, folder, engine, options, door, spec))
    except SeatProblem as problem:
        fail(folder, EpisodeFailure("player_error", str(problem), problem.slot))
    except EngineError as problem:
        fail(folder, EpisodeFailure("platform_error", str(problem).replace(f"{folder}/", "")))
    except RunnerEpisodeError as problem:
        fail(folder, EpisodeFailure.of(problem))
    except CoworldError as problem:
        fail(folder, EpisodeFailure("config_error", str(problem).replace(f"{folder}/", "")))


async def _play(
    request: CoworldEpisodeJobSpec,
    folder: Path,
    engine: Engine,
    options: EpisodeOptions,
    door: GameDoor,
    spec: Mapping[str, Any],
) -> None:
    loop = asyncio.get_running_loop()
    ready: asyncio.Future[LiveEpisode] = loop.create_future()
    options = replace(options, on_ready=ready.set_result)
    workspace = folder / "episode"
    episode = asyncio.create_task(run_episode_async(None, request, engine=engine, workspace=workspace, options=options))
    starting: list[asyncio.Future[Any]] = [episode, ready]
    await asyncio.wait(starting, return_when=asyncio.FIRST_COMPLETED)
    serving: asyncio.Task[str] | None = None
    if ready.done():
        live = ready.result()
        pages = await pages_folder(live.address, "global")
        serving = asyncio.create_task(door.serve(LiveGame(live.address, pages, live.tokens)))
        await asyncio.wait({episode, serving}, return_when=asyncio.FIRST_COMPLETED)
    if not episode.done():
        assert serving is not None
        episode.cancel()
        with contextlib.suppress(asyncio.CancelledError):
            await episode
        write_document(folder / "error_info.json", {"error_type": ENDED, "message": serving.result()})
        return
    outcome = episode.result()
    if serving is not None:
        await _say_farewell(door, serving)
    if "episode_request_id" in spec:
        keep_episode(folder, outcome, engine, spec)
    elif outcome.error is not None:
        fail(folder, outcome.error)


async def _show(manifest: CoworldManifest, replay: Path, engine: Engine, door: GameDoor) -> None:
    """Let the game show a replay until the server ends it."""
    require_replay(replay)
    async with replay_server(manifest.game, replay, engine, Budget(None), prefix="coworld-hosted") as program:
        address = program.running.endpoint
        assert address is not None
        query = replay_query(program)
        pages = await pages_folder(address, "replay", query)
        serving = asyncio.create_task(door.serve(LiveGame(address, pages, replay_uri=query["uri"])))
        await asyncio.wait({serving, program.ended}, return_when=asyncio.FIRST_COMPLETED)
        if serving.done():
            serving.result()
            return
        reason = program.ended.result().reason
        await _say_farewell(door, serving)
        raise RunnerEpisodeError(f"the game {reason} while it showed the replay", error_type="replay_unloadable")


async def _say_farewell(door: GameDoor, serving: asyncio.Task[str]) -> None:
    """Let the last messages through, then say that the game has ended."""
    await asyncio.wait({serving}, timeout=FAREWELL_SECONDS)
    if not serving.done():
        await door.close("The game has ended")
        await asyncio.wait({serving}, timeout=FAREWELL_SECONDS)
    serving.cancel()
    await asyncio.gather(serving, return_exceptions=True)
