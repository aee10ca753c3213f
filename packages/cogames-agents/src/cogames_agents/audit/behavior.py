"""Count what the agents of each role do: attempts, successes, and targets that do not fit the goal."""

from __future__ import annotations

from collections import Counter

from cogames_agents.audit.episode import Decision, Step
from cogames_agents.audit.roles import NO_ROLE, role_of
from cogames_agents.audit.text import Rows, counts
from cogames_agents.audit.uses import Use
from cogames_agents.audit.world import ELEMENTS, ROLES, Structure

__all__ = ["Behavior"]

_SPECIALTY = {"align": "aligner", "scramble": "scrambler"}
"""rules that only one role's gear allows"""


class Behavior:
    """Counts named as the report prints them, such as `mine_attempts`."""

    def __init__(self) -> None:
        self.counts: Counter[str] = Counter()

    def add(self, step: Step) -> None:
        for decision in step.decisions:
            self._judge_target(decision)
        for use in step.uses:
            decision = step.decisions[use.agent]
            self._count_use(decision, use)
            self._judge_use(decision, use)
            self._judge_role(decision, use)

    def rows(self) -> Rows:
        return {
            "miner": {**counts(self.counts, _names("mine", "deposit"))},
            "aligner": {**counts(self.counts, _names("align"))},
            "scrambler": {**counts(self.counts, _names("scramble"))},
            "all": {**counts(self.counts, ("own_junctions_targeted", "role_mismatches"))},
        }

    def _count_use(self, decision: Decision, use: Use) -> None:
        role, kind = role_of(decision), _kind(decision, use)
        if (role, kind) in (("miner", "mine"), ("miner", "deposit"), ("aligner", "align"), ("scrambler", "scramble")):
            self.counts[f"{kind}_attempts"] += 1
            self.counts[f"{kind}_successes"] += use.rule.split("_")[0] in _RULES[kind] and use.has_effect

    def _judge_use(self, decision: Decision, use: Use) -> None:
        """Count uses of structures that do not fit the goal in the infos."""
        goal, structure, agent = decision.claims.goal, use.structure, decision.agent
        if goal is None:
            if agent.hearts and not agent.cargo and structure.is_junction:
                self._judge_junction(decision, structure, {"aligner": "align", "scrambler": "scramble"}.get(agent.gear))
        elif (goal == "mine" and not structure.is_extractor) or (
            goal in ("align", "scramble") and not structure.is_junction
        ):
            self.counts[f"{goal}_mismatches"] += 1
        elif goal == "deposit":
            fits = (structure.is_junction or structure.kind == "hub") and agent.team in structure.teams
            self.counts["deposit_mismatches"] += not fits

    def _judge_junction(self, decision: Decision, junction: Structure, goal: str | None) -> None:
        """Judge the junction that an agent with a heart used; the gear tells the goal of a policy without infos."""
        if goal is None:
            return
        self.counts["own_junctions_targeted"] += goal == "align" and decision.agent.team in junction.teams
        self.counts["scramble_mismatches"] += goal == "scramble" and not junction.teams - {decision.agent.team}

    def _judge_target(self, decision: Decision) -> None:
        """Count targets in the infos that are not what the goal needs, neither now nor as last seen."""
        claims = decision.claims
        if claims.goal not in ("mine", "align", "scramble"):
            return
        named = claims.target_type is None or _fits(claims.goal, claims.target_type)
        placed = claims.target_offset is None or any(_fits(claims.goal, target.kind) for target in decision.targets)
        if not (named and placed):
            self.counts[f"{claims.goal}_mismatches"] += 1
            return
        junction = decision.visible_target  # out of view, a policy may expect another owner
        if claims.goal == "align" and junction is not None:
            self.counts["own_junctions_targeted"] += decision.agent.team in junction.teams

    def _judge_role(self, decision: Decision, use: Use) -> None:
        """Count acts of another role than the reported one: its gear taken, a junction aligned or scrambled."""
        reported = role_of(decision)
        if decision.claims.role is None or reported == NO_ROLE or not use.has_effect:
            return
        taken = next((role for role in ROLES if use.gained.get(role, 0) > 0), None)
        played = taken or _SPECIALTY.get(use.rule.split("_")[0])
        self.counts["role_mismatches"] += played is not None and played != reported


_RULES = {"mine": ("extract", "miner"), "deposit": ("deposit",), "align": ("align",), "scramble": ("scramble",)}
"""first words of the rules that make an attempt succeed"""


def _kind(decision: Decision, use: Use) -> str:
    """Return what a use was meant for: mine, deposit, align, scramble; empty for anything else."""
    structure, agent = use.structure, decision.agent
    is_own = agent.team in structure.teams
    if structure.is_extractor:
        return "mine"
    if agent.cargo and is_own and (structure.kind == "hub" or structure.is_junction):
        return "deposit"
    if structure.is_junction:
        return {"aligner": "align", "scrambler": "scramble"}.get(role_of(decision), "")
    return ""


def _fits(goal: str, kind: str) -> bool:
    if goal == "mine":
        return kind.endswith("extractor") or kind in ELEMENTS
    return kind == "junction"


def _names(*kinds: str) -> list[str]:
    return [f"{kind}_{part}" for kind in kinds for part in ("attempts", "successes", "mismatches")]
