"""Compatibility name for playing one episode on a rich console; `cogames.episodes.single` plays it."""

from __future__ import annotations

import shlex
import uuid
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    from rich.console import Console

    from mettagrid.config.mettagrid_config import MettaGridConfig
    from mettagrid.policy.policy_spec import PolicySpec

__all__ = ["ELEMENTS", "GEAR", "play"]

ELEMENTS = ["carbon", "oxygen", "germanium", "silicon"]
GEAR = ["miner", "aligner", "scrambler", "scout"]


def play(
    console: Console,
    env_cfg: MettaGridConfig,
    policy_specs: Sequence[PolicySpec],
    game_name: str,
    seed: int = 42,
    device: str = "cpu",
    render_mode: Literal["gui", "unicode", "log", "none"] = "gui",
    action_timeout_ms: int = 10_000,
    save_replay: Path | None = None,
    save_replay_file: Path | None = None,
    autostart: bool = False,
) -> None:
    """Play one episode and print its stats.

    `save_replay` is a folder, which gets a file with a new name; `save_replay_file` is the file itself.
    """
    from cogames.episodes.settings import PlaySettings, bad_verdicts
    from cogames.episodes.single import episode_stats, play_once
    from cogames.missions.arguments import ChosenMission

    outcome = play_once(
        ChosenMission(game_name, env_cfg),
        policy_specs,
        seed=seed,
        render=render_mode,
        autostart=autostart,
        replay_path=_replay_path(save_replay, save_replay_file),
        settings=PlaySettings(action_timeout_ms, device),
    )
    for sentence in bad_verdicts([outcome], outcome.policy_names):
        console.print(f"Warning: {sentence}", markup=False)
    console.print("\nEpisode Complete!")
    console.print(f"Steps: {outcome.steps}")

    from rich.table import Table

    stats = episode_stats(outcome)
    table = Table(*stats.headers, title="Episode Stats")
    for row in stats.rows:
        table.add_row(*row)
    console.print(table)
    if outcome.replay_path is not None:
        watch = shlex.join(["cogames", "replay", str(outcome.replay_path)])
        console.print(f"\nReplay saved!\nTo watch it, run:\n{watch}", soft_wrap=True)


def _replay_path(folder: Path | None, file: Path | None) -> Path | None:
    if folder is not None and file is not None:
        raise ValueError("save_replay and save_replay_file cannot be combined; pass one of them.")
    path = file if folder is None else Path(folder) / f"{uuid.uuid4()}.json.z"
    if path is not None:
        path.parent.mkdir(parents=True, exist_ok=True)
    return path
