"""Register runners for games of other engines, chosen by a job's `env.game_engine`."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from mettagrid.runner.types import PureSingleEpisodeJob, PureSingleEpisodeResult

__all__ = ["EngineRunner", "get_engine_runner", "is_registered", "register_engine_runner"]

EngineRunner = Callable[["PureSingleEpisodeJob"], "PureSingleEpisodeResult"]

_runners: dict[str, EngineRunner] = {}


def register_engine_runner(engine: str, runner: EngineRunner) -> None:
    """Register `runner` for the games of an engine; a later call for the same engine replaces it."""
    _runners[engine] = runner


def is_registered(engine: str) -> bool:
    """Return whether a runner was registered for an engine, which then plays all its jobs."""
    return engine in _runners


def get_engine_runner(engine: str) -> EngineRunner | None:
    """Return the runner for an engine, or None if there is none; `mettagrid` itself has none, `bitworld` has ours."""
    if engine == "bitworld" and engine not in _runners:
        from mettagrid.runner.bitworld_runner import run_bitworld_episode

        return run_bitworld_episode
    return _runners.get(engine)
