"""The verdicts of a rollout: what a sound policy does, and what must never happen."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from dataclasses import dataclass

from cogames_agents.audit.alignment import Alignment
from cogames_agents.audit.behavior import Behavior
from cogames_agents.audit.knowledge import ENOUGH_STRUCTURES, Knowledge
from cogames_agents.audit.roles import RoleCoverage
from cogames_agents.audit.text import Row
from cogames_agents.audit.world import ROLES

__all__ = ["Check", "judge"]

_FUTILE = 5
"""attempts of one kind that must not all fail"""


@dataclass(frozen=True)
class Check:
    """One verdict. `problem` is empty if the check passed; `skipped` gives the reason if it does not apply.

    `concerns_roles` marks the checks that `--allow-missing-roles` turns into remarks.
    """

    name: str
    problem: str = ""
    skipped: str = ""
    concerns_roles: bool = True

    def row(self, *, allow_missing_roles: bool) -> Row:
        """Return the verdict: pass, skip, FAIL, or note for a problem that is allowed."""
        verdict, reason = "pass", ""
        if self.skipped:
            verdict, reason = "skip", self.skipped
        elif self.problem:
            verdict = "FAIL" if self.has_failed(allow_missing_roles=allow_missing_roles) else "note"
            reason = self.problem
        return {"verdict": verdict, "check": self.name, "reason": reason}

    def has_failed(self, *, allow_missing_roles: bool) -> bool:
        return bool(self.problem) and not self.skipped and not (allow_missing_roles and self.concerns_roles)


def judge(
    roles: RoleCoverage,
    behavior: Behavior,
    alignment: Alignment,
    knowledge: Knowledge,
    expected: Collection[str] = ROLES,
) -> list[Check]:
    """Return all checks of a rollout; those of roles that are not expected are skipped."""
    missing = [role for role in roles.missing if role in expected]
    return [
        *_world_checks(alignment, knowledge),
        Check("all roles present", f"never with their gear: {', '.join(missing)}" if missing else ""),
        *_activity_checks(behavior, alignment, expected),
        *_target_checks(behavior),
        _scout_check(knowledge, expected),
    ]


def _world_checks(alignment: Alignment, knowledge: Knowledge) -> Iterator[Check]:
    unseen = "never in view" if knowledge.hub_in_view_at is None else "in view, but the policy does not know it"
    yield Check("hub seen", "" if knowledge.hub_is_seen else unseen, concerns_roles=False)
    yield Check(
        "junction alignment",
        f"{alignment.mismatches} beliefs fit neither the tags nor what was seen" if alignment.mismatches else "",
        concerns_roles=False,
    )
    flagged = alignment.neutral_flagged_clips
    yield Check(
        "no neutral junction taken for an enemy's",
        f"{flagged} decisions to scramble one" if flagged else "",
        concerns_roles=False,
    )


def _activity_checks(behavior: Behavior, alignment: Alignment, expected: Collection[str]) -> Iterator[Check]:
    counts = behavior.counts
    for kind, role in (("mine", "miner"), ("deposit", "miner"), ("align", "aligner"), ("scramble", "scrambler")):
        attempts, successes = counts[f"{kind}_attempts"], counts[f"{kind}_successes"]
        problem = skipped = ""
        if role not in expected:
            skipped = _not_expected(role)
        elif kind == "scramble" and not attempts and not alignment.enemy_junction_steps:
            skipped = "no team held a junction that could be scrambled"
        elif not attempts:
            problem = f"no {role} attempted it"
        elif attempts >= _FUTILE and not successes:
            problem = f"none of {attempts} attempts had an effect"
        yield Check(f"{kind} attempts", problem, skipped)


def _target_checks(behavior: Behavior) -> Iterator[Check]:
    counts = behavior.counts
    for kind in ("mine", "deposit", "align", "scramble"):
        wrong = counts[f"{kind}_mismatches"]
        yield Check(f"{kind} targets", f"{wrong} do not fit the goal" if wrong else "")
    own = counts["own_junctions_targeted"]
    yield Check("no own junction targeted", f"{own} times" if own else "")
    roles = counts["role_mismatches"]
    yield Check("roles as reported", f"{roles} acts of another role than the reported one" if roles else "")


def _scout_check(knowledge: Knowledge, expected: Collection[str]) -> Check:
    known = knowledge.scout_structures or 0
    few = f"the best scout knows {known}, at least {ENOUGH_STRUCTURES} expected" if known < ENOUGH_STRUCTURES else ""
    return Check("scout knows structures", few, "" if "scout" in expected else _not_expected("scout"))


def _not_expected(role: str) -> str:
    return f"the role {role} is not expected"
