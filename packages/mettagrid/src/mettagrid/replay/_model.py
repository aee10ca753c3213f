"""A recorded episode as data; both file formats are read into it and written from it."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np

from mettagrid.replay._rows import Field, Rows
from mettagrid.replay.errors import UnreadableReplay

ANIMATION_NAMES = ["none", "bump"]
MAX_CELLS = 1 << 26
MAX_AGENT_TICKS = 1 << 27


@dataclass(frozen=True)
class Limit:
    """Resources of an object that share one limit. `key` is what rows call it."""

    key: int
    name: str = ""
    resources: tuple[int, ...] | None = None
    """None when it is not known; then `key` is a position in `Replay.capacities`"""


@dataclass(frozen=True)
class Kind:
    """What objects of one kind have in common. Every agent is a kind of its own."""

    type_name: str
    cell: str = ""
    """the name that a map has for it"""
    is_agent: bool = False
    group_id: int = 0
    group_name: str = ""
    limits: tuple[Limit, ...] = ()


@dataclass(frozen=True)
class Note:
    """Something that is no number, from `tick` on: `kind` is `talk`, `infos` or `monologue`.

    `talk` is [text, steps it lasts], `infos` is what the agent's policy shows, `monologue` is [text added, whether it
    began anew].
    """

    tick: int
    agent: int
    kind: str
    value: Any


@dataclass(frozen=True)
class Objects:
    """Every object that was ever on the map; its position here is its number."""

    ids: np.ndarray
    """int32: the engine's id"""
    kinds: np.ndarray
    """int32: position in `Replay.kinds`"""
    agents: np.ndarray
    """int32: agent id, -1 for other objects"""

    def __len__(self) -> int:
        return len(self.ids)

    @cached_property
    def of_agents(self) -> dict[int, int]:
        """{agent id: number of its object}"""
        numbers = np.flatnonzero(self.agents >= 0).tolist()
        return {int(self.agents[number]): number for number in reversed(numbers)}


@dataclass(kw_only=True)
class Replay:
    """One episode, tick by tick.

    `rows` of `first_tick` are the state then, told as changes from nothing; the others are what happened from then to
    `last_tick`. With `has_start` the first state is the one before the first recorded step; replays in the published
    format leave it out, and `first_tick` is then the first step.
    """

    map_size: tuple[int, int]
    """(width, height)"""
    num_agents: int
    first_tick: int
    last_tick: int
    has_start: bool = True
    has_asked: bool = True
    """whether the actions that policies asked for are known, and not only those that were executed"""
    max_steps: int = 0
    """the limit in the config; 0 for none"""
    seed: int | None = None
    engine: str = ""
    action_names: list[str] = field(default_factory=list)
    animation_names: list[str] = field(default_factory=lambda: list(ANIMATION_NAMES))
    resource_names: list[str] = field(default_factory=list)
    type_names: list[str] = field(default_factory=list)
    tag_names: list[str] = field(default_factory=list)
    vibe_names: list[str] = field(default_factory=list)
    stat_names: list[str] = field(default_factory=list)
    territory_names: list[str] = field(default_factory=list)
    capacities: list[Limit] = field(default_factory=list)
    """limit groups of the first agent, by name: what the published format calls capacities"""
    cell_count: int = 0
    """how many names maps have for cells; the published format fills its list of types up to it"""
    observed_values: list[str] | None = None
    """global values whose observed amounts are recorded, by key; None where spawned objects are not marked either"""
    corrections: list[str] = field(default_factory=list)
    """faults of the published engine that the game corrects"""
    kinds: list[Kind] = field(default_factory=list)
    objects: Objects
    rows: Rows
    notes: list[Note] = field(default_factory=list)
    policy_env_interface: dict[str, Any] = field(default_factory=dict)
    config_parts: tuple[bytes, ...] = (b"{}",)
    """the config as JSON, in the form that the published package reads, in pieces that replays can share"""
    stats: dict[str, Any] = field(default_factory=lambda: {"game": {}, "agent": []})
    """{"game": {name: number}, "agent": [{name: number}, ...]} at the end"""
    extra: dict[str, Any] = field(default_factory=dict)
    """what a published document said that has no place here, see `_v4_read`"""

    @property
    def steps(self) -> int:
        """Steps that were recorded."""
        return self.last_tick - self.first_tick + (not self.has_start)

    @property
    def first_step(self) -> int:
        """The tick after the first recorded step."""
        return self.first_tick + self.has_start

    @cached_property
    def initial(self) -> Rows:
        """The state at `first_tick`."""
        return self.rows.take(self.rows.tick == self.first_tick)

    @cached_property
    def changes(self) -> Rows:
        """What happened after `first_tick`."""
        return self.rows.take(self.rows.tick > self.first_tick)

    @cached_property
    def config(self) -> dict[str, Any]:
        """The config as plain data; `MettaGridConfig.model_validate` takes it."""
        config = json.loads(b"".join(self.config_parts))
        return config if isinstance(config, dict) else {}

    def rewards(self, agent: int) -> np.ndarray:
        """float64 [ticks]: the reward of every tick from `first_tick` on."""
        number = self.objects.of_agents.get(agent, -1)
        rows = self.rows.of_field(Field.REWARD)
        mine = rows.take((rows.object == number) & (rows.key == 0))
        lengths = np.diff(np.concatenate([[self.first_tick], mine.tick, [self.last_tick + 1]]))
        with np.errstate(invalid="ignore"):  # damaged files hold bits that are no number
            return np.repeat(np.concatenate([[0.0], mine.floats()]), lengths)

    def total_rewards(self, agent: int) -> np.ndarray:
        """float64 [ticks]: the sum of rewards up to every tick, of recorded steps."""
        rewards = self.rewards(agent)
        rewards[0] *= not self.has_start
        return np.cumsum(rewards)

    @cached_property
    def episode_rewards(self) -> list[float]:
        """The sum of each agent's rewards."""
        rows = self.rows.of_field(Field.REWARD)
        if not rows.value.any():  # nobody got anything, ever
            return [0.0] * self.num_agents
        return [float(self.total_rewards(agent)[-1]) for agent in range(self.num_agents)]

    @property
    def policy_names(self) -> list[str]:
        """The policy of each agent as it last called itself; "" where it did not."""
        names = [""] * self.num_agents
        for note in self.notes:
            if note.kind == "infos" and 0 <= note.agent < self.num_agents and isinstance(note.value, dict):
                names[note.agent] = str(note.value.get("policy_name") or names[note.agent])
        return names

    def map_rows(self) -> list[list[str]]:
        """The map that the episode began on, as rows of cell names; `Program.map` takes it."""
        width, height = self.map_size
        rows = [["empty"] * width for _ in range(height)]
        places = self.initial.of_field(Field.LOCATION)
        for number, place in zip(places.object.tolist(), places.value.tolist(), strict=True):
            rows[place >> 16][place & 0xFFFF] = self.kinds[self.objects.kinds[number]].cell
        return rows


def check_size(width: int, height: int, *, layers: int, agents: int, ticks: int, most: int = MAX_AGENT_TICKS) -> None:
    """Refuse what no episode has: tables as large as these numbers are made when a replay is looked at."""
    if width * height * max(1, layers) > MAX_CELLS:
        raise UnreadableReplay(f"The replay is too large: a map of {width} x {height} cells")
    if agents * ticks > most:
        raise UnreadableReplay(f"The replay is too long: {ticks} steps of {agents} agents")
