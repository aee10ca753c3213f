"""What is to be played, and by whom."""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from mettagrid.config.mettagrid_config import MettaGridConfig
from mettagrid.policy.policy_spec import PolicySpec
from mettagrid.runner.types import check_assignments

if TYPE_CHECKING:
    from mettagrid.runner.episode.holder import PolicySource
    from mettagrid.runner.episode.outcome import Verdict

__all__ = ["EpisodePlan", "plan_episodes"]


@dataclass(frozen=True)
class EpisodePlan:
    """One episode. Plans can be sent to other processes.

    `policies` are specs, which are played in this process, or other sources (see `holder`); `assignments` holds a
    position in it for each agent. `policy_names` are for people. A map without a seed of its own is drawn from `seed`.

    With a `policy_seed`, policies draw from that and nobody but the engine learns the `seed`: neither policies nor the
    replay, whose map has no seed either. It must not be possible to find one from the other.

    `actions_path` gets what policies did, for `recorded.RecordedPolicy`.

    `max_action_time_ms` and `overage_budget_ms` are those of `ActionTimes`; the time is raised to what the policies
    need. A policy in another process that has not answered for `patience_ms` (by default three times the limit and ten
    seconds) is ended, and so is one that is not ready after `prepare_timeout_s`, or takes more than `answer_budget_s`
    for all its answers, each of which may be in time. A policy that cannot be made is a mistake to be raised, or, where
    `load_failure` says so, a verdict. `barred` holds policies that must not play, with their verdicts.
    """

    env: MettaGridConfig
    policies: Sequence[PolicySpec | PolicySource]
    assignments: Sequence[int]
    seed: int = 0
    policy_seed: int | None = None
    policy_names: Sequence[str] | None = None
    max_action_time_ms: int = 10_000
    overage_budget_ms: int | None = None
    patience_ms: int | None = None
    answer_budget_s: float | None = None
    prepare_timeout_s: float = 90.0
    replay_path: Path | None = None
    actions_path: Path | None = None
    device: str | None = None
    load_failure: Literal["raise", "verdict"] = "raise"
    barred: dict[int, Verdict] = field(default_factory=dict)

    def __post_init__(self) -> None:
        check_assignments(self.assignments, num_agents=self.env.game.num_agents, num_policies=len(self.policies))
        if self.policy_names is not None and len(self.policy_names) != len(self.policies):
            raise ValueError(f"There are {len(self.policies)} policies and {len(self.policy_names)} policy_names")

    @property
    def names(self) -> list[str]:
        """The name of each policy."""
        return list(self.policy_names or (policy.name for policy in self.policies))

    def bar(self, policy_index: int, verdict: Verdict) -> EpisodePlan:
        """The same episode with a policy whose agents do nothing."""
        return replace(self, barred={**self.barred, policy_index: verdict})


def plan_episodes(
    env: MettaGridConfig,
    policies: Sequence[PolicySpec | PolicySource],
    assignments: Sequence[int],
    *,
    episodes: int,
    seed: int,
    rng: random.Random | None = None,
    shuffle_assignments: bool = True,
    replay_paths: Sequence[Path | None] | None = None,
    **settings: object,
) -> list[EpisodePlan]:
    """Plans for several episodes: seeds `seed`, `seed + 1`, ..., and seats that are shuffled again for each.

    The shuffles add up: each starts from the seats of the episode before. They are drawn from `rng`, by default
    `random.Random(seed)`. `settings` are further fields of `EpisodePlan`.
    """
    rng = rng or random.Random(seed)
    seats = list(assignments)
    plans = []
    for number in range(episodes):
        if shuffle_assignments:
            rng.shuffle(seats)
        replay_path = None if replay_paths is None else replay_paths[number]
        plan = EpisodePlan(env, policies, tuple(seats), seed=seed + number, replay_path=replay_path)
        plans.append(replace(plan, **settings))  # type: ignore[arg-type]
    return plans
