"""Check in a box that a bundle loads and plays its game."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from mettagrid.config.any_env_config import AnyEnvConfig
    from mettagrid.policy.policy_spec import PolicySpec
    from mettagrid.runner.episode.holder import PolicySource
    from mettagrid.runner.episode.outcome import EpisodeOutcome

__all__ = ["Validation", "validate_bundle", "validate_policy"]

STEPS = 10
SEED = 42


@dataclass(frozen=True)
class Validation:
    """The result of a validation."""

    problem: str
    """one sentence; empty if the bundle is valid"""
    level: str
    """the isolation level of the check"""
    steps: int
    outcome: EpisodeOutcome | None = None

    @property
    def last_words(self) -> str:
        """The traceback of a failed policy, or the end of its output."""
        return "" if self.outcome is None or not self.outcome.last_words else self.outcome.last_words[0]

    @property
    def ok(self) -> bool:
        return not self.problem


def validate_bundle(uri: str, env: AnyEnvConfig, *, minimum: str = "landlock") -> Validation:
    """Play at most ten steps with the policy in every seat.

    It fails if the policy cannot be loaded, crashes or is killed, if no step was played, or if its first agent only did
    noop. Raises what `material_from_uri` raises for a bundle that cannot be read.
    """
    import cogbox
    from mettagrid.runner.boxed.policy import BoxedPolicy, BoxPolicyOptions

    level = cogbox.sandbox(minimum=minimum).level.value
    return _try(BoxedPolicy.from_uri(uri, BoxPolicyOptions(minimum=minimum, at_most=level)), env, level)


def validate_policy(policy: PolicySpec, env: AnyEnvConfig) -> Validation:
    """Validate a policy in this process, for trusted code."""
    return _try(policy, env, "this process")


def _try(policy: PolicySpec | PolicySource, env: AnyEnvConfig, level: str) -> Validation:
    from mettagrid.config.bitworld_config import BitWorldEnvConfig
    from mettagrid.runner.episode import EpisodePlan, play_episode

    short = env.model_copy(deep=True)
    if isinstance(short, BitWorldEnvConfig):
        short.max_ticks = min(STEPS, short.max_ticks)
    else:
        short.game.max_steps = min(STEPS, short.game.max_steps or STEPS)
    outcome = play_episode(EpisodePlan(short, [policy], [0] * short.num_agents, seed=SEED, load_failure="verdict"))
    verdict = outcome.verdicts[0]
    problem = ""
    if not verdict.played_to_the_end:
        problem = f"The policy {verdict.status.replace('_', ' ')}: {verdict.message}"
    elif outcome.steps <= 0:
        problem = "The policy played no step"
    elif _only_noops(outcome.stats["agent"][0]):
        problem = "The policy did nothing but noop"
    return Validation(problem, level, outcome.steps, outcome)


def _only_noops(stats: dict[str, float]) -> bool:
    actions = {name: value for name, value in stats.items() if name.startswith("action.")}
    return bool(actions) and all(name.startswith("action.noop") for name, value in actions.items() if value)
