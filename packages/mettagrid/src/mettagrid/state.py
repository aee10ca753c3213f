"""Describe the differences between two states of a world, and the events of a step, with the names of the game.

Use it through `MettaGrid.diff`, `MettaGrid.step_traced` and the snapshot methods next to them.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from mettagrid import _native

if TYPE_CHECKING:
    from mettagrid.mettagrid_c import MettaGrid

__all__ = ["Change", "TraceEntry", "changes", "trace"]

_PHASES = [re.sub("(?<=[a-z])(?=[A-Z])", "_", name).lower() for name in _native.phase_names()]
_CAUSES: tuple[Literal["phase", "action", "rule"], ...] = ("phase", "action", "rule")

# Arrays that are derived from others, or internal to the engine.
_BOOKKEEPING = frozenset(
    "grid object_seen free_slots removed_slots new_areas tag_first tag_room tag_held tag_holders agent_before "
    "agent_moved agent_order agent_cells agent_stat_set game_stat_set reward_before random random_next".split()
)


@dataclass(frozen=True)
class Change:
    """One changed number of the state.

    `field` says what it is: `inventory`, `tag`, `row`, `col`, `vibe`, `stat`, `game_stat`, or the name of an array of
    the engine. `object_id` and `agent_id` identify the owner (None: the game); `name` is the resource, tag or stat.
    """

    field: str
    object_id: int | None
    agent_id: int | None
    name: str
    before: float
    after: float
    is_bookkeeping: bool = False

    def __str__(self) -> str:
        whose = f"agent {self.agent_id}" if self.agent_id is not None else f"object {self.object_id}"
        if self.agent_id is None and self.object_id is None:
            whose = "game"
        name = f" {self.name}" if self.name else ""
        return f"{whose}: {self.field}{name} {self.before:g} -> {self.after:g}"


@dataclass(frozen=True)
class TraceEntry:
    """An event in a step, and the changes from then until the next entry.

    `phase`: a part of the step began (`name`). `action`: the agent `actor` acted (`name`: the action). `rule`: the
    filters of a rule passed and its mutations ran (`name`: the path of the rule in the config). `actor` and `target`
    are object ids.
    """

    cause: Literal["phase", "action", "rule"]
    name: str
    actor: int | None
    target: int | None
    changes: tuple[Change, ...]

    def __str__(self) -> str:
        actor = "" if self.actor is None else f" by {self.actor}"
        target = "" if self.target is None or self.target == self.actor else f" on {self.target}"
        lines = [f"{self.cause} {self.name}{actor}{target}", *(f"  {change}" for change in self.changes)]
        return "\n".join(lines)


def changes(world: MettaGrid, differences: Iterable[tuple[str, int, float, float]]) -> Iterator[Change]:
    """Translate the engine's (array, index, before, after) to names of the game; objects are those of `world`."""
    program = world.program
    for array, index, before, after in differences:
        match array:
            case "inventory":
                slot, resource = divmod(index, len(program.resource_names))
                yield _of_object(world, slot, "inventory", program.resource_names[resource], before, after)
            case "object_tags":
                slot, word = divmod(index, -(-len(program.tag_names) // 32))
                for tag in range(32 * word, min(32 * word + 32, len(program.tag_names))):
                    was, now = int(before) >> (tag % 32) & 1, int(after) >> (tag % 32) & 1
                    if was != now:
                        yield _of_object(world, slot, "tag", program.tag_names[tag], was, now)
            case "agent_stat":
                agent, stat = divmod(index, len(program.agent_stat_names))
                yield _of_agent(world, agent, "stat", program.agent_stat_names[stat], before, after)
            case "game_stat":
                yield Change("game_stat", None, None, program.game_stat_names[index], before, after)
            case _ if array.startswith("object_"):
                yield _of_object(world, index, array.removeprefix("object_"), "", before, after, array in _BOOKKEEPING)
            case _ if array.startswith(("agent_", "reward_", "invalid_")):
                per_agent = world._array_size(array) // world.num_agents
                agent, part = divmod(index, per_agent)
                name = str(part) if per_agent > 1 else ""
                yield _of_agent(world, agent, array.removeprefix("agent_"), name, before, after, array in _BOOKKEEPING)
            case _:
                name = "" if array == "step" else str(index)
                yield Change(array, None, None, name, before, after, array in _BOOKKEEPING)


def trace(world: MettaGrid, *, bookkeeping: bool = False) -> list[TraceEntry]:
    """Step the world once and return its events; `bookkeeping` includes numbers that are internal to the engine."""
    entries = []
    for cause, a, b, c, differences in world._step_traced():
        reported = tuple(change for change in changes(world, differences) if bookkeeping or not change.is_bookkeeping)
        actor = target = None
        match _CAUSES[cause]:
            case "phase":
                name = _PHASES[a]
            case "action":
                name, actor = world.action_names[b], world._object(world._agent_slot(a))[0]
            case "rule":
                name, actor, target = world.program.rule_names[a], _id_of(world, b), _id_of(world, c)
        entries.append(TraceEntry(_CAUSES[cause], name, actor, target, reported))
    return entries


def _of_object(
    world: MettaGrid, slot: int, field: str, name: str, before: float, after: float, bookkeeping: bool = False
) -> Change:
    if not world._has_object(slot):  # the placeholder for territory owners, or an object of the other world
        return Change(field, None, None, name, before, after, bookkeeping)
    object_id, agent = world._object(slot)[0], world._object(slot)[4]
    return Change(field, object_id, agent if agent >= 0 else None, name, before, after, bookkeeping)


def _of_agent(
    world: MettaGrid, agent: int, field: str, name: str, before: float, after: float, bookkeeping: bool = False
) -> Change:
    return Change(field, world._object(world._agent_slot(agent))[0], agent, name, before, after, bookkeeping)


def _id_of(world: MettaGrid, slot: int) -> int | None:
    """Return the object in a slot; None for an empty slot and for the placeholder of a territory owner."""
    return world._object(slot)[0] if world._has_object(slot) else None
