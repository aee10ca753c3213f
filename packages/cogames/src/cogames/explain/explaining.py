"""Explain an episode."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from cogames.explain.differences import find_differences
from cogames.explain.episode import Episode
from cogames.explain.moments import Side, find_moments
from cogames.explain.teams import Holding, Team, find_holding, find_teams
from mettagrid.replay import Replay
from softmax.wire import ActionCounts, ExplainedPolicy, ExplainedTeam, Explanation

__all__ = ["DIGITS", "VERSION", "Seats", "agents_of", "distinct_names", "explain"]

VERSION = 1
SAMPLES = 120
DIGITS = 6


@dataclass(frozen=True)
class Seats:
    """The policies of an episode, and what the runner knows about them beside the replay.

    `statuses` are those of verdicts, `missed` counts the missed deadlines of each agent, `late` has (tick, agent) of
    each; None: unknown.
    """

    names: Sequence[str]
    assignments: Sequence[int]
    """for each agent a position in `names`"""
    statuses: Sequence[str] | None = None
    failed_steps: Sequence[int | None] | None = None
    missed: Sequence[int] | None = None
    late: Sequence[tuple[int, int]] = ()

    @classmethod
    def of(cls, replay: Replay) -> Seats:
        """Return the seats by the names of policies in the replay."""
        names = replay.policy_names
        known = list(dict.fromkeys(names))
        return cls([name or "(unnamed)" for name in known], [known.index(name) for name in names])


def explain(replay: Replay, seats: Seats | None = None) -> Explanation:
    """Return what happened in an episode; by default its policies are those that the replay names."""
    seats = Seats.of(replay) if seats is None else seats
    episode = Episode(replay)
    teams = find_teams(episode)
    holding = find_holding(episode, teams)
    sides = [_side(episode, seats, index, name) for index, name in enumerate(distinct_names(seats))]
    sides = [side for side in sides if side.agents]
    ticks = _sampled(episode)
    columns = [episode.column(tick) for tick in ticks]
    policies = [_policy(episode, holding, side, ticks, columns) for side in sides]
    shared = _shares_reward(episode)
    # Positions in `policies` are those of the seated ones.
    sides = [replace(side, index=index) for index, side in enumerate(sides)]
    return Explanation(
        version=VERSION,
        steps=replay.steps,
        max_steps=replay.max_steps,
        ticks=ticks,
        held_name=None if holding is None else holding.name,
        teams=[
            ExplainedTeam(
                name=team.name,
                agents=team.agents,
                held=[] if holding is None else holding.held[index, columns].tolist(),
            )
            for index, team in enumerate(teams)
        ],
        policies=policies,
        shared_reward=shared,
        summary=_summary(episode, teams, holding, policies, shared),
        moments=find_moments(episode, teams, holding, sides),
        differences=find_differences(policies, None if holding is None else holding.name),
    )


def distinct_names(seats: Seats) -> list[str]:
    """Return names that differ: a policy that plays against itself has its agents behind its name."""
    names = list(seats.names)
    return [name if names.count(name) == 1 else f"{name} ({_listed(seats, index)})" for index, name in enumerate(names)]


def agents_of(seats: Seats, policy: int) -> list[int]:
    return [agent for agent, seat in enumerate(seats.assignments) if seat == policy]


def _listed(seats: Seats, policy: int) -> str:
    agents = agents_of(seats, policy)
    return f"agent{'s' if len(agents) != 1 else ''} {', '.join(map(str, agents))}"


def _side(episode: Episode, seats: Seats, index: int, name: str) -> Side:
    agents = [agent for agent in agents_of(seats, index) if agent in episode.agents]
    hearts, deaths = [], []
    for agent in agents:
        ticks, differences = episode.changes(agent, "heart")
        hearts.append(np.repeat(ticks, np.maximum(differences, 0)))
        ticks, values = episode.amounts(agent, "hp")
        before = np.concatenate([[0], values[:-1]]) if len(values) else values
        deaths.append(ticks[(values == 0) & (before > 0)])
    return Side(
        index=index,
        name=name,
        agents=agents,
        hearts=_in_order(hearts),
        deaths=_in_order(deaths),
        late=_in_order([np.array([tick for tick, agent in seats.late if agent in agents], np.int64)]),
        missed=None if seats.missed is None else sum(seats.missed[agent] for agent in agents),
        status="ok" if seats.statuses is None else seats.statuses[index],
        failed_step=None if seats.failed_steps is None else seats.failed_steps[index],
    )


def _in_order(ticks: Sequence[np.ndarray]) -> np.ndarray:
    return np.sort(np.concatenate([np.zeros(0, np.int64), *ticks]))


def _sampled(episode: Episode) -> list[int]:
    """Return at most `SAMPLES` ticks, the last of the episode among them."""
    every = max(1, -(-episode.steps // SAMPLES))
    return sorted(range(episode.last, episode.first - 1, -every))


def _policy(
    episode: Episode, holding: Holding | None, side: Side, ticks: Sequence[int], columns: Sequence[int]
) -> ExplainedPolicy:
    names = episode.replay.resource_names
    changes = [] if holding is None else holding.changes
    taken = np.array([change.tick for change in changes if change.gained and change.agent in side.agents], np.int64)
    reward = episode.reward(side.agents)
    return ExplainedPolicy(
        name=side.name,
        agents=side.agents,
        status=side.status,
        failed_step=side.failed_step,
        reward=[round(float(reward[column]), DIGITS) for column in columns],
        taken=_so_far(taken, ticks),
        hearts=_so_far(side.hearts, ticks) if "heart" in names else None,
        deaths=_so_far(side.deaths, ticks) if "hp" in names else None,
        counts=_counts(episode, side),
    )


def _so_far(events: np.ndarray, ticks: Sequence[int]) -> list[int]:
    return np.searchsorted(events, ticks, side="right").tolist()


def _counts(episode: Episode, side: Side) -> ActionCounts:
    idle = int(episode.idle[side.agents].sum())
    blocked, failed = episode.blocked, episode.failed
    return ActionCounts(
        steps=len(side.agents) * episode.steps,
        idle=max(0, idle - (side.missed or 0)),
        blocked=None if blocked is None else int(blocked[side.agents].sum()),
        failed=None if failed is None else int(failed[side.agents].sum()),
        missed=side.missed,
        cells=sum(episode.cells(agent) for agent in side.agents),
    )


def _shares_reward(episode: Episode) -> bool:
    rewards = episode.replay.episode_rewards
    return len(rewards) > 1 and bool(np.allclose(rewards, rewards[0], rtol=1e-6, atol=1e-9, equal_nan=True))


def _summary(
    episode: Episode, teams: Sequence[Team], holding: Holding | None, policies: Sequence[ExplainedPolicy], shared: bool
) -> list[str]:
    sentences = []
    if holding is not None and episode.steps:
        means = holding.held.mean(axis=1)
        for index in np.argsort(-means, kind="stable").tolist():
            name, held = teams[index].name, holding.held[index]
            if held.any():
                text = f"Team {name} holds {means[index]:.1f} {holding.name} on average and {int(held[-1])} at the end"
            elif teams[index].agents:
                text = f"Team {name} never holds {holding.name}"
            else:
                continue
            sentences.append(text)
    if policies and not any(any(policy.reward) for policy in policies):
        sentences.append("No agent gets a reward")
    elif shared and len(policies) > 1:
        sentences.append("All agents get the same reward: the policies are partners")
    for policy in policies:
        if policy.hearts and not policy.hearts[-1] and any((other.hearts or [0])[-1] for other in policies):
            sentences.append(f"{policy.name} takes no hearts")
    return sentences
