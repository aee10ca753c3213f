"""Record whether agents had what their role needs: gear, a heart, a structure to act on."""

from __future__ import annotations

from collections import Counter

from cogames_agents.audit.episode import Decision, Step
from cogames_agents.audit.roles import NO_ROLE, role_of
from cogames_agents.audit.text import Row, Rows
from cogames_agents.audit.world import ROLES

__all__ = ["Prerequisites"]


class Prerequisites:
    """Agent-steps of each role, and how many of them met each prerequisite."""

    def __init__(self) -> None:
        self._agent_steps: Counter[str] = Counter()
        self._met: Counter[tuple[str, str]] = Counter()
        self._first_ready: dict[str, int] = {}
        self._last: dict[int, Row] = {}

    def add(self, step: Step) -> list[Row]:
        """Count a step; return a row for each agent whose role or prerequisites have changed."""
        changed: list[Row] = []
        for agent, decision in enumerate(step.decisions):
            role = role_of(decision)
            if role == NO_ROLE:
                self._last.pop(agent, None)
                continue
            met = _prerequisites(role, decision)
            self._agent_steps[role] += 1
            self._met.update((role, name) for name, is_met in met.items() if is_met)
            if all(met.values()):
                self._met[role, "ready"] += 1
                self._first_ready.setdefault(role, step.number)
            row: Row = {"agent": agent, "role": role, **{name: "yes" if ok else "no" for name, ok in met.items()}}
            if self._last.get(agent) != row:
                changed.append({"step": step.number, **row})
                self._last[agent] = row
        return changed

    def rows(self) -> Rows:
        return {
            role: {
                "agent_steps": self._agent_steps[role],
                **{name: self._met[role, name] for name in (*_NEEDS[role], "ready")},
                "first_ready_step": self._first_ready.get(role, "never"),
            }
            for role in ROLES
        }


_NEEDS = {
    "miner": ("gear", "extractor"),
    "scout": ("gear",),
    "aligner": ("gear", "heart", "open_junction"),
    "scrambler": ("gear", "heart", "enemy_junction"),
}


def _prerequisites(role: str, decision: Decision) -> dict[str, bool]:
    """Return the prerequisites of a role; structures count from when the team has seen one."""
    seen = decision.team_seen
    state = {
        "gear": decision.agent.gear == role,
        "heart": decision.agent.hearts > 0,
        "extractor": seen.extractors > 0,
        "open_junction": seen.open_junctions > 0,
        "enemy_junction": seen.enemy_junctions > 0,
    }
    return {name: state[name] for name in _NEEDS[role]}
