"""Teams, and the objects that they take from each other."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field

import numpy as np

from cogames.explain.episode import Episode
from mettagrid.replay._rows import Field

__all__ = ["Holding", "Team", "find_holding", "find_teams"]

MAX_TEAMS = 32
_PREFIX = "team:"


@dataclass(frozen=True)
class Team:
    """A team; `tag` is the tag of its objects, -1 for a group of agents without one."""

    name: str
    tag: int
    agents: list[int]


@dataclass(frozen=True)
class Change:
    """A team took or lost an object at a tick; `agent` did it, None if no agent did."""

    tick: int
    team: int
    gained: bool
    agent: int | None


@dataclass
class Holding:
    """Objects that change hands: how many each team holds, and every change."""

    name: str
    """plural, such as `junctions`"""
    held: np.ndarray
    """int [teams, steps]"""
    changes: list[Change] = field(default_factory=list)
    """in order of time"""


def find_teams(episode: Episode) -> list[Team]:
    """Return the teams, those with agents first: by `team:` tags, or else by the groups of agents."""
    replay = episode.replay
    tagged = [(tag, name) for tag, name in enumerate(replay.tag_names) if name.startswith(_PREFIX)][:MAX_TEAMS]
    numbers = {number: agent for agent, number in replay.objects.of_agents.items()}
    rows = replay.initial.of_field(Field.TAG)
    members: dict[int, list[int]] = {tag: [] for tag, _ in tagged}
    for number, tag, value in zip(rows.object.tolist(), rows.key.tolist(), rows.value.tolist(), strict=True):
        if value and tag in members and number in numbers:
            members[tag].append(numbers[number])
    teams = [Team(name.removeprefix(_PREFIX), tag, sorted(members[tag])) for tag, name in tagged]
    if teams:
        return sorted(teams, key=lambda team: not team.agents)
    groups: dict[int, tuple[str, list[int]]] = {}
    for agent, number in sorted(replay.objects.of_agents.items()):
        kind = replay.kinds[replay.objects.kinds[number]]
        groups.setdefault(kind.group_id, (kind.group_name, []))[1].append(agent)
    return [Team(name or f"group {group}", -1, agents) for group, (name, agents) in groups.items()][:MAX_TEAMS]


def find_holding(episode: Episode, teams: list[Team]) -> Holding | None:
    """Return the objects that teams hold: junctions, and every type of which one changes hands; None without any."""
    replay = episode.replay
    of_tag = {team.tag: index for index, team in enumerate(teams) if team.tag >= 0}
    rows = replay.rows.of_field(Field.TAG)
    rows = rows.take(np.isin(rows.key, list(of_tag)) & (replay.objects.agents[rows.object] < 0))
    types = [replay.kinds[kind].type_name for kind in replay.objects.kinds.tolist()]
    changing = {types[number] for number in rows.object[rows.tick > replay.first_tick].tolist()}
    changing |= {"junction"} & set(types)
    if not of_tag or not changing:
        return None
    gone = _ticks_of_leaving(episode)
    held = np.zeros((len(teams), episode.steps + 1), np.int64)
    changes: list[Change] = []
    state: dict[tuple[int, int], int] = {}
    for number, key, tick, value in zip(
        rows.object.tolist(), rows.key.tolist(), rows.tick.tolist(), rows.value.tolist(), strict=True
    ):
        has = 1 if value else 0
        if types[number] not in changing or state.get((number, key), 0) == has or tick > gone.get(number, tick):
            continue
        state[number, key] = has
        team = of_tag[key]
        held[team, max(0, min(episode.column(tick), episode.steps))] += 1 if has else -1
        if tick > replay.first_tick:
            agent = episode.user_of(_place(episode, number, tick), tick)
            changes.append(Change(tick, team, bool(has), agent))
    for (number, key), has in state.items():
        if has and number in gone:
            held[of_tag[key], min(max(0, episode.column(gone[number])), episode.steps)] -= 1
            changes.append(Change(gone[number], of_tag[key], gained=False, agent=None))
    changes.sort(key=lambda change: (change.tick, change.team, change.gained))
    counted = Counter(name for name in types if name in changing)
    name = next(iter(counted)) if len(counted) == 1 else "place"
    return Holding(_plural(name), np.cumsum(held, axis=1)[:, : episode.steps], changes)


def _ticks_of_leaving(episode: Episode) -> dict[int, int]:
    """Return when objects left the map for good."""
    rows = episode.replay.rows.of_field(Field.ALIVE).latest()
    rows = rows.take((rows.value == 0) & (rows.tick > episode.replay.first_tick))
    return dict(zip(rows.object.tolist(), rows.tick.tolist(), strict=True))


def _place(episode: Episode, number: int, tick: int) -> int:
    rows = episode._by_object(Field.LOCATION, number)
    index = int(np.searchsorted(rows.tick, tick, side="right")) - 1
    return int(rows.value[index]) if index >= 0 else 0


def _plural(name: str) -> str:
    words = name.replace("_", " ")
    return words if words.endswith("s") else f"{words}s"
