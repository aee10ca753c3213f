"""Record the events of an episode for `events.json`."""

from __future__ import annotations

from mettagrid.simulator.interface import SimulatorEventHandler

__all__ = ["Events"]

MAX_EVENTS = 20_000
"""later events are dropped"""

_ALL_THE_TIME = frozenset({"hp", "energy", "solar"})
"""resources that change in nearly every step"""


class Events(SimulatorEventHandler):
    """Records each step in which a cog gains or loses something or acts on a building, from its statistics.

    `kind` is the name of the statistic (`carbon.gained`, `junction.aligned_by_agent`), `value` by how much it grew.
    """

    def __init__(self) -> None:
        super().__init__()
        self.events: list[dict[str, object]] = []
        self._before: list[dict[str, float]] = []

    def on_episode_start(self) -> None:
        self._before = [dict(stats) for stats in self._sim.episode_stats["agent"]]

    def on_step(self) -> None:
        after = [dict(stats) for stats in self._sim.episode_stats["agent"]]
        agents = self._sim.config.game.agents
        for slot, (now, before) in enumerate(zip(after, self._before, strict=True)):
            for kind, value in now.items():
                grown = value - before.get(kind, 0.0)
                if grown > 0 and _is_reported(kind) and len(self.events) < MAX_EVENTS:
                    team = agents[slot].team_id if slot < len(agents) else 0
                    event = {"tick": self._sim.current_step, "kind": kind, "agent": slot, "team": team}
                    self.events.append({**event, "value": float(grown)})
        self._before = after


def _is_reported(kind: str) -> bool:
    resource, _, change = kind.partition(".")
    return kind.endswith("_by_agent") or (change in ("gained", "lost") and resource not in _ALL_THE_TIME)
