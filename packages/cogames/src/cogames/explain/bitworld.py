"""Explain a match of a BitWorld game from its history (`bitworld.history`)."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from cogames.explain.differences import find_differences
from cogames.explain.explaining import DIGITS, VERSION, Seats, agents_of, distinct_names
from cogames.explain.moments import Candidate, Side, faults_of, select
from softmax.wire import ActionCounts, ExplainedPolicy, Explanation, Moment

__all__ = ["explain_match"]

WEIGHTS = {"win": 15.0, "ejection": 6.0, "kill": 5.0, "meeting": 3.0}
"""events that are listed; chats, votes and single tasks are too many"""
_PLAYER = re.compile(r"\bplayer_(\d+)\b")
_NONE = np.zeros(0, np.int64)


def explain_match(
    history: Mapping[str, Any], seats: Seats, *, steps: int, max_steps: int, idle: Sequence[int]
) -> Explanation:
    """Return what decided a match. `idle` counts the steps of each player without a button."""
    names = distinct_names(seats)
    sides = [side for side in (_side(seats, index, name) for index, name in enumerate(names)) if side.agents]
    sides = [replace(side, index=index) for index, side in enumerate(sides)]
    players = history["players"]
    rewards = np.array([player["rewards"] for player in players], float)
    policies = [_policy(side, rewards, steps, idle) for side in sides]
    shared = len(players) > 1 and bool((rewards[:, -1] == rewards[0, -1]).all())
    found = [candidate for side in sides for candidate in faults_of(side)]
    found += [*_events(history["events"], sides), *_leads(history["ticks"], policies)]
    return Explanation(
        version=VERSION,
        steps=steps,
        max_steps=max_steps,
        ticks=history["ticks"],
        teams=[],
        policies=policies,
        shared_reward=shared,
        summary=list(_summary(history, sides, policies, shared=shared)),
        moments=select(found),
        differences=find_differences(policies, None),
    )


def _side(seats: Seats, index: int, name: str) -> Side:
    agents = agents_of(seats, index)
    late = sorted(tick for tick, agent in seats.late if agent in agents)
    return Side(
        index=index,
        name=name,
        agents=agents,
        hearts=_NONE,
        deaths=_NONE,
        late=np.array(late, np.int64),
        missed=None if seats.missed is None else sum(seats.missed[agent] for agent in agents),
        status="ok" if seats.statuses is None else seats.statuses[index],
        failed_step=None if seats.failed_steps is None else seats.failed_steps[index],
    )


def _policy(side: Side, rewards: np.ndarray, steps: int, idle: Sequence[int]) -> ExplainedPolicy:
    still = sum(idle[agent] for agent in side.agents)
    return ExplainedPolicy(
        name=side.name,
        agents=side.agents,
        status=side.status,
        failed_step=side.failed_step,
        reward=[round(value, DIGITS) for value in rewards[side.agents].mean(axis=0).tolist()],
        taken=[],
        counts=ActionCounts(
            steps=len(side.agents) * steps, idle=max(0, still - (side.missed or 0)), missed=side.missed
        ),
    )


def _events(events: Sequence[Mapping[str, Any]], sides: Sequence[Side]) -> Iterator[Candidate]:
    for event in events:
        if event["kind"] in WEIGHTS:
            actor = _PLAYER.fullmatch(event["player"])
            side = None if actor is None else _side_of(int(actor[1]), sides)
            text = f"Step {event['tick']}: {_named(event['text'], sides)}"
            policy = None if side is None else side.index
            yield Candidate(
                WEIGHTS[event["kind"]], Moment(tick=event["tick"], kind=event["kind"], text=text, policy=policy)
            )


def _leads(ticks: Sequence[int], policies: Sequence[ExplainedPolicy]) -> Iterator[Candidate]:
    """Find the sampled step from which on one policy has the highest reward."""
    if len(policies) < 2:
        return
    rewards = np.array([policy.reward for policy in policies])
    leaders = np.where((rewards == rewards.max(axis=0)).sum(axis=0) == 1, rewards.argmax(axis=0), -1)
    if leaders[-1] < 0:
        return
    leader = int(leaders[-1])
    first = int(np.flatnonzero(np.append(-2, leaders) != leader)[-1])
    own, other = rewards[leader, first], max(np.delete(rewards[:, first], leader))
    text = (
        f"From step {ticks[first]} on, {policies[leader].name} has the highest reward ({own:g} to {other:g} per player)"
    )
    yield Candidate(4.0, Moment(tick=ticks[first], kind="lead", text=text, policy=leader))


def _summary(
    history: Mapping[str, Any], sides: Sequence[Side], policies: Sequence[ExplainedPolicy], *, shared: bool
) -> Iterator[str]:
    end = next((event for event in reversed(history["events"]) if event["kind"] == "win"), None)
    if end is not None:
        yield f"{_named(end['text'], sides)} at step {end['tick']}"
    hidden = [player["name"] for player in history["players"] if player["counts"].get("games_imposter")]
    if hidden:
        yield f"Imposters: {', '.join(_named(name, sides) for name in hidden)}"
    if not any(any(policy.reward) for policy in policies):
        yield "No player gets a reward"
    elif shared and len(policies) > 1:
        yield "All players get the same reward"


def _named(text: str, sides: Sequence[Side]) -> str:
    """Add the name of its policy to every player in a text."""

    def add(match: re.Match[str]) -> str:
        side = _side_of(int(match[1]), sides)
        return match[0] if side is None else f"{match[0]} ({side.name})"

    return _PLAYER.sub(add, text)


def _side_of(agent: int, sides: Sequence[Side]) -> Side | None:
    return next((side for side in sides if agent in side.agents), None)
