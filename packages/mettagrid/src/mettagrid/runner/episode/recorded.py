"""Record the policies' actions of an episode in a file, and play the episode again from that file.

A replay in the published format shows what agents did, not what they tried. This file has every requested action, so
that the episode can be played again without the policy bundles:

    {"version": 1, "steps": 500,
     "actions": [[number, times, number, times, ...] for each agent], "vibes": likewise,
     "talk": [[step, agent, text]], "infos": [[step, agent, what it showed from then on]], "late": [[step, agent]]}

as JSON, compressed with zlib. Numbers are the engine's.
"""

from __future__ import annotations

import json
import zlib
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from mettagrid.runner.episode.errors import PolicyFailure
from mettagrid.runner.episode.holder import SeatHolder, Seats

if TYPE_CHECKING:
    from mettagrid.runner.episode.table import SharedTable

__all__ = ["ActionRecorder", "RecordedActions", "RecordedPolicy"]

VERSION = 1
MAX_BYTES = 1 << 30


class ActionRecorder:
    """Records the actions of an episode's policies."""

    def __init__(self, table: SharedTable) -> None:
        self._table = table
        self._actions: list[np.ndarray] = []
        self._vibes: list[np.ndarray] = []
        self._late = list(table.times.timeouts)
        self._infos: dict[int, Mapping[str, Any]] = {}
        self._notes: dict[str, list[list[Any]]] = {"talk": [], "infos": [], "late": []}
        self._of_step: dict[str, list[list[Any]]] = {"talk": [], "infos": []}

    def record_talk(self, agent: int, text: str) -> None:
        self._of_step["talk"].append([len(self._actions), agent, text])

    def record_infos(self, agent: int, infos: Mapping[str, Any] | None) -> None:
        current = infos or {}
        if current != self._infos.get(agent, {}):
            self._infos[agent] = current
            self._of_step["infos"].append([len(self._actions), agent, current])

    def step(self) -> None:
        """Record a step; called after all answers and before the engine steps."""
        table = self._table
        for agent, (before, now) in enumerate(zip(self._late, table.times.timeouts, strict=True)):
            if now > before:
                self._notes["late"].append([len(self._actions), agent])
        self._late = list(table.times.timeouts)
        for name, rows in self._of_step.items():
            # Answers arrive in any order; the file must not depend on it.
            self._notes[name] += sorted(rows, key=lambda row: row[1])
            rows.clear()
        self._actions.append(table.actions.copy())
        self._vibes.append(table.vibe_actions.copy())

    def write(self, path: Path) -> None:
        agents = len(self._late)
        document = {
            "version": VERSION,
            "steps": len(self._actions),
            "actions": _runs(self._actions, agents),
            "vibes": _runs(self._vibes, agents),
            **self._notes,
        }
        path.write_bytes(zlib.compress(json.dumps(document, separators=(",", ":"), default=str).encode(), 6))


def _runs(rows: Sequence[np.ndarray], agents: int) -> list[list[int]]:
    """Return the run-length encoding for each agent: number, times, number, times."""
    if not rows:
        return [[] for _ in range(agents)]
    encoded = []
    for column in np.stack(rows).T:
        begins = np.flatnonzero(np.diff(column, prepend=column[0] - 1))
        lengths = np.diff(begins, append=len(column))
        encoded.append(np.stack([column[begins], lengths]).T.ravel().tolist())
    return encoded


class RecordedActions:
    """The recorded actions by step. Raises `ValueError` for an invalid file and for one of another episode."""

    def __init__(self, data: bytes, *, num_agents: int) -> None:
        try:
            unpacker = zlib.decompressobj()
            text = unpacker.decompress(data, MAX_BYTES)
            document = json.loads(text)
            if unpacker.unconsumed_tail or document["version"] != VERSION:
                raise ValueError("unsupported version, or too large")
            self.steps = int(document["steps"])
            self.actions = _columns(document["actions"], self.steps)
            self.vibes = _columns(document["vibes"], self.steps)
            if not len(self.actions) == len(self.vibes) == num_agents:
                raise ValueError("wrong number of agents")
            self.talk, self.infos, self.late = (_by_step(document[name]) for name in ("talk", "infos", "late"))
        except (ValueError, KeyError, TypeError, IndexError, zlib.error, RecursionError) as problem:
            raise ValueError(f"The recorded actions cannot be read: {problem}") from None


def _columns(runs: Any, steps: int) -> list[np.ndarray]:
    columns = []
    for run in runs:
        pairs = np.array(run, np.int64).reshape(-1, 2)
        if int(pairs[:, 1].sum()) != steps or (pairs[:, 1] < 0).any():
            raise ValueError("wrong number of steps")
        columns.append(np.repeat(pairs[:, 0], pairs[:, 1]).astype(np.int32))
    return columns


def _by_step(rows: Any) -> dict[int, list[tuple[int, Any]]]:
    by_step: dict[int, list[tuple[int, Any]]] = defaultdict(list)
    for step, agent, *more in rows:
        by_step[int(step)].append((int(agent), more[0] if more else None))
    return dict(by_step)


@dataclass(frozen=True)
class RecordedPolicy:
    """A source for `EpisodePlan`: a policy that repeats the recorded actions of its agents."""

    name: str
    recorded: RecordedActions

    def open(self) -> SeatHolder:
        return _RecordedHolder(self.recorded)


class _RecordedHolder(SeatHolder):
    def __init__(self, recorded: RecordedActions) -> None:
        self._recorded = recorded
        self._infos: dict[int, dict[str, Any]] = {}

    def prepare(self, seats: Seats) -> None:
        self._seats = seats

    def start(self, limit_ms: int) -> None:
        pass

    def ask(self, step: int) -> None:
        recorded, seats = self._recorded, self._seats
        table, mine = seats.table, set(seats.agent_ids)
        if step >= recorded.steps:
            raise PolicyFailure("crashed", f"nothing was recorded after step {recorded.steps}")
        late = {agent for agent, _ in recorded.late.get(step, ()) if agent in mine}
        for agent in sorted(late):
            table.times.miss(agent, "did not come in time")
        self._infos |= {agent: infos for agent, infos in recorded.infos.get(step, ()) if agent in mine}
        texts = {agent: text for agent, text in recorded.talk.get(step, ()) if agent in mine}
        for agent in seats.agent_ids:
            if agent in late:
                continue
            table.actions[agent] = recorded.actions[agent][step]
            table.vibe_actions[agent] = recorded.vibes[agent][step]
            if agent in texts:
                table.say(agent, texts[agent], seats.policy_name)
            table.show(agent, self._infos.get(agent))

    def close(self) -> None:
        pass
