"""Compatibility names for `cogames bitworld`; the commands are in the package `bitworld`, found by entry points.

Nothing is compiled here, so the published functions for compiling and for folders of Nim sources have no counterpart.
"""

from __future__ import annotations

import importlib
from importlib.metadata import entry_points
from pathlib import Path
from typing import Any

from pydantic import BaseModel, ConfigDict, Field

from cogames.commands.shared.bitworld_viewer import MAGIC as BITREPLAY_MAGIC
from cogames.commands.shared.bitworld_viewer import bitworld_viewer
from cogames.missions.bitworld import GROUP, bitworld_games
from softmax.cli.errors import CommandError

__all__ = [
    "BITREPLAY_HEADER_PREFIX_BYTES",
    "BITREPLAY_MAGIC",
    "BITWORLD_EXTRA",
    "DEFAULT_ADDRESS",
    "DEFAULT_BROWSER_ADDRESS",
    "GLOBAL_CLIENT_ROUTE",
    "BitWorldGame",
    "QuickRunConfig",
    "ReplayConfig",
    "bitworld_app",  # noqa: F822 - imported on first use
    "bitworld_replay_game_from_file",
    "discover_games",
    "games_cmd",  # noqa: F822 - imported on first use
    "global_client_url",
    "launch_bitworld_replay",
    "quick_run_cmd",  # noqa: F822 - imported on first use
    "replay_cmd",  # noqa: F822 - imported on first use
]

BITWORLD_EXTRA = "bitworld"
BITREPLAY_HEADER_PREFIX_BYTES = len(BITREPLAY_MAGIC) + 4
DEFAULT_ADDRESS = "127.0.0.1"
DEFAULT_BROWSER_ADDRESS = DEFAULT_ADDRESS
GLOBAL_CLIENT_ROUTE = "/client/global.html"

# Command functions of the package `bitworld`, imported on first use.
_COMMANDS = {"games_cmd": "games", "quick_run_cmd": "quick-run", "replay_cmd": "replay"}


class BitWorldGame(BaseModel):
    """An installed game; `entrypoint` is the path of its module inside its package."""

    model_config = ConfigDict(frozen=True)

    name: str = Field(min_length=1)
    title: str = Field(min_length=1)
    entrypoint: Path


class QuickRunConfig(BaseModel):
    """What `quick-run` serves."""

    model_config = ConfigDict(frozen=True)

    game: str = Field(min_length=1)
    port: int | None = Field(default=None, ge=1, le=65535)
    players: int = Field(default=1, ge=1)
    address: str = Field(default=DEFAULT_ADDRESS, min_length=1)
    save_replay: Path | None = None


class ReplayConfig(BaseModel):
    """A recording and how to serve it."""

    model_config = ConfigDict(frozen=True)

    replay_path: Path
    game: str | None = Field(default=None, min_length=1)
    port: int | None = Field(default=None, ge=1, le=65535)
    address: str = Field(default=DEFAULT_ADDRESS, min_length=1)
    browser_address: str = Field(default=DEFAULT_BROWSER_ADDRESS, min_length=1)
    duration: float | None = Field(default=None, ge=0)


def discover_games() -> list[BitWorldGame]:
    """Return the installed games, ordered by name. Imports none of them."""
    modules = {entry.name: entry.module for entry in entry_points(group=GROUP)}
    return [
        BitWorldGame(name=name, title=name.replace("_", " ").title(), entrypoint=Path(*modules[name].split(".")))
        for name in bitworld_games()
    ]


def global_client_url(browser_address: str, port: int) -> str:
    """Return the address of the page for spectators."""
    return f"http://{browser_address}:{port}{GLOBAL_CLIENT_ROUTE}"


def bitworld_replay_game_from_file(replay_path: Path) -> str:
    """Return the name of the game in the header of a recording. Raises `ValueError` for another file."""
    data = Path(replay_path).read_bytes()[:1024]
    start = BITREPLAY_HEADER_PREFIX_BYTES
    size = int.from_bytes(data[start - 2 : start], "little")
    if not data.startswith(BITREPLAY_MAGIC) or not 0 < size <= len(data) - start:
        raise ValueError(f"{replay_path} is not a BitWorld replay")
    return data[start : start + size].decode("utf-8", "replace")


def launch_bitworld_replay(config: ReplayConfig, nim: str = "nim") -> int:
    """Serve a recording until Ctrl-C or for its duration; return the exit status. `nim` has no effect."""
    show = bitworld_viewer()
    if show is None:
        raise _missing()
    return show(
        config.replay_path,
        game=config.game,
        port=config.port or 0,
        address=config.address,
        browser_address=config.browser_address,
        duration=config.duration,
    )


def __getattr__(name: str) -> Any:
    if name == "bitworld_app":
        from cogames.commands.shared.program import make_group_app

        return make_group_app("bitworld", "Play BitWorld games and watch their replays.", _entries())
    if name in _COMMANDS:
        target = next(entry.target for entry in _entries() if entry.name == _COMMANDS[name])
        module, _, attribute = target.partition(":")
        return getattr(importlib.import_module(module), attribute)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def _entries() -> list[Any]:
    """Return the table of the commands of the package `bitworld`."""
    for point in entry_points(group="cogames.commands", name="bitworld"):
        module, _, attribute = point.load()[0].target.partition(":")
        table: list[Any] = getattr(importlib.import_module(module), attribute)
        return table
    raise _missing()


def _missing() -> CommandError:
    return CommandError("BitWorld games need the package `bitworld`", [f"pip install cogames[{BITWORLD_EXTRA}]"])
