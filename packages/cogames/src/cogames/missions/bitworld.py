"""BitWorld games as missions: `-m bitworld.among_them`."""

from __future__ import annotations

import difflib
from collections.abc import Sequence
from dataclasses import dataclass
from importlib.metadata import entry_points

from mettagrid.bitworld import BITWORLD_AMONG_THEM_PLAYER_COUNT
from mettagrid.cogame.errors import MissionError
from mettagrid.config.bitworld_config import BitWorldEnvConfig

__all__ = ["BitWorldMission", "bitworld_games", "bitworld_mission", "is_bitworld", "split_names"]

PREFIX = "bitworld."
GROUP = "bitworld.games"
DEFAULT_PLAYERS = BITWORLD_AMONG_THEM_PLAYER_COUNT
MOST_PLAYERS = 16


@dataclass(frozen=True)
class BitWorldMission:
    """A game to evaluate policies on, like `cogames.missions.arguments.ChosenMission`."""

    name: str
    env: BitWorldEnvConfig


def bitworld_games() -> list[str]:
    """Return the names of the installed games; none without the package `bitworld`. Imports no game."""
    return sorted(entry_points(group=GROUP).names)


def is_bitworld(name: str) -> bool:
    """Return whether a mission is a BitWorld game."""
    return name.startswith(PREFIX)


def split_names(names: Sequence[str]) -> tuple[list[str], list[str]]:
    """Return the BitWorld games and the other missions among the names, each in order."""
    return [name for name in names if is_bitworld(name)], [name for name in names if not is_bitworld(name)]


def bitworld_mission(
    name: str, *, cogs: int | None = None, max_steps: int | None = None, seed: int | None = None
) -> BitWorldMission:
    """Return a game by its name, with or without `bitworld.`; eight players unless `cogs` says otherwise.

    Raises `MissionError`, which is a `ValueError`, for an unknown game and for too many players.
    """
    game, known = name.removeprefix(PREFIX), bitworld_games()
    if not known:
        raise MissionError("BitWorld games are not installed; run `pip install cogames[bitworld]`.")
    if game not in known:
        close = difflib.get_close_matches(game, known, n=1)
        hint = f"did you mean {close[0]!r}?" if close else f"the games are {', '.join(known)}."
        raise MissionError(f"There is no BitWorld game {game!r}; {hint}")
    players = DEFAULT_PLAYERS if cogs is None else cogs
    if not 1 <= players <= MOST_PLAYERS:
        raise MissionError(f"A BitWorld game has 1 to {MOST_PLAYERS} players, not {players}.")
    env = BitWorldEnvConfig(game_name=game, label=f"bitworld_{game}", num_players=players)
    if max_steps is not None:
        env.max_ticks = max_steps
    if seed is not None:
        env.seed = seed
    return BitWorldMission(f"{PREFIX}{game}", env)
