"""Compare what a policy believes about junctions with their tags in the simulation.

A policy may hold a stale belief about a junction out of view, and it may expect a change that no agent has seen. So the
owner of a target is checked while the agent sees it. The count of own junctions must not exceed the largest of three:
by the tags of now, as the team last saw them, and as the agent last saw them.
"""

from __future__ import annotations

from cogames_agents.audit.episode import Decision, Step
from cogames_agents.audit.text import Rows

__all__ = ["Alignment"]


class Alignment:
    """Junctions by owner, and the checks of the policy's beliefs."""

    def __init__(self) -> None:
        self.checks = 0
        """number of beliefs compared with tags"""
        self.mismatches = 0
        self.neutral_flagged_clips = 0
        self.enemy_junction_steps = 0
        """steps in which another team held a junction"""
        self._owners: dict[str, int] = {}
        self._believed: int | None = None

    def add(self, step: Step) -> None:
        junctions, teams = step.after.junctions, step.after.teams
        self._owners = {
            "all": len(junctions),
            "own": sum(bool(junction.teams & teams) for junction in junctions),
            "enemy": sum(bool(junction.teams - teams) for junction in junctions),
            "neutral": sum(not junction.teams for junction in junctions),
        }
        self.enemy_junction_steps += any(
            junction.teams - {team} for team in step.before.teams for junction in step.before.junctions
        )
        beliefs = [decision.claims.own_junctions for decision in step.decisions]
        self._believed = max((belief for belief in beliefs if belief is not None), default=None)
        for decision in step.decisions:
            self._check_count(step, decision)
            self._check_target(decision)

    def rows(self) -> Rows:
        believed = "unknown" if self._believed is None else self._believed
        return {
            "junctions": {**self._owners, "believed_own": believed},
            "beliefs": {
                "alignment_checks": self.checks,
                "alignment_mismatches": self.mismatches,
                "neutral_flagged_clips": self.neutral_flagged_clips,
            },
        }

    def _check_count(self, step: Step, decision: Decision) -> None:
        """Check the number of junctions the policy believes its team owns: it must not exceed all evidence."""
        believed, team = decision.claims.own_junctions, decision.agent.team
        if believed is None:
            return
        self.checks += 1
        # After the step too: a policy may count a junction from the moment it decides to align it.
        real = max(step.before.held[team], step.after.held[team])
        self.mismatches += believed > max(real, decision.team_seen.own_junctions, decision.seen.own_junctions)

    def _check_target(self, decision: Decision) -> None:
        """Check that a visible junction to scramble belongs to another team."""
        if decision.claims.goal != "scramble":
            return
        junction = decision.visible_target
        if junction is None or not junction.is_junction:
            return
        self.checks += 1
        if junction.teams - {decision.agent.team}:
            return
        if junction.teams:
            self.mismatches += 1
        else:
            self.neutral_flagged_clips += 1
