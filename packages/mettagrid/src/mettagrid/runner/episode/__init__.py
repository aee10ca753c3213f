"""The episode runner of every command and of the league.

    from mettagrid.runner.episode import plan_episodes, play_episodes

    plans = plan_episodes(env, [PolicySpec(class_path="starter")], [0] * 8, episodes=10, seed=42)
    outcomes = play_episodes(plans, workers=2)

A plan says what is played and where the policies run; an outcome has the results and a verdict on each policy. The
same plan gives the same outcome, apart from its timings, on any number of workers.
"""

from mettagrid.runner.episode.errors import (
    EpisodeError,
    EpisodeWorkerError,
    MachineFault,
    PolicyFailure,
    PolicyLoadError,
)
from mettagrid.runner.episode.holder import PolicySource, SeatHolder, Seats
from mettagrid.runner.episode.in_process import InProcess
from mettagrid.runner.episode.outcome import (
    EpisodeOutcome,
    EpisodeTimings,
    PolicyTimings,
    Verdict,
    VerdictStatus,
    rollout_result,
)
from mettagrid.runner.episode.plan import EpisodePlan, plan_episodes
from mettagrid.runner.episode.play import play_episode
from mettagrid.runner.episode.workers import play_episodes

__all__ = [
    "EpisodeError",
    "EpisodeOutcome",
    "EpisodePlan",
    "EpisodeTimings",
    "EpisodeWorkerError",
    "InProcess",
    "MachineFault",
    "PolicyFailure",
    "PolicyLoadError",
    "PolicySource",
    "PolicyTimings",
    "SeatHolder",
    "Seats",
    "Verdict",
    "VerdictStatus",
    "plan_episodes",
    "play_episode",
    "play_episodes",
    "rollout_result",
]
