"""How an episode went."""

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

# The reason in the closing frame of a WebSocket has room for 123 bytes; verdicts are the same without a socket.
MAX_MESSAGE_BYTES = 120


class Verdict(BaseModel):
    """How one policy behaved in one episode.

    - `ok`: it answered in time, always
    - `timed_out`: it played to the end, but some answers came too late
    - `disabled`: it used up its overage budget
    - `crashed`: its code raised an exception
    - `protocol_error`: what it answered is no action of the game, or no message of the protocol
    - `killed`: its process ended or was ended: out of memory, a forbidden call, no answer for too long

    The agents of the last four do nothing from `step` on; it is None when the policy never began. `timeouts` counts
    answers that came too late, over all its agents.
    """

    status: VerdictStatus = "ok"
    message: str = ""
    step: int | None = None
    timeouts: int = 0

    @property
    def played_to_the_end(self) -> bool:
        return self.status in ("ok", "timed_out")


class PolicyTimings(BaseModel):
    """Milliseconds of one policy: to be made, over all its answers, and of the slowest one.

    Of a policy in another process the answers are counted and the times that half and 95 % of them took are known, and
    what held it back: a level of `cogbox`, or None for a process without a box.
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

    `last_words` is, for each policy that did not play to the end, its traceback, or the end of what it printed. All but
    that and `timings` is the same for the same plan, whatever the number of workers and wherever the policies live, as
    long as no policy misses a deadline.
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
        """What two runs of one plan have in common, as JSON."""
        return self.model_dump_json(exclude={"timings", "replay_path", "last_words"})

    def pure_result(self) -> PureSingleEpisodeResult:
        """The part that the published interface has, for a single episode."""
        return PureSingleEpisodeResult(
            rewards=self.rewards,
            action_timeouts=self.action_timeouts,
            stats=self.stats,
            steps=self.steps,
            time_averaged_game_stats=self.time_averaged_game_stats,
            overage_exceeded_at=self.overage_exceeded_at,
        )

    def rollout_result(self) -> EpisodeRolloutResult:
        """The part that the published interface has, for one of several episodes."""
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
    """Several episodes as the published interface has them, for summaries."""
    return MultiEpisodeRolloutResult(episodes=[outcome.rollout_result() for outcome in outcomes])
