"""A replay as arrays with one value for each agent and step."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property

import numpy as np

from mettagrid.replay import Replay
from mettagrid.replay._rows import Field, Rows

__all__ = ["STEPS", "Episode", "Occasion"]

STEPS = {"move_north": (-1, 0), "move_south": (1, 0), "move_west": (0, -1), "move_east": (0, 1)}
"""(rows, columns) of a move"""
STEPS |= {
    f"{vertical}{horizontal}": (STEPS[vertical][0], STEPS[f"move_{horizontal}"][1])
    for vertical in ("move_north", "move_south")
    for horizontal in ("west", "east")
}

Occasion = tuple[int, int]
"""(agent, tick)"""


class Episode:
    """The recorded values of the agents by step: column 0 is the first recorded step.

    Ticks are those of the replay; `column(tick)` is the place of a tick in the arrays.
    """

    def __init__(self, replay: Replay) -> None:
        self.replay = replay
        self.first = replay.first_step
        self.last = replay.last_tick
        self.agents = range(replay.num_agents)
        self._moves = [STEPS.get(name) for name in replay.action_names]

    @property
    def steps(self) -> int:
        return max(0, self.last - self.first + 1)

    def column(self, tick: int) -> int:
        return tick - self.first

    @cached_property
    def idle(self) -> np.ndarray:
        """bool [agents, steps]: no action was requested, or only `noop`"""
        if self.replay.has_asked:
            return (self._values(Field.ASKED) == 0) & (self._values(Field.ASKED_VIBE) == 0)
        return (self._values(Field.ACTION) == 0) & self.succeeded

    @cached_property
    def succeeded(self) -> np.ndarray:
        """bool [agents, steps]"""
        return self._values(Field.SUCCESS) != 0

    @cached_property
    def blocked(self) -> np.ndarray | None:
        """bool [agents, steps]: a requested move failed; None if the replay has only the executed actions"""
        if not self.replay.has_asked:
            return None
        is_move = np.array([move is not None for move in self._moves] or [False])
        asked = self._values(Field.ASKED)
        return is_move[np.clip(asked, 0, len(is_move) - 1)] & ~self.succeeded

    @cached_property
    def failed(self) -> np.ndarray | None:
        """bool [agents, steps]: another requested action failed; None as for `blocked`"""
        blocked = self.blocked
        return None if blocked is None else ~self.succeeded & ~blocked & ~self.idle

    def cells(self, agent: int) -> int:
        """Return on how many different cells an agent stood."""
        rows = self._of_agent(Field.LOCATION, agent)
        return len(np.unique(rows.value))

    def changes(self, agent: int, resource: str) -> tuple[np.ndarray, np.ndarray]:
        """Return the (ticks, differences) of an amount that an agent holds, without its amount at the beginning."""
        names = self.replay.resource_names
        if resource not in names:
            return np.zeros(0, np.int64), np.zeros(0, np.int64)
        rows = self._of_agent(Field.AMOUNT, agent)
        rows = rows.take(rows.key == names.index(resource))
        differences = np.diff(rows.value.astype(np.int64), prepend=0)
        later = rows.tick >= max(self.first, self.replay.first_tick + 1)
        return rows.tick[later].astype(np.int64), differences[later]

    def amounts(self, agent: int, resource: str) -> tuple[np.ndarray, np.ndarray]:
        """Return the (ticks, new values) of an amount that an agent holds."""
        names = self.replay.resource_names
        if resource not in names:
            return np.zeros(0, np.int64), np.zeros(0, np.int64)
        rows = self._of_agent(Field.AMOUNT, agent)
        rows = rows.take(rows.key == names.index(resource))
        return rows.tick.astype(np.int64), rows.value.astype(np.int64)

    def reward(self, agents: Sequence[int]) -> np.ndarray:
        """Return float64 [steps]: the mean of the agents' rewards so far."""
        totals = [self.replay.total_rewards(agent)[-self.steps :] for agent in agents]
        return np.nan_to_num(np.mean(totals, axis=0)) if totals and self.steps else np.zeros(self.steps)

    def user_of(self, place: int, tick: int) -> int | None:
        """Return the agent whose move used the object at a location (row << 16 | column) in the step to a tick."""
        column = self.column(tick)
        if not 0 <= column < self.steps:
            return None
        row, across = place >> 16, place & 0xFFFF
        for agent in self.agents:
            own, action = int(self._places[agent, column]), int(self._executed[agent, column])
            move = self._moves[action] if 0 <= action < len(self._moves) else None
            if move is None or not self.succeeded[agent, column]:
                continue
            if ((own >> 16) + move[0], (own & 0xFFFF) + move[1]) == (row, across):
                return agent
        return None

    @cached_property
    def _places(self) -> np.ndarray:
        return self._values(Field.LOCATION)

    @cached_property
    def _executed(self) -> np.ndarray:
        return self._values(Field.ACTION)

    def _of_agent(self, field: Field, agent: int) -> Rows:
        return self._by_object(field, self.replay.objects.of_agents.get(agent, -1))

    def _by_object(self, field: Field, number: int) -> Rows:
        rows = self.replay.rows.of_field(field)
        begin, end = np.searchsorted(rows.object, [number, number + 1]) if number >= 0 else (0, 0)
        return rows.take(slice(int(begin), int(end)))

    def _values(self, field: Field) -> np.ndarray:
        """Return int32 [agents, steps]: the value of a field with one key."""
        values = np.zeros((len(self.agents), self.steps), np.int32)
        for agent in self.agents:
            rows = self._of_agent(field, agent)
            ticks = np.clip(rows.tick, self.first, self.last + 1)
            lengths = np.diff(np.concatenate([[self.first], ticks, [self.last + 1]]))
            values[agent] = np.repeat(np.concatenate([[0], rows.value]), lengths)
        return values
