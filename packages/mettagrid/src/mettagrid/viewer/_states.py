"""The state that a video shows, updated incrementally from tick to tick."""

from __future__ import annotations

import numpy as np

from mettagrid.replay import Replay
from mettagrid.replay._rows import Field

_DISPLAYED_FIELDS = (Field.ALIVE, Field.LOCATION, Field.TAG, Field.OWNER)


class States:
    """The state at one tick, which only moves forward."""

    def __init__(self, replay: Replay) -> None:
        count = len(replay.objects)
        self.types = [replay.kinds[kind].type_name for kind in replay.objects.kinds.tolist()]
        self.is_agent = replay.objects.agents >= 0
        self.team_names = {
            tag: name.removeprefix("team:") for tag, name in enumerate(replay.tag_names) if name.startswith("team:")
        }
        self.alive = np.zeros(count, bool)
        self.place = np.zeros((count, 2), np.int32)
        """[object, (column, row)]"""
        self.teams: list[set[int]] = [set() for _ in range(count)]
        """tags of the teams that each object belongs to"""
        width, height = replay.map_size
        self.owners = np.full((height, width), -1, np.int32)
        """tag of the team that owns each cell, or -1"""
        self.tick = replay.first_tick - 1
        self.changed_things = True
        """whether anything except agents has changed since it was last set to False"""
        self.changed_owners = True
        self._width = width
        rows = [
            row
            for field in _DISPLAYED_FIELDS
            for row in zip(*(column.tolist() for column in replay.rows.of_field(field).columns()), strict=True)
        ]
        self._rows = sorted(rows, key=lambda row: row[3])
        self._next = 0

    def advance(self, tick: int) -> None:
        """Move to a tick that is not before the current one."""
        while self._next < len(self._rows) and self._rows[self._next][3] <= tick:
            field, number, key, _, value = self._rows[self._next]
            self._next += 1
            if field == Field.OWNER:
                if key == 0:
                    self.owners[number // self._width, number % self._width] = value
                    self.changed_owners = True
                continue
            if field == Field.ALIVE:
                self.alive[number] = value != 0
            elif field == Field.LOCATION:
                self.place[number] = (value & 0xFFFF, value >> 16)
            elif key not in self.team_names:
                continue
            elif value:
                self.teams[number].add(key)
            else:
                self.teams[number].discard(key)
            if not self.is_agent[number]:
                self.changed_things = True
        self.tick = tick

    def held(self) -> dict[str, int]:
        """Return {team: number of junctions it holds}."""
        counts = dict.fromkeys(self.team_names.values(), 0)
        for number, kind in enumerate(self.types):
            if kind == "junction" and self.alive[number]:
                for tag in self.teams[number]:
                    counts[self.team_names[tag]] += 1
        return counts
