"""Which replays to look at first."""

from collections.abc import Sequence
from dataclasses import dataclass

from pydantic import BaseModel


@dataclass(frozen=True)
class Recording:
    """A replay of one episode, as a path inside the output folder; `reward` is the mean over agents."""

    ref: str
    mission: str
    reward: float


class ReplayExemplars(BaseModel):
    """The episode with the highest and with the lowest reward, and the one that shows best what is wrong."""

    best: str | None
    worst: str | None
    most_diagnostic: str | None


def choose_exemplars(stage1: Sequence[Recording], shows_issue: Sequence[Recording]) -> ReplayExemplars:
    """`shows_issue` are replays in which the dominant issue can be seen; the worst of them says most."""
    return ReplayExemplars(
        best=_extreme(stage1, highest=True),
        worst=_extreme(stage1, highest=False),
        most_diagnostic=_extreme(shows_issue or stage1, highest=False),
    )


def _extreme(recordings: Sequence[Recording], *, highest: bool) -> str | None:
    """The first of those with the highest or lowest reward."""
    if not recordings:
        return None
    sign = -1.0 if highest else 1.0
    return min(recordings, key=lambda recording: sign * recording.reward).ref
