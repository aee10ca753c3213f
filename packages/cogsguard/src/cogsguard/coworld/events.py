"""What happened in an episode, for those who explain it: `events.json`."""

from __future__ import annotations

from mettagrid.simulator.interface import SimulatorEventHandler

__all__ = ["Events"]

MOST_EVENTS = 20_000
"""what comes later is left out"""

_ALL_THE_TIME = frozenset({"hp", "energy", "solar"})
"""resources that come and go in nearly every step"""


class Events(SimulatorEventHandler):
    """Every step in which a cog got or lost something, or did something to a building, as its statistics tell.

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
                if grown > 0 and _is_told(kind) and len(self.events) < MOST_EVENTS:
                    team = agents[slot].team_id if slot < len(agents) else 0
                    event = {"tick": self._sim.current_step, "kind": kind, "agent": slot, "team": team}
                    self.events.append({**event, "value": float(grown)})
        self._before = after


def _is_told(kind: str) -> bool:
    resource, _, what = kind.partition(".")
    return kind.endswith("_by_agent") or (what in ("gained", "lost") and resource not in _ALL_THE_TIME)
