"""The outcome of an episode."""

from typing import Literal

from pydantic import BaseModel, Field

from mettagrid.runner.types import PureSingleEpisodeResult
from mettagrid.simulator.multi_episode.rollout import EpisodeRolloutResult, MultiEpisodeRolloutResult
from mettagrid.types import EpisodeStats

__all__ = [
    "EpisodeOutcome",
    "EpisodeTimings",
    "PolicyTimings",
    "Verdict",
    "VerdictStatus",
    "rollout_result",
]

VerdictStatus = Literal["ok", "timed_out", "disabled", "crashed", "protocol_error", "killed"]

# The close reason of a WebSocket has room for 123 bytes; verdicts are the same without a socket.
MAX_MESSAGE_BYTES = 120


class Verdict(BaseModel):
    """How one policy behaved in one episode.

    - `ok`: all its answers were in time
    - `timed_out`: it played to the end, but some answers were late
    - `disabled`: it used up its overage budget
    - `crashed`: its code raised an exception
    - `protocol_error`: it sent an invalid action or an invalid message
    - `killed`: its process exited or was killed: out of memory, a forbidden call, no answer for too long

    The agents of the last four do nothing from `step` on; it is None if the policy never started. `timeouts` counts
    the late answers of all its agents.
    """

    status: VerdictStatus = "ok"
    message: str = ""
    step: int | None = None
    timeouts: int = 0

    @property
    def played_to_the_end(self) -> bool:
        return self.status in ("ok", "timed_out")


class PolicyTimings(BaseModel):
    """Milliseconds of one policy: to load, for all its answers, and for the slowest one.

    For a policy in another process there are also the number of answers, their median and 95th percentile, and the
    isolation level of `cogbox`, or None for a process without a box.
    """

    load_ms: float = 0.0
    total_ms: float = 0.0
    slowest_ms: float = 0.0
    answers: int = 0
    median_ms: float | None = None
    p95_ms: float | None = None
    isolation: str | None = None


class EpisodeTimings(BaseModel):
    """Wall-clock times of one episode, which differ from run to run."""

    total_ms: float = 0.0
    setup_ms: float = 0.0
    policies: list[PolicyTimings] = Field(default_factory=list)


class EpisodeOutcome(BaseModel):
    """The results of one episode, agent by agent, and a verdict on each policy.

    `last_words` is, for each policy that did not play to the end, its traceback or the end of its output. Everything
    except that and `timings` is the same for the same plan, for any number of workers and wherever the policies run,
    as long as no policy misses a deadline.
    """

    seed: int
    assignments: list[int]
    policy_names: list[str]
    rewards: list[float]
    action_timeouts: list[int]
    stats: EpisodeStats
    steps: int
    max_steps: int
    time_averaged_game_stats: dict[str, float]
    overage_exceeded_at: list[int | None]
    verdicts: list[Verdict]
    replay_path: str | None = None
    timings: EpisodeTimings = Field(default_factory=EpisodeTimings)
    last_words: list[str] = Field(default_factory=list)

    def compared(self) -> str:
        """Return the deterministic part of the outcome as JSON, for comparing two runs of one plan."""
        return self.model_dump_json(exclude={"timings", "replay_path", "last_words"})

    def pure_result(self) -> PureSingleEpisodeResult:
        """Return the result in the published form for a single episode."""
        return PureSingleEpisodeResult(
            rewards=self.rewards,
            action_timeouts=self.action_timeouts,
            stats=self.stats,
            steps=self.steps,
            time_averaged_game_stats=self.time_averaged_game_stats,
            overage_exceeded_at=self.overage_exceeded_at,
        )

    def rollout_result(self) -> EpisodeRolloutResult:
        """Return the result in the published form for one of several episodes."""
        return EpisodeRolloutResult(
            assignments=self.assignments,
            rewards=self.rewards,
            action_timeouts=self.action_timeouts,
            stats=self.stats,
            replay_path=self.replay_path,
            steps=self.steps,
            max_steps=self.max_steps,
            time_averaged_game_stats=self.time_averaged_game_stats,
        )


def rollout_result(outcomes: list[EpisodeOutcome]) -> MultiEpisodeRolloutResult:
    """Return several outcomes in the published form, for summaries."""
    return MultiEpisodeRolloutResult(episodes=[outcome.rollout_result() for outcome in outcomes])
