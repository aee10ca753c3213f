"""Find out which structures the agents used in a step, and what that changed, from the engine's trace of the step."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

from cogames_agents.audit.world import Cell, Structure, World
from mettagrid.state import Change, TraceEntry

__all__ = ["Use", "find_uses"]

_STEPS: dict[str, Cell] = {
    "move_north": (-1, 0),
    "move_south": (1, 0),
    "move_west": (0, -1),
    "move_east": (0, 1),
}
_RULE = re.compile(r"\.on_use_handler\..*\((?P<name>.+)\)$")


@dataclass(frozen=True)
class Use:
    """An agent walked into a structure.

    `structure` is its state at the start of the step, which the policy could see. `rule` is the handler that applied,
    such as `change_gear`; empty if none did. `gained` are the changes of the agent's inventory.
    """

    agent: int
    structure: Structure
    rule: str
    has_effect: bool
    gained: Mapping[str, int]


def find_uses(world: World, trace: Iterable[TraceEntry]) -> Iterator[Use]:
    """Yield the uses of a step; `world` is the state before it."""
    agent_ids = {state.id: agent for agent, state in enumerate(world.agents)}
    by_id = {structure.id: structure for structure in world.structures.values()}
    for entries in _actions(trace):
        action = entries[0]
        agent = agent_ids[action.actor or 0]
        step = _STEPS.get(action.name)
        changes = [change for entry in entries for change in entry.changes]
        if step is None or any(change.field in ("row", "col") and change.agent_id == agent for change in changes):
            continue
        rule, target = _rule(entries)
        row, col = world.agents[agent].cell
        structure = world.structures.get((row + step[0], col + step[1])) if target is None else by_id.get(target)
        if structure is not None:
            yield Use(agent, structure, rule, *_effect(agent, changes))


def _actions(trace: Iterable[TraceEntry]) -> Iterator[list[TraceEntry]]:
    """Yield each action of the step with the rules it set off."""
    current: list[TraceEntry] = []
    for entry in trace:
        if entry.cause != "rule" and current:
            yield current
            current = []
        if entry.cause == "action" or current:
            current.append(entry)
    if current:
        yield current


def _rule(entries: list[TraceEntry]) -> tuple[str, int | None]:
    """Return the handler of the used object and the object's id; empty if no handler applied."""
    for entry in entries[1:]:
        match = _RULE.search(entry.name)
        if match is not None and entry.actor == entries[0].actor:
            return match["name"], entry.target
    return "", None


def _effect(agent: int, changes: list[Change]) -> tuple[bool, dict[str, int]]:
    """Return whether anything changed hands or owners, and the changes of the agent's own inventory."""
    moved = [change for change in changes if change.field in ("inventory", "tag") and change.object_id is not None]
    gained: Counter[str] = Counter()
    for change in moved:
        if change.field == "inventory" and change.agent_id == agent:
            gained[change.name] += int(change.after - change.before)
    return bool(moved), dict(gained)
