"""Count the roles that agents play.

The role of an agent is the one its policy reports. A policy without infos is judged by the gear an agent holds, and
before it has gear by its vibe. A role is *present* once an agent that plays it also holds its gear.
"""

from __future__ import annotations

from collections import Counter

from cogames_agents.audit.episode import Decision, Step
from cogames_agents.audit.text import Row, Rows, counts
from cogames_agents.audit.world import ROLES

__all__ = ["NO_ROLE", "RoleCoverage", "role_of"]

NO_ROLE = "none"


def role_of(decision: Decision) -> str:
    """Return the role of an agent; `none` if it has none."""
    agent, reported = decision.agent, decision.claims.role
    role = reported if reported is not None else agent.gear or agent.vibe
    return role if role in ROLES else NO_ROLE


class RoleCoverage:
    """Agents per role over the steps of an episode, and changes of roles."""

    def __init__(self) -> None:
        self.steps = 0
        self.steps_with_all_roles = 0
        self.now: Counter[str] = Counter()
        """agents by role in the last step"""
        self.present: Counter[str] = Counter()
        """agents that also hold their role's gear, in the last step"""
        self.first_step: dict[str, int] = {}
        """the first step in which each role was present"""
        self.transitions: Counter[tuple[str, str]] = Counter()
        self._roles: list[str] = []
        self._least: dict[str, int] = {}
        self._most: Counter[str] = Counter()
        self._total: Counter[str] = Counter()

    def add(self, step: Step) -> None:
        roles = [role_of(decision) for decision in step.decisions]
        geared = [role for role, decision in zip(roles, step.decisions, strict=True) if decision.agent.gear == role]
        self.steps += 1
        self.now, self.present = Counter(roles), Counter(geared)
        self.steps_with_all_roles += all(self.present[role] for role in ROLES)
        for role in ROLES:
            if self.present[role]:
                self.first_step.setdefault(role, step.number)
            self._least[role] = min(self._least.get(role, self.now[role]), self.now[role])
            self._most[role] = max(self._most[role], self.now[role])
            self._total[role] += self.now[role]
        for before, after in zip(self._roles, roles, strict=False):
            if before != after:
                self.transitions[before, after] += 1
        self._roles = roles

    @property
    def missing(self) -> list[str]:
        """The roles that were never present."""
        return [role for role in ROLES if role not in self.first_step]

    def trace(self, step: Step) -> Row:
        """Return the row of a trace for the last step."""
        return {
            "step": step.number,
            "roles": counts(self.now, (*ROLES, NO_ROLE)),
            "present": counts(self.present, ROLES),
            "transitions": self.transitions.total(),
        }

    def rows(self) -> Rows:
        steps = max(1, self.steps)
        rows: Rows = {
            role: {
                "min": self._least.get(role, 0),
                "max": self._most[role],
                "avg": round(self._total[role] / steps, 2),
                "first_step_with_gear": self.first_step.get(role, "never"),
            }
            for role in ROLES
        }
        rows["all"] = {"steps_with_all_roles": self.steps_with_all_roles, "steps": self.steps}
        changes = {f"{before}->{after}": count for (before, after), count in sorted(self.transitions.items())}
        rows["changes"] = {"transitions": self.transitions.total(), **changes}
        return rows
