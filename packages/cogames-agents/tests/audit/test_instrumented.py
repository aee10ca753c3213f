"""`cogames agents audit`: traces of roles and resources."""

import re
from collections.abc import Callable
from itertools import pairwise
from typing import Any

TEAM = "audited_policies.TeamPolicy"
Agents = Callable[..., Any]

NUMBERS = r"miner=\d+ scout=\d+ aligner=\d+ scrambler=\d+"
ROLE_LINE = re.compile(rf"step=(\d+) roles\[{NUMBERS} none=\d+\] present\[{NUMBERS}\] transitions=\d+")
STOCK_LINE = re.compile(
    r"step=(\d+) inv\[(?P<inv>.*?)\] delta\[(?P<delta>.*?)\] "
    rf"station_uses\[{NUMBERS}\] station_uses_with_resources\[{NUMBERS}\] adjacent_roles\[{NUMBERS}\] "
    r"available_roles\[[a-z ]*\]"
)


def amounts(text: str) -> dict[str, int]:
    return {name: int(value) for name, _, value in (word.partition("=") for word in text.split())}


def test_traces_come_every_few_steps_and_at_the_end(agents: Agents) -> None:
    ran = agents("audit", "-p", TEAM, "--agents", 10, "--steps", 120, "--trace-every", 50)
    assert ran.code == 0
    lines = ran.out.partition("\n\n")[0].splitlines()[1:]
    roles, stock = [ROLE_LINE.fullmatch(line) for line in lines[::2]], [STOCK_LINE.fullmatch(x) for x in lines[1::2]]
    assert [match and match[1] for match in roles] == ["0", "50", "100", "119"]
    assert [match and match[1] for match in stock] == ["0", "50", "100", "119"]
    found = [match for match in stock if match is not None]
    for before, after in pairwise(found):
        delta = amounts(after["delta"])
        assert {name: amounts(before["inv"])[name] + delta[name] for name in delta} == amounts(after["inv"])
    assert ran.section("Roles")[0].startswith("miner: min=4 max=4 avg=4.0 ")


def test_structure_counts_of_each_agent_are_those_it_has_seen(agents: Agents) -> None:
    ran = agents("audit", "-p", TEAM, "--agents", 4, "--steps", 60)
    rows = ran.section("Structures")
    assert [row.split(" seen")[0] for row in rows] == [
        f"agent {agent}: role={role}" for agent, role in enumerate(("miner", "scout", "aligner", "scrambler"))
    ]
    for row in rows:
        seen, known = re.findall(r"\[(.*?)\]", row)
        assert seen == known  # this policy remembers all it sees, and nothing else
        assert amounts(seen)["hubs"] == 1


def test_role_transitions_are_counted(agents: Agents) -> None:
    ran = agents("audit", "-p", "audited_policies.ChangesRoles", "--steps", 35, "--trace-every", 10)
    assert ran.line("changes:") == "changes: transitions=6 miner->scout=4 scout->miner=2"
    traced = [
        line for line in ran.out.splitlines() if line.endswith(("transitions=0", "transitions=2", "transitions=6"))
    ]
    assert traced[0].startswith("step=0 roles[miner=2 scout=0 aligner=0 scrambler=0 none=0] present[miner=0 ")
    assert "miner: min=0 max=2 avg=1.14 first_step_with_gear=never" in ran.section("Roles")


def test_the_episode_can_end_before_the_steps_are_played(agents: Agents) -> None:
    ran = agents("audit", "-p", "noop", "--max-steps", 30, "--steps", 50, "--trace-every", 20)
    assert "all: steps_with_all_roles=0 steps=30" in ran.section("Roles")
    assert ran.out.count("step=29 ") == 2
