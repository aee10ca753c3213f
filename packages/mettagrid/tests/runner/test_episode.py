"""The episode runner: the same play as the published functions, and a verdict for every policy."""

import logging
import random

import numpy as np
import pytest
import stand_in_policies
from stand_in_policies import NOW, clock

from mettagrid.policy.policy_spec import PolicySpec
from mettagrid.runner.episode import (
    EpisodePlan,
    PolicyLoadError,
    Verdict,
    plan_episodes,
    play_episode,
    rollout_result,
)
from mettagrid.runner.rollout import run_episode_local, run_multi_episode_rollout
from mettagrid.simulator.interface import SimulatorEventHandler

NOOP = PolicySpec(class_path="noop")


def agents_of(outcome, policy):
    """What the agents of one policy have to show."""
    seats = [seat for seat, assigned in enumerate(outcome.assignments) if assigned == policy]
    return [(outcome.rewards[seat], outcome.stats["agent"][seat], outcome.action_timeouts[seat]) for seat in seats]


def test_it_plays_like_the_published_function(room, stand_in):
    walker, env = stand_in("Walker"), room(4, steps=30)
    outcome = play_episode(EpisodePlan(env, [walker, NOOP], [0, 1, 0, 1], seed=5))
    result, _ = run_episode_local(policy_specs=[walker, NOOP], assignments=[0, 1, 0, 1], env=env, seed=5)
    assert outcome.pure_result() == result
    assert outcome.verdicts == [Verdict(), Verdict()]


def test_planned_episodes_are_those_of_the_published_function(room, stand_in):
    walker, env = stand_in("Walker"), room(4, steps=10)
    plans = plan_episodes(env, [walker, NOOP], [0, 0, 1, 1], episodes=3, seed=42)
    published, _ = run_multi_episode_rollout(
        policy_specs=[walker, NOOP],
        assignments=[0, 0, 1, 1],
        env_cfg=env,
        episodes=3,
        seed=42,
        max_action_time_ms=10_000,
    )
    assert rollout_result([play_episode(plan) for plan in plans]) == published


def test_a_batch_policy_plays_as_it_does_agent_by_agent(room, stand_in):
    env = room(4, steps=20)
    for assignments in ([0, 0, 0, 0], [0, 1, 1, 0]):
        one_by_one = play_episode(EpisodePlan(env, [stand_in("Walker"), NOOP], assignments, seed=1))
        at_once = play_episode(EpisodePlan(env, [stand_in("BatchWalker"), NOOP], assignments, seed=1))
        assert agents_of(at_once, 0) == agents_of(one_by_one, 0)
        assert agents_of(at_once, 1) == agents_of(one_by_one, 1)


def test_a_batch_policy_does_not_see_what_others_see(room, stand_in, monkeypatch):
    rows = []

    def look(self, raw_observations, raw_actions):
        rows.append([bool((tokens[:, 0] != 255).any()) for tokens in raw_observations])

    monkeypatch.setattr(stand_in_policies.BatchWalker, "step_batch", look)
    play_episode(EpisodePlan(room(4, steps=1), [stand_in("BatchWalker"), NOOP], [0, 1, 1, 0]))
    assert rows == [[True, False, False, True]]


def test_a_group_policy_is_asked_once_per_step(room, stand_in, monkeypatch):
    calls = []
    step_group = stand_in_policies.GroupedAgent.step_group

    def count(self, observations):
        calls.append([agent_id for agent_id, _ in observations])
        return step_group(self, observations)

    monkeypatch.setattr(stand_in_policies.GroupedAgent, "step_group", count)
    outcome = play_episode(EpisodePlan(room(4, steps=2), [stand_in("Grouped"), NOOP], [0, 1, 1, 0]))
    assert calls == [[0, 3]] * 2
    assert outcome.verdicts[0].status == "ok"


@pytest.mark.parametrize(
    ("name", "status", "words"),
    [
        ("Crasher", "crashed", "ValueError: I cannot continue"),
        ("Leaver", "crashed", "SystemExit: 5"),
        ("Flyer", "protocol_error", "'fly', which is not an action"),
        ("Garbler", "protocol_error", "a int, which is not an Action"),
        ("WildBatch", "protocol_error", "action number 10000"),
    ],
)
def test_a_misdeed_is_a_verdict_and_the_others_play_on(room, stand_in, name, status, words):
    env = room(4, steps=12)
    outcome = play_episode(EpisodePlan(env, [stand_in(name), stand_in("Walker")], [0, 1, 0, 1], seed=3))
    verdict = outcome.verdicts[0]
    assert (verdict.status, verdict.step) == (status, 3)
    assert words in verdict.message
    assert outcome.steps == 12
    assert outcome.verdicts[1] == Verdict()
    # Agents of the guilty one have walked for three steps and stand still since.
    assert [stats["action.noop.success"] for _, stats, _ in agents_of(outcome, 0)] == [9.0, 9.0]
    assert all("action.noop.success" not in stats for _, stats, _ in agents_of(outcome, 1))


def test_misdeeds_are_said_once_in_the_log(room, stand_in, caplog):
    with caplog.at_level(logging.WARNING):
        play_episode(EpisodePlan(room(2, steps=9), [stand_in("Crasher"), NOOP], [0, 1], policy_names=["mine", "other"]))
    assert [record.getMessage() for record in caplog.records] == [
        "mine is out (crashed at step 3): ValueError: I cannot continue"
    ]


def test_a_message_is_one_short_line(room, stand_in, monkeypatch):
    def raise_long(self, agent, obs):
        raise ValueError("line\n" * 500)

    monkeypatch.setattr(stand_in_policies.Base, "choose", raise_long)
    outcome = play_episode(EpisodePlan(room(1), [stand_in("Base")], [0]))
    assert "\n" not in outcome.verdicts[0].message
    assert len(outcome.verdicts[0].message) <= 120


def test_late_answers_are_not_used_and_counted(room, stand_in):
    NOW[0] = 0.0
    plan = EpisodePlan(room(2, steps=6), [stand_in("Slow", ms=50), NOOP], [0, 1], max_action_time_ms=20)
    outcome = play_episode(plan, clock=clock)
    assert outcome.verdicts[0] == Verdict(status="timed_out", timeouts=6)
    assert outcome.action_timeouts == [6, 0]
    assert outcome.stats["agent"][0]["action.noop.success"] == 6.0


def test_an_agent_that_has_used_up_its_budget_is_disabled(room, stand_in):
    NOW[0] = 0.0
    settings = {"max_action_time_ms": 20, "overage_budget_ms": 70}
    plan = EpisodePlan(room(2, steps=6), [stand_in("Slow", ms=50), NOOP], [0, 1], **settings)
    outcome = play_episode(plan, clock=clock)
    assert outcome.overage_exceeded_at == [2, None]
    assert outcome.action_timeouts == [3, 0]
    assert (outcome.verdicts[0].status, outcome.verdicts[0].step) == ("disabled", 2)


def test_the_limit_is_raised_to_what_a_policy_needs(room, stand_in):
    NOW[0] = 0.0
    policies = [stand_in("Slow", ms=20_000), stand_in("Demanding")]
    outcome = play_episode(EpisodePlan(room(2, steps=2), policies, [0, 1], max_action_time_ms=20), clock=clock)
    assert outcome.action_timeouts == [0, 0]


def test_a_policy_that_cannot_be_made_is_a_mistake_unless_the_plan_makes_it_a_verdict(room, stand_in):
    plan = {"env": room(2, steps=2), "policies": [NOOP, stand_in("BadAtBirth")], "assignments": [0, 1]}
    with pytest.raises(PolicyLoadError, match="BadAtBirth could not be loaded: RuntimeError: no weights") as caught:
        play_episode(EpisodePlan(**plan))
    assert (caught.value.policy_index, caught.value.error_type) == (1, "RuntimeError")
    assert isinstance(caught.value.__cause__, RuntimeError)
    outcome = play_episode(EpisodePlan(**plan, load_failure="verdict"))
    assert outcome.verdicts[1] == Verdict(status="crashed", message="RuntimeError: no weights")
    assert outcome.steps == 2


def test_an_unknown_policy_says_so(room):
    with pytest.raises(PolicyLoadError) as caught:
        play_episode(EpisodePlan(room(1), [PolicySpec(class_path="noop_")], [0]))
    assert caught.value.error_type == "ModuleNotFoundError"


def test_a_barred_policy_does_not_play(room, stand_in):
    verdict = Verdict(status="killed", message="its process ended")
    plan = EpisodePlan(room(2, steps=3), [stand_in("Walker"), NOOP], [0, 1]).bar(0, verdict)
    outcome = play_episode(plan)
    assert outcome.verdicts[0] == verdict
    assert outcome.stats["agent"][0]["action.noop.success"] == 3.0


def test_seats_and_names_must_fit(room):
    with pytest.raises(ValueError, match="Assignments"):
        EpisodePlan(room(2), [NOOP], [0, 1])
    with pytest.raises(ValueError, match="policy_names"):
        EpisodePlan(room(2), [NOOP], [0, 0], policy_names=["a", "b"])


def test_what_a_policy_draws_does_not_depend_on_who_else_plays(room, stand_in, monkeypatch):
    drawn = []
    choose = stand_in_policies.Gambler.choose

    def record(self, agent, obs):
        action = choose(self, agent, obs)
        drawn.append((agent.agent_id, action.name))
        return action

    monkeypatch.setattr(stand_in_policies.Gambler, "choose", record)

    def gambler_beside(other, index):
        drawn.clear()
        policies, assignments = [other, other], [1 - index] * 4
        policies[index] = stand_in("Gambler")
        assignments[0] = assignments[1] = index
        play_episode(EpisodePlan(room(4, steps=15), policies, assignments, seed=8))
        return [name for agent, name in drawn if agent < 2]

    alone = gambler_beside(NOOP, 0)
    assert gambler_beside(stand_in("Gambler"), 0) == alone
    assert gambler_beside(PolicySpec(class_path="random"), 0) == alone
    assert gambler_beside(NOOP, 1) != alone


def test_the_callers_random_generators_are_left_as_they_were(room, stand_in):
    random.seed(1)
    np.random.seed(1)
    expected = random.random(), np.random.random()
    random.seed(1)
    np.random.seed(1)
    play_episode(EpisodePlan(room(2), [stand_in("Gambler")], [0, 0]))
    assert (random.random(), np.random.random()) == expected


def test_the_same_plan_gives_the_same_outcome(room, stand_in):
    plan = EpisodePlan(room(4, steps=15), [stand_in("Gambler"), stand_in("Walker")], [0, 1, 0, 1], seed=4)
    assert play_episode(plan).compared() == play_episode(plan).compared()


def test_a_refused_text_is_dropped_with_one_warning(room, stand_in, caplog):
    with caplog.at_level(logging.WARNING):
        outcome = play_episode(EpisodePlan(room(2, steps=4), [stand_in("Talker")], [0, 0]))
    assert outcome.verdicts == [Verdict()]
    assert len(caplog.records) == 1


def test_event_handlers_see_what_policies_show(room, stand_in):
    seen = []

    class Reader(SimulatorEventHandler):
        def on_step(self):
            seen.append(dict(self._sim._context["policy_infos"][1]))

    plan = EpisodePlan(room(2, steps=2, talk=True), [stand_in("Talker")], [0, 0], policy_names=["talker"])
    play_episode(plan, event_handlers=[Reader()])
    assert [infos["step"] for infos in seen] == [0, 1]
    assert {infos["policy_name"] for infos in seen} == {"talker"}
    assert "step 0" in seen[1]["heard"]


def test_a_class_that_says_it_is_reusable_is_made_once(room, stand_in, monkeypatch):
    made = []
    init = stand_in_policies.Walker.__init__

    def count(self, *args, **kwargs):
        made.append(self)
        init(self, *args, **kwargs)

    monkeypatch.setattr(stand_in_policies.Walker, "__init__", count)
    plan = EpisodePlan(room(2, steps=3), [stand_in("Walker")], [0, 0])
    outcomes = [play_episode(plan) for _ in range(2)]
    assert len(made) == 2
    monkeypatch.setattr(stand_in_policies.Walker, "reusable", True, raising=False)
    outcomes += [play_episode(plan) for _ in range(3)]
    assert len(made) == 3
    assert len({outcome.compared() for outcome in outcomes}) == 1
