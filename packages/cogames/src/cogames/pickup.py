"""Compatibility name for value over replacement on a rich console.

`cogames.episodes.value_over_replacement` measures it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from rich.console import Console

    from mettagrid.config.mettagrid_config import MettaGridConfig
    from mettagrid.policy.policy_spec import PolicySpec

__all__ = ["pickup"]


def pickup(
    console: Console,
    candidate_spec: PolicySpec,
    pool_specs: Sequence[PolicySpec],
    *,
    env_cfg: MettaGridConfig,
    mission_name: str,
    episodes: int,
    seed: int,
    map_seed: int | None,
    action_timeout_ms: int,
    save_replay_dir: Path | None,
    device: str | None = None,
    candidate_label: str | None = None,
    pool_labels: Sequence[str] | None = None,
) -> None:
    """Measure what the candidate adds to the pool, and print scores and value over replacement."""
    from cogames.commands.pickup import print_pickup
    from cogames.episodes.settings import PlaySettings
    from cogames.episodes.value_over_replacement import measure
    from cogames.missions.arguments import ChosenMission
    from softmax.cli.output import printed_text

    if not pool_specs:
        raise ValueError("The pool needs at least one policy; got none.")
    env = env_cfg.model_copy(deep=True)
    if map_seed is not None and hasattr(env.game.map_builder, "seed"):
        env.game.map_builder.seed = map_seed
    result = measure(
        ChosenMission(mission_name, env),
        candidate_spec,
        pool_specs,
        episodes=episodes,
        seed=seed,
        settings=PlaySettings(action_timeout_ms, device, replay_dir=save_replay_dir),
    )
    result = replace(result, candidate=candidate_label or result.candidate, pool=list(pool_labels or result.pool))
    text = printed_text(lambda: print_pickup(result))
    console.print(text, markup=False, highlight=False, soft_wrap=True, end="")
