"""`cogames agents parity`: counts, deltas and the first difference."""

from collections.abc import Callable
from typing import Any

import pytest

from cogames_agents.audit.parity import run_parity
from cogames_agents.audit.setting import Setting

TEAM = "audited_policies.TeamPolicy"
Agents = Callable[..., Any]


def differs(step: int, agent: int) -> str:
    return f"class=audited_policies.DiffersOnce,kw.step={step},kw.agent={agent}"


@pytest.mark.parametrize(("step", "agent"), [(0, 0), (37, 3), (59, 9)])
def test_a_planted_difference_is_found_at_its_step(agents: Agents, step: int, agent: int) -> None:
    ran = agents("parity", "-a", TEAM, "-b", differs(step, agent), "--steps", 60)
    assert ran.code == 0  # a comparison is not a verdict
    played, shadowed = ran.section("First difference")
    assert played.startswith(f"in their own worlds: step={step} agent={agent} a=")
    assert shadowed == played.replace("in their own worlds", "at the same observations")
    assert ran.section("Agreement") == ["at the same observations: equal=599 compared=600 share=0.9983"]
    assert ran.out.endswith("Result: different\n")


def test_a_difference_can_be_made_a_failure(agents: Agents) -> None:
    assert agents("parity", "-a", TEAM, "-b", differs(5, 1), "--steps", 10, "--expect-equal").code == 1
    assert agents("parity", "-a", TEAM, "-b", differs(5, 1), "--steps", 5, "--expect-equal").code == 0


def test_a_copy_is_equal(agents: Agents) -> None:
    ran = agents("parity", "-a", TEAM, "-b", "audited_policies.CopyPolicy", "--steps", 40, "--expect-equal")
    assert ran.code == 0
    assert ran.section("Largest action deltas") == ["A - B: none"]
    assert ran.section("First difference") == ["in their own worlds: step=none", "at the same observations: step=none"]
    assert ran.out.endswith("Result: equal\n")


def test_counts_add_up_and_deltas_come_largest_first(agents: Agents) -> None:
    report = run_parity(Setting(steps=30, agents=4), "noop", "starter")
    assert report.a.actions == {"noop": 120}
    assert (report.a.moves, report.a.move_success_rate) == (0, 0.0)
    assert report.b.actions.total() == 120
    assert 0 < report.b.moves_succeeded <= report.b.moves
    deltas = report.deltas()
    assert deltas[0][0] == "noop"
    assert sum(delta for _, delta in deltas) == 0
    assert [abs(delta) for _, delta in deltas] == sorted((abs(delta) for _, delta in deltas), reverse=True)

    ran = agents("parity", "-a", "noop", "-b", "starter", "-s", 30, "-c", 4, "--top-actions", 2, "--top-deltas", 3)
    (deltas,) = ran.section("Largest action deltas")
    assert deltas.count("=") == 3
    assert ran.section("Policy A") == [
        "policy: name=noop steps=30 actions=120",
        "moves: move_success_rate=0.0 succeeded=0 all=0",
        "actions: noop=120",
    ]
    assert ran.section("Policy B")[2].count("=") == 2


def test_a_policy_that_differs_from_itself_is_found() -> None:
    report = run_parity(Setting(steps=20, agents=2), "audited_policies.FlipsCoins", "audited_policies.FlipsCoins")
    # Of the two objects of policy B one acts like A, and the other does not.
    found = [difference for difference in (report.played, report.shadowed) if difference is not None]
    assert [(difference.step, difference.agent) for difference in found] == [(7, 0)]
    assert not report.is_equal


def test_actions_are_compared_with_their_vibe_and_talk(agents: Agents) -> None:
    words = ["parity", "-a", "noop", "-b", "audited_policies.Talks", "--steps", 3, "--agents", 2]
    vibe = agents(*words).section("First difference")[0]
    assert vibe == "in their own worlds: step=0 agent=0 a=noop b=noop+change_vibe_heart"
    talk = agents(*words, "--variant", "talk").section("First difference")[0]
    assert talk == "in their own worlds: step=0 agent=0 a=noop b=noop+'hi'"


def test_an_unknown_second_policy_gets_exit_code_2(agents: Agents) -> None:
    ran = agents("parity", "-a", "noop", "-b", "nope")
    assert (ran.code, ran.out) == (2, "")
    assert ran.err.startswith("Error: Cannot load the policy 'nope': ")
