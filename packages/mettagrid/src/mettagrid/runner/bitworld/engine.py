"""Find the engine of BitWorld games: the package `bitworld`, by its entry point."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from importlib.metadata import entry_points
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

if TYPE_CHECKING:
    import numpy as np

    from mettagrid.config.bitworld_config import BitWorldEnvConfig
    from mettagrid.live import LiveFeed

__all__ = ["ENTRY_POINT_GROUP", "MISSING", "Account", "Match", "find_engine", "open_match", "pages_folder"]

ENTRY_POINT_GROUP = "mettagrid.engines"
ENGINE = "bitworld"
MISSING = "BitWorld games need the package `bitworld`: pip install cogames[bitworld]"


class Account(Protocol):
    """What a player has earned."""

    @property
    def name(self) -> str: ...

    @property
    def reward(self) -> int: ...

    @property
    def counts(self) -> Mapping[str, int]: ...


class Match(Protocol):
    """One game with seated players, see `bitworld.match.SeatedMatch`."""

    @property
    def is_over(self) -> bool: ...

    def draw(self, player: int, out: np.ndarray) -> None: ...

    def sprite_messages(self, player: int) -> bytes: ...

    def sprite_scene(self, player: int) -> bytes: ...

    def chat(self, player: int, text: str) -> bool: ...

    def step(self, masks: Sequence[int]) -> None: ...

    def accounts(self) -> Sequence[Account]: ...

    def broadcast(self, *, hides_secrets: bool) -> LiveFeed: ...

    def write_scenes(self, path: Path) -> None: ...

    def write_history(self, path: Path) -> None: ...

    def close(self) -> None: ...


def find_engine() -> Callable[..., Match]:
    """Return the function that opens a match. Raises `ModuleNotFoundError` if the package is not installed."""
    for point in entry_points(group=ENTRY_POINT_GROUP, name=ENGINE):
        engine: Callable[..., Match] = point.load()
        return engine
    raise ModuleNotFoundError(MISSING)


def pages_folder() -> Path:
    """Return the folder of the built pages of BitWorld games, beside the engine. Imports no game."""
    for point in entry_points(group=ENTRY_POINT_GROUP, name=ENGINE):
        module = find_spec(point.module)
        if module is not None and module.origin is not None:
            return Path(module.origin).parent / "pages"
    raise ModuleNotFoundError(MISSING)


def open_match(env: BitWorldEnvConfig, seed: int, replay_path: Path | None) -> Match:
    """Open the match of an episode, with the players `player_0`, `player_1`, ...

    Raises `ValueError` for a configuration that the game refuses.
    """
    config: dict[str, Any] = {
        **env.server_config,
        "seed": seed,
        "maxTicks": env.max_ticks,
        "minPlayers": env.num_players,
        "maxGames": 1,
    }
    players = [player_name(number) for number in range(env.num_players)]
    engine = find_engine()
    try:
        return engine(env.game_name, config, players, replay_path)
    except OSError:
        raise
    except Exception as error:  # the engine's own errors; their sentences name the value
        raise ValueError(str(error)) from error


def player_name(agent: int) -> str:
    return f"player_{agent}"
