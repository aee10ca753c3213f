"""The planner's policies pass the audit, and broken copies of them do not."""

from collections.abc import Callable
from typing import Any

import pytest

ROLE = "metta://policy/role?miner=4&scout=2&aligner=2&scrambler=2"
Agents = Callable[..., Any]

DEFECTS = {
    "KeepsCargo": "deposit attempts",
    "MissesOwnJunctions": "no own junction targeted",
    "TakesNeutralForClips": "no neutral junction taken for an enemy's",
    "WithoutScramblerGear": "all roles present",
    "SwapsRoles": "roles as reported",
    "ClaimsAllJunctions": "junction alignment",
}


@pytest.mark.parametrize("seed", [42, 7, 1001])
def test_role_passes_with_the_documented_defaults(agents: Agents, seed: int) -> None:
    ran = agents("rollout", "--seed", seed)
    assert ran.failed == []
    assert ran.code == 0
    assert ran.out.startswith(f"Rollout of {ROLE} on arena, 10 agents, 200 of 1000 steps, seed {seed}\n")


@pytest.mark.parametrize("defect", DEFECTS)
def test_a_broken_copy_of_role_fails(agents: Agents, defect: str) -> None:
    ran = agents("rollout", "-p", f"class=audited_policies.{defect},kw.inner={ROLE}")
    assert DEFECTS[defect] in ran.failed
    assert ran.code == 1


def test_a_planted_difference_in_role_is_found_at_its_step(agents: Agents) -> None:
    words = ["parity", "-a", "role", "-b", "class=audited_policies.DiffersOnce,kw.inner=role,kw.step=83,kw.agent=4"]
    ran = agents(*words, "--steps", 100, "--expect-equal")
    assert ran.code == 1
    played, shadowed = ran.section("First difference")
    assert played.startswith("in their own worlds: step=83 agent=4 ")
    assert shadowed.startswith("at the same observations: step=83 agent=4 ")


def test_role_and_role_py_play_alike(agents: Agents) -> None:
    assert agents("parity", "--steps", 100, "--expect-equal").out.endswith("Result: equal\n")
