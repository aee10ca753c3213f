"""Find the turning points of an episode.

A rule finds candidates with a weight; the heaviest are listed in order of time. Every rule reads one kind of change,
so that a game without junctions, hearts or health simply has fewer moments.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from cogames.explain.episode import Episode
from cogames.explain.teams import Holding, Team
from softmax.wire import Moment

__all__ = ["Candidate", "Side", "faults_of", "find_moments", "select"]

LISTED = 10
PER_KIND = 4


@dataclass(frozen=True)
class Side:
    """A policy of the episode: its seats and, by tick, what happened to its agents."""

    index: int
    name: str
    agents: list[int]
    hearts: np.ndarray
    """ticks at which its agents took hearts, one for each heart, in order"""
    deaths: np.ndarray
    """ticks at which its agents ran out of health, in order"""
    late: np.ndarray
    """ticks of missed deadlines, in order; empty if they are unknown"""
    missed: int | None
    status: str
    failed_step: int | None

    @property
    def failed(self) -> bool:
        return self.status not in ("ok", "timed_out")


@dataclass(frozen=True)
class Candidate:
    """A moment that may be listed; the heaviest are."""

    weight: float
    moment: Moment


def find_moments(
    episode: Episode, teams: Sequence[Team], holding: Holding | None, sides: Sequence[Side]
) -> list[Moment]:
    """Return the turning points in order of time."""
    found: list[Candidate] = []
    if episode.steps:
        if holding is not None:
            found += [*_first_captures(episode, teams, holding, sides), *_leads(episode, teams, holding)]
            found += _swings(episode, teams, holding)
        for side in sides:
            found += [*faults_of(side), *_deaths(episode, side), *_hearts(side), *_stillness(episode, side)]
            found += _obstacles(episode, side)
        found += _last_reward(episode)
    return select(found)


def select(found: Sequence[Candidate]) -> list[Moment]:
    """Return the heaviest moments, few of each kind, in order of time."""
    by_kind: dict[str, list[Candidate]] = {}
    for candidate in sorted(found, key=lambda entry: (-entry.weight, entry.moment.tick, entry.moment.text)):
        by_kind.setdefault(candidate.moment.kind, []).append(candidate)
    kept = [candidate for same in by_kind.values() for candidate in same[:PER_KIND]]
    kept.sort(key=lambda entry: (-entry.weight, entry.moment.tick, entry.moment.text))
    moments = [candidate.moment for candidate in kept[:LISTED]]
    return sorted(moments, key=lambda moment: (moment.tick, moment.kind, moment.text))


def _window(episode: Episode) -> int:
    return max(5, episode.steps // 20)


def _first_captures(
    episode: Episode, teams: Sequence[Team], holding: Holding, sides: Sequence[Side]
) -> Iterator[Candidate]:
    one = holding.name.removesuffix("s")
    for index, team in enumerate(teams):
        first = next((change for change in holding.changes if change.team == index and change.gained), None)
        if first is None:
            continue
        side = next((side for side in sides if first.agent in side.agents), None)
        by = f" (agent {first.agent}, {side.name})" if side is not None else ""
        text = f"Team {team.name} takes its first {one} at step {first.tick}{by}"
        weight = 3.0 if team.agents else 1.5
        policy = None if side is None else side.index
        yield Candidate(weight, Moment(tick=first.tick, kind="capture", text=text, policy=policy, team=index))


def _leads(episode: Episode, teams: Sequence[Team], holding: Holding) -> Iterator[Candidate]:
    """Find the steps from which on another team holds the most. A draw leaves the lead where it is."""
    held = holding.held
    most = held.max(axis=0)
    is_clear = (held == most).sum(axis=0) == 1
    leaders = np.where(is_clear, held.argmax(axis=0), -1)
    columns = np.flatnonzero(leaders >= 0)
    if not len(columns):
        return
    # The first lead begins with a first capture, which is a moment already.
    changed = columns[np.flatnonzero(np.diff(leaders[columns], prepend=leaders[columns[0]]))]
    ends = [*changed[1:].tolist(), episode.steps][: len(changed)]
    for column, end in zip(changed.tolist(), ends, strict=True):
        if end - column < _window(episode):
            continue
        leader = int(leaders[column])
        others = [int(held[index, column]) for index in range(len(teams)) if index != leader]
        until = "" if end == episode.steps else f", until step {episode.first + end}"
        text = (
            f"From step {episode.first + column} on, team {teams[leader].name} holds the most {holding.name} "
            f"({int(held[leader, column])} to {max(others)}){until}"
        )
        weight = 4.0 + 4.0 * (end - column) / episode.steps
        yield Candidate(weight, Moment(tick=episode.first + column, kind="lead", text=text, team=leader))


def _swings(episode: Episode, teams: Sequence[Team], holding: Holding) -> Iterator[Candidate]:
    """Find for each team the largest gain and the largest loss within a twentieth of the episode."""
    width = min(_window(episode), episode.steps - 1)
    if width < 1:
        return
    for index, team in enumerate(teams):
        held = holding.held[index]
        difference = held[width:] - held[:-width]
        peak = max(int(held.max()), 1)
        for sign, kind, verb in ((1, "capture", "takes"), (-1, "loss", "loses")):
            column = int((sign * difference).argmax())
            amount = int(sign * difference[column])
            if amount < 2 or amount < peak / 5:
                continue
            # The swing begins with its first change.
            column += int(np.flatnonzero(held[column : column + width + 1] != held[column])[0])
            begin, end = episode.first + column, episode.first + column + width
            end = min(end, episode.last)
            text = f"Team {team.name} {verb} {amount} {holding.name} between steps {begin} and {end}"
            weight = (2.0 + 4.0 * amount / peak) * (1.0 if team.agents else 0.6)
            yield Candidate(weight, Moment(tick=begin, kind=kind, text=text, team=index))


def faults_of(side: Side) -> Iterator[Candidate]:
    """Find the failure of a policy and its first missed deadline."""
    if side.failed and side.failed_step is not None:
        words = "is disabled" if side.status == "disabled" else f"fails ({side.status.replace('_', ' ')})"
        text = f"{side.name} {words} at step {side.failed_step}; its agents do nothing from then on"
        yield Candidate(20.0, Moment(tick=side.failed_step, kind="failure", text=text, policy=side.index))

    if len(side.late):
        number = side.missed or len(side.late)
        rest = "" if number == 1 else f", {number} in all"
        text = f"{side.name} misses its first deadline at step {int(side.late[0])}{rest}"
        yield Candidate(8.0, Moment(tick=int(side.late[0]), kind="deadline", text=text, policy=side.index))


def _deaths(episode: Episode, side: Side) -> Iterator[Candidate]:
    if not len(side.deaths):
        return
    width = _window(episode)
    counts = np.searchsorted(side.deaths, side.deaths + width, side="right") - np.arange(len(side.deaths))
    most = int(counts.argmax())
    tick, number = int(side.deaths[most]), int(counts[most])
    if number == 1:
        rest = "" if len(side.deaths) == 1 else f", the first of {len(side.deaths)} times"
        text = f"An agent of {side.name} runs out of health at step {tick}{rest}"
    else:
        last = int(side.deaths[most + number - 1])
        text = f"Agents of {side.name} run out of health {number} times between steps {tick} and {last}"
    yield Candidate(2.0 + number, Moment(tick=tick, kind="death", text=text, policy=side.index))


def _hearts(side: Side) -> Iterator[Candidate]:
    if len(side.hearts):
        tick = int(side.hearts[0])
        text = f"{side.name} takes its first heart at step {tick}"
        yield Candidate(2.0, Moment(tick=tick, kind="heart", text=text, policy=side.index))


def _stillness(episode: Episode, side: Side) -> Iterator[Candidate]:
    """Find the longest time in which no agent of a policy acts."""
    if not side.agents:
        return
    column, length = _longest_run(np.all(episode.idle[side.agents], axis=0))
    is_known = side.failed and side.failed_step is not None and episode.first + column >= side.failed_step
    if length < max(10, episode.steps // 10) or is_known:
        return
    begin, end = episode.first + column, episode.first + column + length - 1
    who = side.name if len(side.agents) == 1 else f"Every agent of {side.name}"
    when = f"from step {begin} to the end" if end == episode.last else f"from step {begin} to step {end}"
    text = f"{who} does nothing {when} ({length} steps)"
    weight = 4.0 + 6.0 * length / episode.steps
    yield Candidate(weight, Moment(tick=begin, kind="idle", text=text, policy=side.index))


def _obstacles(episode: Episode, side: Side) -> Iterator[Candidate]:
    """Find the longest time in which an agent walks into an obstacle."""
    if episode.blocked is None:
        return
    runs = [(*_longest_run(episode.blocked[agent]), agent) for agent in side.agents]
    column, length, agent = max(runs, key=lambda run: (run[1], -run[2]), default=(0, 0, 0))
    if length < max(10, episode.steps // 20):
        return
    begin = episode.first + column
    text = f"Agent {agent} of {side.name} walks into an obstacle {length} times in a row from step {begin}"
    weight = 3.0 + 4.0 * length / episode.steps
    yield Candidate(weight, Moment(tick=begin, kind="blocked", text=text, policy=side.index))


def _last_reward(episode: Episode) -> Iterator[Candidate]:
    total = episode.reward(list(episode.agents))
    growth = np.flatnonzero(np.diff(total, prepend=0.0))
    if len(growth) and growth[-1] < 0.8 * episode.steps:
        tick = episode.first + int(growth[-1])
        text = f"No agent gets a reward after step {tick}"
        yield Candidate(5.0, Moment(tick=tick, kind="reward", text=text))


def _longest_run(flags: np.ndarray | np.bool) -> tuple[int, int]:
    """Return (first column, length) of the longest run of True; (0, 0) without one."""
    edges = np.flatnonzero(np.diff(np.concatenate([[False], np.atleast_1d(flags), [False]]).astype(np.int8)))
    if not len(edges):
        return 0, 0
    begins, lengths = edges[::2], edges[1::2] - edges[::2]
    longest = int(lengths.argmax())
    return int(begins[longest]), int(lengths[longest])
