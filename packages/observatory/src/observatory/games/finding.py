"""Find the installed games."""

from __future__ import annotations

import functools
from collections.abc import Mapping
from importlib.metadata import entry_points
from typing import Any, cast

from observatory.errors import NotConfigured
from observatory.games.interface import Game, SeasonGame

__all__ = ["DEFAULT_ENGINE", "ENTRY_POINTS", "GameMissing", "engine_of", "find", "installed", "season_game"]

ENTRY_POINTS = "observatory.games"
DEFAULT_ENGINE = "mettagrid"
"""the engine of environments that name none, and of every bundle"""


class GameMissing(NotConfigured):
    """No installed distribution offers the engine, or its game cannot be imported."""


def installed() -> list[str]:
    """Return the names of the engines that installed distributions offer."""
    return sorted(entry_points(group=ENTRY_POINTS).names)


@functools.cache
def find(engine: str = DEFAULT_ENGINE) -> Game:
    """Return the games of an engine; `GameMissing` if no installed distribution offers it."""
    for entry in entry_points(group=ENTRY_POINTS, name=engine):
        try:
            return cast(Game, entry.load())
        except Exception as error:  # importing runs the code of another distribution
            raise GameMissing(
                f"The games of the engine {engine!r} cannot be imported from {entry.value!r}: {error}"
            ) from error
    names = ", ".join(installed()) or "none"
    raise GameMissing(
        f"No installed package offers games of the engine {engine!r}; installed engines: {names}. "
        f"Install the package of the game; mettagrid comes with `pip install cogames`."
    )


def season_game(engine: str = DEFAULT_ENGINE) -> SeasonGame:
    """Return the games of an engine that has missions; `GameMissing` if it is not installed or has none."""
    game = find(engine)
    if not hasattr(game, "env_config"):
        raise GameMissing(f"The games of the engine {engine!r} have no missions, so seasons cannot play them")
    return cast(SeasonGame, game)


def engine_of(spec: Mapping[str, Any]) -> str:
    """Return the engine that a job's environment names; jobs of an older format name it beside the environment."""
    env = spec.get("env")
    env_engine = env.get("game_engine") if isinstance(env, Mapping) else None
    engine = spec.get("game_engine") if env_engine is None else env_engine
    return engine if isinstance(engine, str) else DEFAULT_ENGINE
