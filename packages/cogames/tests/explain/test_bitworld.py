"""Explanations of BitWorld matches."""

from typing import Any

from cogames.explain.bitworld import explain_match
from cogames.explain.explaining import Seats
from softmax.wire import Explanation


def player(number: int, rewards: list[int], **counts: int) -> dict[str, Any]:
    return {"name": f"player_{number}", "rewards": rewards, "counts": counts}


def event(tick: int, kind: str, text: str, actor: str = "") -> dict[str, Any]:
    return {"tick": tick, "kind": kind, "text": text, "player": actor}


HISTORY: dict[str, Any] = {
    "ticks": [0, 50, 100],
    "players": [
        player(0, [0, 0, 1], games_crewmate=1),
        player(1, [0, 2, 1], games_crewmate=1),
        player(2, [0, 1, 10], games_imposter=1, kills=1),
    ],
    "events": [
        event(20, "task", "player_1 finished a task", "player_1"),
        event(40, "kill", "player_2 killed player_1", "player_2"),
        event(100, "win", "The imposters win"),
    ],
}


def explained(seats: Seats) -> Explanation:
    return explain_match(HISTORY, seats, steps=100, max_steps=500, idle=[90, 10, 5])


def test_events_become_turning_points_with_the_names_of_policies() -> None:
    seats = Seats(["crab:v1", "owl:v2", "unseated:v1"], [0, 0, 1], late=[(30, 2)], missed=[0, 0, 1])
    explanation = explained(seats)
    assert [(moment.tick, moment.policy, moment.text) for moment in explanation.moments] == [
        (30, 1, "owl:v2 misses its first deadline at step 30"),
        (40, 1, "Step 40: player_2 (owl:v2) killed player_1 (crab:v1)"),
        (100, 1, "From step 100 on, owl:v2 has the highest reward (10 to 1 per player)"),
        (100, None, "Step 100: The imposters win"),
    ]
    assert explanation.summary == ["The imposters win at step 100", "Imposters: player_2 (owl:v2)"]
    assert [policy.reward for policy in explanation.policies] == [[0, 1, 1], [0, 1, 10]]
    assert [policy.counts.idle for policy in explanation.policies] == [100, 4]
    assert [row.text for row in explanation.differences] == [
        "crab:v1 does nothing in 50 % of its steps, owl:v2 4 %",
        "owl:v2 misses 1.0 deadlines per agent, crab:v1 0.0",
    ]


def test_a_policy_that_plays_against_itself_is_told_apart_by_its_agents() -> None:
    explanation = explained(
        Seats(["crab:v1", "crab:v1"], [0, 1, 1], statuses=["ok", "crashed"], failed_steps=[None, 7])
    )
    assert [policy.name for policy in explanation.policies] == ["crab:v1 (agent 0)", "crab:v1 (agents 1, 2)"]
    assert explanation.moments[0].text.startswith("crab:v1 (agents 1, 2) fails (crashed) at step 7")


def test_one_policy_has_no_lead_and_no_differences() -> None:
    explanation = explained(Seats(["crab:v1"], [0, 0, 0]))
    assert {moment.kind for moment in explanation.moments} == {"kill", "win"}
    assert explanation.differences == []
