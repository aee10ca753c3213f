"""Episodes that were never played, and a player that makes them up."""

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest

from cogames.diagnose.cases import DiagnoseCase
from cogames.diagnose.metrics import CaseOutcomes, MissionMetrics, measure
from mettagrid.runner.episode import EpisodeOutcome, EpisodePlan, Verdict

EXPERIMENTS = ("eval_balanced_spread", "eval_collect_resources", "eval_divide_and_conquer")


def made_up_episode(
    assignments: Sequence[int] = (0, 0),
    *,
    rewards: Sequence[float] | float = 1.0,
    steps: int = 100,
    timeouts: int = 0,
    moved: float = 90.0,
    blocked: float = 2.0,
    failed: float = 2.0,
    stuck: float = 3.0,
    held: float = 50.0,
    verdicts: Sequence[Verdict] | None = None,
    replay_path: str | None = None,
    seed: int = 0,
) -> EpisodeOutcome:
    """Return an episode in which all agents did the same, apart from their rewards."""
    agents = len(assignments)
    stats = {
        "action.move.success": moved,
        "action.move.failed": blocked,
        "action.failed": failed,
        "status.max_steps_without_motion": stuck,
    }
    policies = max(assignments) + 1
    return EpisodeOutcome(
        seed=seed,
        assignments=list(assignments),
        policy_names=[f"policy {number}" for number in range(policies)],
        rewards=[rewards] * agents if isinstance(rewards, int | float) else list(rewards),
        action_timeouts=[timeouts] * agents,
        stats={
            "game": {"cogs/aligned.junction.held": held, "clips/aligned.junction.held": 7777.0},
            "agent": [dict(stats) for _ in range(agents)],
        },
        steps=steps,
        max_steps=steps,
        time_averaged_game_stats={},
        overage_exceeded_at=[None] * agents,
        verdicts=list(verdicts or [Verdict()] * policies),
        replay_path=replay_path,
    )


@pytest.fixture(scope="session")
def episode() -> Callable[..., EpisodeOutcome]:
    return made_up_episode


@pytest.fixture(scope="session")
def metrics_of() -> Callable[..., MissionMetrics]:
    """Metrics of one policy in episodes of one case."""

    def build(*episodes: EpisodeOutcome, mission: str = "eval_balanced_spread", policy: int = 0) -> MissionMetrics:
        case = DiagnoseCase(mission, len(episodes[0].assignments))
        return measure(CaseOutcomes(case, episodes, ["cogs"]), policy)

    return build


class MadeUpPlayer:
    """Plays no episode, but returns what `tell` makes of each plan, and writes a replay where one is asked for."""

    def __init__(self, tell: Callable[[EpisodePlan], dict[str, Any]] = lambda plan: {}) -> None:
        self.tell = tell
        self.plans: list[EpisodePlan] = []

    def __call__(self, plans: Sequence[EpisodePlan]) -> list[EpisodeOutcome]:
        self.plans += plans
        return [self._outcome(plan) for plan in plans]

    def _outcome(self, plan: EpisodePlan) -> EpisodeOutcome:
        settings = {"steps": plan.env.game.max_steps, "seed": plan.seed, **self.tell(plan)}
        writes_replay = settings.pop("writes_replay", True)
        if plan.replay_path is not None and writes_replay:
            Path(plan.replay_path).write_bytes(b"replay %d" % plan.seed)
        return made_up_episode(
            plan.assignments, replay_path=None if plan.replay_path is None else str(plan.replay_path), **settings
        )


@pytest.fixture
def made_up_player() -> type[MadeUpPlayer]:
    return MadeUpPlayer


@pytest.fixture(scope="session")
def experiments() -> tuple[str, ...]:
    """One mission for each axis."""
    return EXPERIMENTS
