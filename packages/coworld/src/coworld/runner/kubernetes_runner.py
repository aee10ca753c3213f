"""The programs of an episode's Job in a Kubernetes cluster: `python -m coworld.runner.kubernetes_runner COMMAND`.

    init-config             init container: write the game's config and the tokens (also `coworld.runner.init_config`)
    launch-players          init container: create the Service and the players' pods (also `prepare-players`)
    run                     the worker (also `run-core-sidecars-v1`)
    final-logs              sidecar: upload the last logs (also `coworld.runner.final_logs`)
    wait-for-game           init container of a player's pod
    sweep                   delete finished Jobs in the namespace

The environment variables are documented in docs/guides/kubernetes.md. A failed command prints its failure as
one line of JSON, writes it to ERROR_INFO_URI and ends with exit code 1.
"""

import os
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from coworld.engines.base import EngineError
from coworld.engines.kubernetes.player_pods import GAME_PORT, HEALTH_PORT
from coworld.runner.failures import EpisodeFailure, RunnerEpisodeError

__all__ = [
    "DEFAULT_PLAYER_CONNECT_TIMEOUT_SECONDS",
    "DEFAULT_PLAYER_CPU_REQUEST",
    "DEFAULT_PLAYER_MEMORY_REQUEST",
    "GAME_PORT",
    "HEALTH_PORT",
    "PLAYER_ARTIFACT_PORT",
    "STATE_PATH",
    "WORKDIR",
    "PlayerPodFailure",
    "init_config_from_env",
    "main",
    "run_from_env",
]

WORKDIR = Path(os.environ.get("COWORLD_WORKDIR") or "/coworld")
STATE_PATH = WORKDIR / "state.json"
PLAYER_ARTIFACT_PORT = 9091
DEFAULT_PLAYER_CPU_REQUEST = "2"
DEFAULT_PLAYER_MEMORY_REQUEST = "2Gi"
DEFAULT_PLAYER_CONNECT_TIMEOUT_SECONDS = 180.0

PlayerPodFailure = RunnerEpisodeError
"""the failure of a player's pod; `error_type` and `failed_policy_index` say which"""


def init_config_from_env(environ: Mapping[str, str] | None = None) -> None:
    """Write the game's config, the tokens and the private copy of the request; raises RunnerEpisodeError."""
    from coworld.runner.kubernetes.init_config import init_config
    from coworld.runner.kubernetes.settings import InitSettings

    init_config(InitSettings.of(os.environ if environ is None else environ))


def run_from_env(environ: Mapping[str, str] | None = None, *, prepare_players: bool = False) -> int:
    """Run the worker, or with `prepare_players` only create the players' pods; return the exit code."""
    from coworld.runner.kubernetes.settings import WorkerSettings
    from coworld.runner.kubernetes.worker import launch_players, run_worker

    environ = os.environ if environ is None else environ
    settings = WorkerSettings.of(environ)
    if prepare_players:
        launch_players(settings, environ)
        return 0
    return run_worker(settings, environ)


def _init_config(environ: Mapping[str, str]) -> int:
    init_config_from_env(environ)
    return 0


def _launch_players(environ: Mapping[str, str]) -> int:
    return run_from_env(environ, prepare_players=True)


def _final_logs(environ: Mapping[str, str]) -> int:
    from coworld.runner.kubernetes.final_logs import final_logs

    return final_logs(environ)


def _wait_for_game(environ: Mapping[str, str]) -> int:
    wait_for_game(environ)
    return 0


def wait_for_game(environ: Mapping[str, str], stopped: Callable[[], bool] = lambda: False) -> None:
    """Wait until the game is healthy and the worker lets players start; the pod's deadline ends it."""
    from urllib.request import ProxyHandler, build_opener

    opener = build_opener(ProxyHandler({}))
    urls = [environ["COWORLD_GAME_HEALTH_URL"], environ["COWORLD_PLAYERS_READY_URL"]]
    while urls and not stopped():
        try:
            with opener.open(urls[0], timeout=2):
                urls.pop(0)
        except OSError:
            time.sleep(0.2)


def _sweep(environ: Mapping[str, str]) -> int:
    from coworld.engines.kubernetes.connection import connect
    from coworld.runner.kubernetes.remote import sweep

    for name in sweep(connect(environ)):
        print(f"deleted {name}")
    return 0


COMMANDS: Mapping[str, Callable[[Mapping[str, str]], int]] = {
    "init-config": _init_config,
    "launch-players": _launch_players,
    "prepare-players": _launch_players,
    "run": run_from_env,
    "run-core-sidecars-v1": run_from_env,
    "final-logs": _final_logs,
    "wait-for-game": _wait_for_game,
    "sweep": _sweep,
}


def main(words: Sequence[str] | None = None, environ: Mapping[str, str] | None = None) -> int:
    """Run one of the commands; return its exit code."""
    words = sys.argv[1:] if words is None else words
    environ = os.environ if environ is None else environ
    command = COMMANDS.get(words[0]) if len(words) == 1 else None
    if command is None:
        print(f"usage: python -m coworld.runner.kubernetes_runner {{{','.join(COMMANDS)}}}", file=sys.stderr)
        return 2
    try:
        return command(environ)
    except RunnerEpisodeError as error:
        from coworld.runner.kubernetes.worker import write_error

        write_error(environ.get("ERROR_INFO_URI"), EpisodeFailure.of(error))
    except EngineError as error:
        from coworld.runner.kubernetes.worker import write_error

        write_error(environ.get("ERROR_INFO_URI"), EpisodeFailure("platform_error", str(error)))
    return 1


if __name__ == "__main__":
    sys.exit(main())
