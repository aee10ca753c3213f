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
    """Resources of an object that share one limit. `key` identifies it in rows."""

    key: int
    name: str = ""
    resources: tuple[int, ...] | None = None
    """None if unknown; then `key` is a position in `Replay.capacities`"""


@dataclass(frozen=True)
class Kind:
    """The common properties of a kind of objects. Every agent is its own kind."""

    type_name: str
    cell: str = ""
    """its name in maps"""
    is_agent: bool = False
    group_id: int = 0
    group_name: str = ""
    limits: tuple[Limit, ...] = ()


@dataclass(frozen=True)
class Note:
    """A value that is not a number, valid from `tick` on: `kind` is `talk`, `infos` or `monologue`.

    `talk` is [text, steps it lasts], `infos` are the infos of the agent's policy, `monologue` is [added text, whether a
    new monologue began].
    """

    tick: int
    agent: int
    kind: str
    value: Any


@dataclass(frozen=True)
class Objects:
    """All objects that were ever on the map; an object's position here is its number."""

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

    `rows` of `first_tick` are the state then, expressed as changes from nothing; the others are the changes from then
    to `last_tick`. With `has_start` the first state is the one before the first recorded step; replays in the published
    format omit it, and `first_tick` is then the first step.
    """

    map_size: tuple[int, int]
    """(width, height)"""
    num_agents: int
    first_tick: int
    last_tick: int
    has_start: bool = True
    has_asked: bool = True
    """whether the requested actions are known, and not only the executed ones"""
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
    """limit groups of the first agent, by name; capacities in the published format"""
    cell_count: int = 0
    """number of cell names in maps; the published format pads its list of types to it"""
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
    """the config as JSON that the published package reads, in pieces that replays can share"""
    stats: dict[str, Any] = field(default_factory=lambda: {"game": {}, "agent": []})
    """{"game": {name: number}, "agent": [{name: number}, ...]} at the end"""
    extra: dict[str, Any] = field(default_factory=dict)
    """content of a published document that has no field here, see `_v4_read`"""

    @property
    def steps(self) -> int:
        """The number of recorded steps."""
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
        """The changes after `first_tick`."""
        return self.rows.take(self.rows.tick > self.first_tick)

    @cached_property
    def config(self) -> dict[str, Any]:
        """The config as plain data; `MettaGridConfig.model_validate` takes it."""
        config = json.loads(b"".join(self.config_parts))
        return config if isinstance(config, dict) else {}

    def rewards(self, agent: int) -> np.ndarray:
        """Return float64 [ticks]: the reward of every tick from `first_tick` on."""
        number = self.objects.of_agents.get(agent, -1)
        rows = self.rows.of_field(Field.REWARD)
        mine = rows.take((rows.object == number) & (rows.key == 0))
        lengths = np.diff(np.concatenate([[self.first_tick], mine.tick, [self.last_tick + 1]]))
        with np.errstate(invalid="ignore"):  # damaged files may hold NaN bits
            return np.repeat(np.concatenate([[0.0], mine.floats()]), lengths)

    def total_rewards(self, agent: int) -> np.ndarray:
        """Return float64 [ticks]: the sum of the rewards of recorded steps up to every tick."""
        rewards = self.rewards(agent)
        rewards[0] *= not self.has_start
        return np.cumsum(rewards)

    @cached_property
    def episode_rewards(self) -> list[float]:
        """The sum of each agent's rewards."""
        rows = self.rows.of_field(Field.REWARD)
        if not rows.value.any():  # all rewards are zero
            return [0.0] * self.num_agents
        return [float(self.total_rewards(agent)[-1]) for agent in range(self.num_agents)]

    @property
    def policy_names(self) -> list[str]:
        """Return the last known name of each agent's policy, or "" for agents without one."""
        names = [""] * self.num_agents
        for note in self.notes:
            if note.kind == "infos" and 0 <= note.agent < self.num_agents and isinstance(note.value, dict):
                names[note.agent] = str(note.value.get("policy_name") or names[note.agent])
        return names

    def map_rows(self) -> list[list[str]]:
        """Return the initial map as rows of cell names, the input of `Program.map`."""
        width, height = self.map_size
        rows = [["empty"] * width for _ in range(height)]
        places = self.initial.of_field(Field.LOCATION)
        for number, place in zip(places.object.tolist(), places.value.tolist(), strict=True):
            rows[place >> 16][place & 0xFFFF] = self.kinds[self.objects.kinds[number]].cell
        return rows


def check_size(
    width: int, height: int, *, layers: int, agents: int, ticks: int, max_agent_ticks: int = MAX_AGENT_TICKS
) -> None:
    """Raise UnreadableReplay for implausible sizes: readers allocate tables of these sizes."""
    if width * height * max(1, layers) > MAX_CELLS:
        raise UnreadableReplay(f"The replay is too large: a map of {width} x {height} cells")
    if agents * ticks > max_agent_ticks:
        raise UnreadableReplay(f"The replay is too long: {ticks} steps of {agents} agents")
