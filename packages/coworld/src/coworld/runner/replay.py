"""Show a replay: start the game again with the replay instead of a configuration."""

import contextlib
import json
import secrets
from collections.abc import AsyncIterator, Callable
from pathlib import Path

from coworld.engines.base import Engine, EngineError, RunnableSpec, StartFailed
from coworld.models.game import CoworldGameManifest
from coworld.runner import launch, probes
from coworld.runner.budget import Budget
from coworld.runner.failures import RunnerEpisodeError, RunnerErrorType
from coworld.runner.seats import Watched, end_all

FAILURE: RunnerErrorType = "replay_unloadable"


@contextlib.asynccontextmanager
async def replay_server(
    game: CoworldGameManifest,
    replay: Path,
    engine: Engine,
    budget: Budget,
    *,
    prefix: str = "coworld-replay",
    at_end: Callable[[Watched], None] | None = None,
    health_seconds: float = 60.0,
) -> AsyncIterator[Watched]:
    """Yield the healthy game in replay mode and stop it at the end of the block; `at_end` may inspect it afterwards.
    With an unlimited budget the game has `health_seconds` to come up.

    Raises RunnerEpisodeError (`replay_unloadable`).
    """
    left = budget.left
    env = game.runnable.env
    hidden = launch.GameSecrets.of(env)
    spec = RunnableSpec(
        role="replay",
        name=f"{prefix}-replay-{secrets.token_hex(8)}",
        image=game.runnable.image,
        run=game.runnable.run,
        env=env,
        variables=lambda place: {**launch.replay_variables(place), **hidden.variables(place)},
        files={"replay": replay, **hidden.files},
        listens=True,
        extra_ports=launch.extra_ports(env),
        limits=launch.limits_of(game.runnable.resources, 7 * 24 * 3600.0 if left is None else left + 60.0),
    )
    try:
        program = Watched(engine.start(spec))
    except StartFailed as error:
        raise RunnerEpisodeError(f"the game did not start to show the replay: {error}", error_type=FAILURE) from None
    except EngineError as error:
        raise RunnerEpisodeError(str(error), error_type="platform_error") from None
    try:
        assert program.running.endpoint is not None
        stop = budget if budget.seconds is not None else Budget(health_seconds)
        problem = await probes.wait_healthy(program.running.endpoint, "/healthz", program.has_ended, stop)
        if problem is not None:
            ended = program.exit
            reason = ended.reason if ended else f"was not healthy in time: {problem}"
            raise RunnerEpisodeError(f"the game {reason} when it was to show the replay", error_type=FAILURE)
        yield program
    finally:
        await end_all([program])
        if at_end is not None:
            at_end(program)
        program.running.close()


def replay_query(program: Watched) -> dict[str, str]:
    """Return the query with the replay's URI, which older games need and newer ones ignore."""
    return {"uri": f"file://{program.running.place.folder}/replay"}


async def check_replay(program: Watched, budget: Budget) -> None:
    """Check that the page exists and that the websocket sends a message."""
    assert program.running.endpoint is not None
    address, query = program.running.endpoint, replay_query(program)
    await probes.require_page(address, "replay", query, budget, error_type=FAILURE, redirects=True)
    await probes.require_first_message(address, "/replay", budget, query=query, error_type=FAILURE)


def require_replay(path: Path) -> None:
    if not path.is_file() or path.stat().st_size == 0:
        try:
            reason = json.loads((path.parent / "left_out.json").read_bytes())["replay"]
        except (OSError, ValueError, KeyError, TypeError):
            raise RunnerEpisodeError("the game ended and has written no replay", error_type="replay_missing") from None
        raise RunnerEpisodeError(f"the replay {reason}", error_type="replay_missing")
