"""Runners for games of other engines: a job whose `env.game_engine` is not `mettagrid` goes to the one registered."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from mettagrid.runner.types import PureSingleEpisodeJob, PureSingleEpisodeResult

__all__ = ["EngineRunner", "get_engine_runner", "register_engine_runner"]

EngineRunner = Callable[["PureSingleEpisodeJob"], "PureSingleEpisodeResult"]

_runners: dict[str, EngineRunner] = {}


def register_engine_runner(engine: str, runner: EngineRunner) -> None:
    """Let `runner` play the games of an engine; a later call for the same engine replaces it."""
    _runners[engine] = runner


def get_engine_runner(engine: str) -> EngineRunner | None:
    """The runner for an engine; None where none is registered, which is so for `mettagrid` itself."""
    return _runners.get(engine)
