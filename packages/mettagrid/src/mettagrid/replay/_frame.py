"""The state of an episode at one tick."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from mettagrid.replay._model import Note, Objects, Replay
from mettagrid.replay._rows import Field, Rows


@dataclass
class ObjectState:
    """An object on the map."""

    number: int
    id: int
    type_name: str
    agent_id: int | None = None
    location: tuple[int, int] = (0, 0)
    """(column, row)"""
    inventory: dict[int, int] = field(default_factory=dict)
    """{resource: amount}"""
    limits: dict[int, int] = field(default_factory=dict)
    """{key of the limit: effective limit}, see `Kind.limits`"""
    tags: set[int] = field(default_factory=set)
    vibe: int = 0


@dataclass
class AgentState:
    """An agent's actions in the step before this tick, and its infos."""

    action: int = 0
    success: bool = False
    animation: int = 0
    asked: int = 0
    asked_vibe: int = 0
    reward: float = 0.0
    total_reward: float = 0.0
    talk: str = ""
    talk_remaining: int = 0
    infos: dict[str, Any] = field(default_factory=dict)
    monologue: str = ""


@dataclass
class Frame:
    """The whole state at one tick."""

    tick: int
    objects: dict[int, ObjectState]
    """the objects on the map, by number"""
    agents: list[AgentState]
    stats: dict[int, float]
    """{stat of the game: value}"""
    owners: np.ndarray
    """int32 [territories, height, width]: tag that owns the cell, or -1"""


def frame_at(replay: Replay, tick: int) -> Frame:
    """Return the state at a tick from `first_tick` to `last_tick`; raises IndexError for others."""
    check_tick(tick, replay.first_tick, replay.last_tick)
    rows = replay.rows.take(replay.rows.tick <= tick).latest()
    totals = [float(replay.total_rewards(agent)[tick - replay.first_tick]) for agent in range(replay.num_agents)]
    notes = [note for note in replay.notes if note.tick <= tick]
    return make_frame(replay, replay.objects, rows, notes, totals, tick)


def check_tick(tick: int, first: int, last: int) -> None:
    if not first <= tick <= last:
        raise IndexError(f"The replay has ticks {first} to {last}, not {tick}")


def make_frame(
    replay: Replay, objects: Objects, rows: Rows, notes: Sequence[Note], totals: Sequence[float], tick: int
) -> Frame:
    """Return a frame from the last row of each place, notes in order of time, and the sums of rewards."""
    width, height = replay.map_size
    states: dict[int, ObjectState] = {}
    agents = [AgentState(total_reward=total) for total in totals]
    stats: dict[int, float] = {}
    owners = np.full((len(replay.territory_names), height, width), -1, np.int32)
    alive = rows.of_field(Field.ALIVE)
    for number in alive.object[alive.value != 0].tolist():
        kind, agent = replay.kinds[objects.kinds[number]], int(objects.agents[number])
        states[number] = ObjectState(number, int(objects.ids[number]), kind.type_name, agent if agent >= 0 else None)
    columns = (rows.field, rows.object, rows.key, rows.value, rows.floats())
    for field_id, number, key, value, real in zip(*(column.tolist() for column in columns), strict=True):
        if field_id == Field.STAT:
            stats[key] = real
        elif field_id == Field.OWNER:
            owners[key, number // width, number % width] = value
        elif field_id >= Field.ACTION:
            _set_agent(agents, int(objects.agents[number]), field_id, value, real)
        elif number in states:
            _set_object(states[number], field_id, key, value)
    for note in notes:
        if 0 <= note.agent < len(agents):
            _take_note(agents[note.agent], note, tick)
    return Frame(tick, states, agents, stats, owners)


def _set_object(state: ObjectState, field_id: int, key: int, value: int) -> None:
    if field_id == Field.LOCATION:
        state.location = (value & 0xFFFF, value >> 16)
    elif field_id == Field.AMOUNT and value != 0:
        state.inventory[key] = value
    elif field_id == Field.LIMIT:
        state.limits[key] = value
    elif field_id == Field.TAG and value != 0:
        state.tags.add(key)
    elif field_id == Field.VIBE:
        state.vibe = value


def _set_agent(agents: list[AgentState], agent: int, field_id: int, value: int, real: float) -> None:
    if not 0 <= agent < len(agents):
        return
    state = agents[agent]
    if field_id == Field.ACTION:
        state.action = value
    elif field_id == Field.SUCCESS:
        state.success = value != 0
    elif field_id == Field.ANIMATION:
        state.animation = value
    elif field_id == Field.REWARD:
        state.reward = real
    elif field_id == Field.ASKED:
        state.asked = value
    elif field_id == Field.ASKED_VIBE:
        state.asked_vibe = value


def _take_note(state: AgentState, note: Note, tick: int) -> None:
    if note.kind == "infos":
        state.infos = note.value
    elif note.kind == "talk":
        text, remaining = note.value
        state.talk_remaining = max(0, remaining - (tick - note.tick))
        state.talk = text if state.talk_remaining else ""
    elif note.kind == "monologue":
        text, is_new = note.value
        state.monologue = text if is_new else state.monologue + text
