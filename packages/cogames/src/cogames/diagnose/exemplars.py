"""Choose the replays to watch first."""

from collections.abc import Sequence
from dataclasses import dataclass

from pydantic import BaseModel


@dataclass(frozen=True)
class Recording:
    """A replay of one episode, as a path relative to the output folder; `reward` is the mean over agents."""

    ref: str
    mission: str
    reward: float


class ReplayExemplars(BaseModel):
    """The episodes with the highest and the lowest reward, and the one that shows the dominant issue best."""

    best: str | None
    worst: str | None
    most_diagnostic: str | None


def choose_exemplars(stage1: Sequence[Recording], shows_issue: Sequence[Recording]) -> ReplayExemplars:
    """Choose exemplars; of the replays in `shows_issue`, the one with the lowest reward is the most diagnostic."""
    return ReplayExemplars(
        best=_extreme(stage1, highest=True),
        worst=_extreme(stage1, highest=False),
        most_diagnostic=_extreme(shows_issue or stage1, highest=False),
    )


def _extreme(recordings: Sequence[Recording], *, highest: bool) -> str | None:
    """Return the first recording with the highest or lowest reward."""
    if not recordings:
        return None
    sign = -1.0 if highest else 1.0
    return min(recordings, key=lambda recording: sign * recording.reward).ref
