"""The results of several episodes with the same policies."""

from pydantic import BaseModel, Field

from mettagrid.types import EpisodeStats

__all__ = ["EpisodeRolloutResult", "MultiEpisodeRolloutResult"]


class EpisodeRolloutResult(BaseModel):
    """One episode. `assignments` holds the policy of each agent; the other lists go by agent too."""

    assignments: list[int]
    rewards: list[float]
    action_timeouts: list[int]
    stats: EpisodeStats
    replay_path: str | None
    steps: int
    max_steps: int
    time_averaged_game_stats: dict[str, float] = Field(default_factory=dict)


class MultiEpisodeRolloutResult(BaseModel):
    """Episodes in the order in which they were planned."""

    episodes: list[EpisodeRolloutResult]
