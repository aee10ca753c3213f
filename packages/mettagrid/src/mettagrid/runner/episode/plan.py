"""Plans of episodes: the game, the policies and their seats."""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from mettagrid.config.any_env_config import AnyEnvConfig
from mettagrid.policy.policy_spec import PolicySpec
from mettagrid.runner.types import check_assignments

if TYPE_CHECKING:
    from mettagrid.runner.episode.holder import PolicySource
    from mettagrid.runner.episode.outcome import Verdict

__all__ = ["EpisodePlan", "plan_episodes"]


@dataclass(frozen=True)
class EpisodePlan:
    """One episode. Plans are picklable.

    `policies` are specs, which run in this process, or other sources (see `holder`); `assignments` holds a position in
    it for each agent. `policy_names` are for display. A map without its own seed is drawn from `seed`.

    With a `policy_seed`, policies draw from that, and only the engine knows the `seed`: it is hidden from policies and
    from the replay, whose map has no seed either. It must be impossible to derive one from the other.

    The policies' actions are written to `actions_path`, for `recorded.RecordedPolicy`.

    `max_action_time_ms` and `overage_budget_ms` are those of `ActionTimes`; the time is raised to what the policies
    need. A policy in another process is killed if it does not answer for `patience_ms` (by default three times the
    limit plus ten seconds), if it is not ready after `prepare_timeout_s`, or if all its answers together take more than
    `answer_budget_s`, even when each is in time. A policy that cannot be loaded raises an error, or gets a verdict
    where `load_failure` says so. `barred` holds policies that must not play, with their verdicts.
    """

    env: AnyEnvConfig
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
    scenes_path: Path | None = None
    """what spectators of a BitWorld game see, for its viewer"""
    history_path: Path | None = None
    """the events and rewards of a BitWorld game, for its explanation"""
    device: str | None = None
    load_failure: Literal["raise", "verdict"] = "raise"
    barred: dict[int, Verdict] = field(default_factory=dict)

    def __post_init__(self) -> None:
        check_assignments(self.assignments, num_agents=self.env.num_agents, num_policies=len(self.policies))
        if self.policy_names is not None and len(self.policy_names) != len(self.policies):
            raise ValueError(f"There are {len(self.policies)} policies and {len(self.policy_names)} policy_names")

    @property
    def names(self) -> list[str]:
        """The name of each policy."""
        return list(self.policy_names or (policy.name for policy in self.policies))

    def bar(self, policy_index: int, verdict: Verdict) -> EpisodePlan:
        """Return the same episode with a barred policy, whose agents do nothing."""
        return replace(self, barred={**self.barred, policy_index: verdict})


def plan_episodes(
    env: AnyEnvConfig,
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
    """Return plans for several episodes: seeds `seed`, `seed + 1`, ..., with the seats reshuffled for each.

    The shuffles accumulate: each starts from the seats of the previous episode. They are drawn from `rng`, by default
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
