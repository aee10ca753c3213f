"""Find the highlights of an episode in its replay and results, for the report's page and event log.

Works for every game whose results have `scores`; where the replay is a list of frames with `tick` and `scores`, the
course of the game is there too.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from coworld.roles.episode import Episode
from coworld.roles.event_log import EVERYBODY, Event


@dataclass(frozen=True)
class Moment:
    """A highlight of an episode."""

    tick: int
    slot: int | None
    text: str


@dataclass(frozen=True)
class Course:
    """Scores over time; empty lists when the replay does not show them."""

    ticks: list[int]
    scores: list[list[float]]
    """one list per tick, one number per seat"""


def course(episode: Episode) -> Course:
    frames = episode.replay.get("frames") if episode.replay else None
    seats = len(episode.scores)
    ticks: list[int] = []
    scores: list[list[float]] = []
    for frame in frames if isinstance(frames, list) else []:
        tick, row = (frame.get("tick"), frame.get("scores")) if isinstance(frame, dict) else (None, None)
        if not isinstance(tick, int) or not isinstance(row, list) or len(row) != seats:
            return Course([], [])
        if not all(isinstance(value, (int, float)) and not isinstance(value, bool) for value in row):
            return Course([], [])
        ticks.append(tick)
        scores.append([float(value) for value in row])
    return Course(ticks, scores)


def moments(episode: Episode) -> list[Moment]:
    """Return the lead changes, the largest swing, and the end."""
    names, played = episode.names, course(episode)
    events: list[Moment] = []
    leader: int | None = None
    for tick, row in zip(played.ticks, played.scores, strict=True):
        best = max(row)
        if row.count(best) == 1 and row.index(best) != leader:
            before, leader = leader, row.index(best)
            event = "takes the lead" if before is not None else "leads first"
            events.append(Moment(tick, leader, f"{names[leader]} {event} with {best:g}"))
    swing = _largest_swing(played)
    if swing is not None:
        tick, slot, gain, over = swing
        events.append(Moment(tick, slot, f"{names[slot]} gains {gain:g} within {over} ticks, the strongest stretch"))
    if episode.scores:
        best = max(episode.scores)
        winners = [slot for slot, score in enumerate(episode.scores) if score == best]
        end = played.ticks[-1] if played.ticks else 0
        text = f"{names[winners[0]]} wins with {best:g}" if len(winners) == 1 else f"A draw at {best:g}"
        events.append(Moment(end, winners[0] if len(winners) == 1 else None, text))
    if episode.error:
        events.append(Moment(0, None, f"The episode failed: {episode.error.get('message', 'no reason given')}"))
    return sorted(events, key=lambda moment: moment.tick)


def events(episode: Episode) -> Iterator[Event]:
    """Return the event log: every change of a score, every moment, the final scores."""
    played = course(episode)
    before: list[float] | None = None
    for tick, row in zip(played.ticks, played.scores, strict=True):
        for slot, score in enumerate(row):
            if before is None or before[slot] != score:
                yield Event(tick, slot, "score", f"{score:g}")
        before = row
    for moment in moments(episode):
        yield Event(moment.tick, EVERYBODY if moment.slot is None else moment.slot, "moment", moment.text)
    end = played.ticks[-1] if played.ticks else 0
    for slot, score in enumerate(episode.scores):
        yield Event(end, slot, "final_score", f"{score:g}")
    yield Event(end, EVERYBODY, "status", episode.status)


def _largest_swing(played: Course) -> tuple[int, int, float, int] | None:
    window = max(len(played.ticks) // 5, 1)
    if len(played.ticks) <= window:
        return None
    best: tuple[float, int, int] | None = None
    for at in range(window, len(played.ticks)):
        for slot, score in enumerate(played.scores[at]):
            gain = score - played.scores[at - window][slot]
            if best is None or gain > best[0]:
                best = (gain, at, slot)
    return (played.ticks[best[1]], best[2], best[0], window) if best and best[0] > 0 else None
