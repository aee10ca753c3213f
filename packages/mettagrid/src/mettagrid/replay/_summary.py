"""Summarize a replay."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass, field
from typing import Any

from mettagrid.replay._model import Replay
from mettagrid.replay._rows import Field

_NOT_KEY = ("objects.", "tokens_")


@dataclass
class PolicySummary:
    """The rewards of one policy's agents."""

    name: str
    agents: list[int]
    total_reward: float
    mean_reward: float


@dataclass
class ReplaySummary:
    """The summary that `python -m mettagrid.replay` prints."""

    label: str
    steps: int
    max_steps: int
    """0 if there is no limit"""
    num_agents: int
    map_size: tuple[int, int]
    seed: int | None
    engine: str
    num_objects: dict[str, int]
    """{type: number of objects that ever existed}"""
    rewards: list[float]
    policies: list[PolicySummary]
    game_stats: dict[str, float]
    """stats of the game at the end, without counts of objects and tokens"""
    actions: dict[str, int] = field(default_factory=dict)
    """{action: number of executions by all agents}"""

    def text(self) -> str:
        """Return the summary as text. Names are untrusted: control characters are shown as `?`."""
        limit = f" of {self.max_steps}" if self.max_steps else ""
        lines = [
            f"{self.label}: {self.steps}{limit} steps, {self.num_agents} agents, "
            f"map {self.map_size[0]} x {self.map_size[1]}",
            f"Seed: {'unknown' if self.seed is None else self.seed}   Engine: {self.engine or 'unknown'}",
            "Objects: " + _counts(self.num_objects),
            "",
            "Policies",
        ]
        for policy in self.policies:
            agents = ", ".join(map(str, policy.agents))
            lines.append(
                f"  {policy.name or '(unnamed)'}: reward {policy.total_reward:.2f}, "
                f"{policy.mean_reward:.2f} per agent (agents {agents})"
            )
        lines += ["", "Rewards", "  " + ", ".join(f"{i}: {reward:.2f}" for i, reward in enumerate(self.rewards))]
        if self.actions:
            lines += ["", "Actions", "  " + _counts(self.actions)]
        if self.game_stats:
            lines += ["", "Stats", *(f"  {name}: {value:g}" for name, value in self.game_stats.items())]
        return "\n".join("".join(character if character.isprintable() else "?" for character in line) for line in lines)


def summarize(replay: Replay) -> ReplaySummary:
    """Return the summary of a replay."""
    rewards = replay.episode_rewards
    seats: defaultdict[str, list[int]] = defaultdict(list)
    for agent, name in enumerate(replay.policy_names):
        seats[name].append(agent)
    totals = {name: sum(rewards[agent] for agent in agents) for name, agents in seats.items()}
    kinds = [replay.kinds[kind].type_name for kind in replay.objects.kinds.tolist()]
    return ReplaySummary(
        label=str(replay.config.get("label") or "Episode"),
        steps=replay.steps,
        max_steps=replay.max_steps,
        num_agents=replay.num_agents,
        map_size=replay.map_size,
        seed=replay.seed,
        engine=replay.engine,
        num_objects={name: kinds.count(name) for name in sorted(set(kinds))},
        rewards=rewards,
        policies=[
            PolicySummary(name, agents, totals[name], totals[name] / len(agents)) for name, agents in seats.items()
        ],
        game_stats={
            name: value
            for name, value in sorted(replay.stats["game"].items())
            if not name.startswith(_NOT_KEY) and isinstance(value, int | float)
        },
        actions=_action_counts(replay),
    )


def _action_counts(replay: Replay) -> dict[str, int]:
    """Return how often each action was executed, the most frequent first."""
    counts: defaultdict[str, int] = defaultdict(int)
    end = replay.last_tick + 1
    for number in replay.objects.of_agents.values():
        rows = replay.rows.of_field(Field.ACTION)
        mine = rows.take(rows.object == number)
        series = [(replay.first_step, 0), *zip(mine.tick.tolist(), mine.value.tolist(), strict=True)]
        series = [(max(tick, replay.first_step), action) for tick, action in series]
        for (begin, action), (until, _) in zip(series, [*series[1:], (end, 0)], strict=True):
            names = replay.action_names
            counts[names[action] if 0 <= action < len(names) else str(action)] += until - begin
    return dict(sorted(((n, c) for n, c in counts.items() if c), key=lambda entry: (-entry[1], entry[0])))


def _counts(counts: dict[str, Any]) -> str:
    return ", ".join(f"{count} {name}" for name, count in counts.items()) or "none"
