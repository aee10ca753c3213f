"""The published rollout: the order in which policies are stepped, and the handling of late answers."""

import logging
import threading

import pytest
from stand_in_policies import NOW, Base, Crasher, Flyer, Grouped, Slow, Talker, Walker

from mettagrid.policy.policy_env_interface import PolicyEnvInterface
from mettagrid.renderer.renderer import NoRenderer
from mettagrid.simulator.interface import SimulatorEventHandler
from mettagrid.simulator.rollout import Rollout
from mettagrid.types import Action


@pytest.fixture
def agents(room):
    """`agents(Policy, n, **kwargs)`: n agent policies of one policy."""

    def make(policy_class, count=4, **kwargs):
        policy = policy_class(PolicyEnvInterface.from_mg_cfg(room(count)), **kwargs)
        return [policy.agent_policy(agent) for agent in range(count)]

    return make


@pytest.fixture
def stand_still_clock(monkeypatch):
    NOW[0] = 0.0
    monkeypatch.setattr(Rollout, "_clock_ns", staticmethod(lambda: round(NOW[0] * 1e9)))


class Follower(SimulatorEventHandler):
    def __init__(self, see):
        super().__init__()
        self.see, self.seen = see, []

    def on_step(self):
        self.seen.append(self.see(self._sim))


def test_every_policy_is_reset_once_before_it_is_asked(room, agents):
    calls = []
    policies = agents(Walker, 2)
    for policy in policies:
        policy.reset = lambda *args, policy=policy: calls.append(("reset", policy.agent_id, args))
        policy.step = lambda obs, policy=policy: calls.append(("step", policy.agent_id)) or Action(name="noop")
    Rollout(room(2, steps=2), policies).run_until_done()
    assert calls[:2] == [("reset", 0, ()), ("reset", 1, ())]
    assert calls[2:] == [("step", 0), ("step", 1)] * 2


def test_agents_without_a_policy_do_nothing(room, agents):
    rollout = Rollout(room(4, steps=5), agents(Walker, 2))
    rollout.run_until_done()
    stats = rollout._sim.episode_stats["agent"]
    assert [agent.get("action.noop.success", 0.0) for agent in stats] == [0.0, 0.0, 5.0, 5.0]


def test_a_group_is_asked_once_for_all_its_agents(room, agents):
    policies = agents(Grouped)
    follower = Follower(lambda sim: dict(sim._context["policy_infos"][3]))
    Rollout(room(steps=2), policies, policy_group_keys=["a"] * 4, event_handlers=[follower]).run_until_done()
    assert policies[0].parent.options["calls"] == [[0, 1, 2, 3]] * 2
    assert follower.seen == [{"group": 4, "policy_name": "GroupedAgent"}] * 2


def test_several_groups_are_each_asked_once(room, agents):
    policies = agents(Grouped)
    Rollout(room(steps=1), policies, policy_group_keys=[0, 1, 0, 1]).run_until_done()
    assert sorted(policies[0].parent.options["calls"]) == [[0, 2], [1, 3]]


def test_there_must_be_a_group_key_for_each_policy(room, agents):
    with pytest.raises(ValueError, match="same length as policies"):
        Rollout(room(), agents(Walker), policy_group_keys=[0])


@pytest.mark.usefixtures("stand_still_clock")
def test_time_beyond_the_limit_is_taken_from_the_budget_until_the_agent_is_disabled(room, agents):
    slow = agents(Slow, 1, ms=50)
    rollout = Rollout(room(1, steps=8), slow, max_action_time_ms=20, overage_budget_ms=70)
    rollout.run_until_done()
    assert rollout.timeout_counts == [3]
    assert rollout.overage_exceeded_at == [2]
    assert slow[0].step_count == 3
    assert rollout._sim.episode_stats["agent"][0]["action.noop.success"] == 8.0


@pytest.mark.usefixtures("stand_still_clock")
def test_late_answers_are_counted_each_and_warned_about_once(room, agents, caplog):
    rollout = Rollout(room(2, steps=5), agents(Slow, 2, ms=50), max_action_time_ms=20)
    with caplog.at_level(logging.WARNING):
        rollout.run_until_done()
    assert rollout.timeout_counts == [5, 5]
    assert rollout.overage_exceeded_at == [None, None]
    assert len(caplog.records) == 1


@pytest.mark.usefixtures("stand_still_clock")
@pytest.mark.parametrize("limit", [0, None])
def test_no_limit_means_ten_seconds(room, agents, limit):
    rollout = Rollout(room(1, steps=1), agents(Slow, 1, ms=9_999), max_action_time_ms=limit)
    rollout.run_until_done()
    assert rollout.timeout_counts == [0]


def test_an_exception_of_a_policy_ends_the_episode(room, agents):
    with pytest.raises(ValueError, match="I cannot continue"):
        Rollout(room(), agents(Crasher)).run_until_done()


def test_an_unknown_action_is_a_key_error(room, agents):
    with pytest.raises(KeyError, match="fly"):
        Rollout(room(), agents(Flyer)).run_until_done()


def test_what_an_agent_says_is_heard_in_the_next_step(room, agents):
    follower = Follower(lambda sim: {a: dict(infos) for a, infos in sim._context["policy_infos"].items()})
    Rollout(room(2, steps=2, talk=True), agents(Talker, 2), event_handlers=[follower]).run_until_done()
    assert follower.seen[0][0] == {"heard": [], "step": 0, "policy_name": "Agent"}
    assert "step 0" in follower.seen[1][0]["heard"]


def test_talk_in_a_game_without_talk_is_an_error(room, agents):
    with pytest.raises(ValueError):
        Rollout(room(2), agents(Talker, 2)).step()


def test_the_end_of_a_monologue_becomes_what_was_added(room, agents):
    tails = iter(["abc", "abcde", "de fg", "new", ""])
    policies = agents(Base, 1)
    policies[0].step = lambda obs: (
        policies[0].__dict__.update(_infos={"__monologue_transcript_tail": next(tails)}) or Action(name="noop")
    )
    follower = Follower(lambda sim: dict(sim._context["monologue_updates"]))
    Rollout(room(1, steps=5), policies, event_handlers=[follower]).run_until_done()
    updates = [seen.get(0) for seen in follower.seen]
    assert updates[:2] == [
        {"monologue_append": "abc", "monologue_reset": False},
        {"monologue_append": "de", "monologue_reset": False},
    ]
    assert updates[2] == {"monologue_append": " fg", "monologue_reset": False}
    assert updates[3] == {"monologue_append": "new", "monologue_reset": True}
    assert updates[4] is None


def test_a_persons_action_holds_the_policy_off_for_twenty_steps(room, agents, monkeypatch):
    actions = []

    class Hand(NoRenderer):
        def on_step(self):
            actions.append(self._sim.action_names[self._sim._c_sim.actions()[0]])
            if self._sim.current_step == 2:
                self.defer_user_action(0, Action(name="move_north"))

    monkeypatch.setattr("mettagrid.simulator.rollout.create_renderer", lambda *args: Hand())
    policies = agents(Base, 1)
    policies[0].step = lambda obs: Action(name="move_east")
    Rollout(room(1, steps=25), policies, render_mode="none").run_until_done()
    assert actions == ["move_east"] * 2 + ["move_north"] + ["noop"] * 19 + ["move_east"] * 3


def test_groups_are_asked_side_by_side(room, agents):
    meeting = threading.Barrier(2)
    policies = agents(Base, 2)
    for policy in policies:
        policy.step = lambda obs: meeting.wait(timeout=30) is not None and Action(name="noop")
    Rollout(room(2, steps=1), policies, policy_group_keys=["a", "b"]).run_until_done()
    assert not meeting.broken


def test_agents_of_one_group_are_asked_in_order(room, agents):
    asked = []
    policies = agents(Base)
    for policy in policies:
        policy.step = lambda obs, policy=policy: asked.append(policy.agent_id) or Action(name="noop")
    Rollout(room(steps=1), policies, policy_group_keys=["a"] * 4).run_until_done()
    assert asked == [0, 1, 2, 3]


def test_an_exception_in_one_of_several_groups_ends_the_episode(room, agents):
    with pytest.raises(ValueError, match="I cannot continue"):
        Rollout(room(), agents(Crasher), policy_group_keys=[0, 0, 1, 1]).run_until_done()


@pytest.mark.usefixtures("stand_still_clock")
def test_a_disabled_agent_keeps_the_name_of_its_policy_and_shows_nothing_else(room, agents):
    slow = agents(Slow, 1, ms=50)
    slow[0]._infos = {"mood": "slow"}
    rollout = Rollout(room(1, steps=3), slow, ["snail"], max_action_time_ms=20, overage_budget_ms=1)
    assert rollout._policy_infos == {0: {"policy_name": "snail"}}
    rollout.step()
    assert rollout.overage_exceeded_at == [0]
    assert rollout._policy_infos == {0: {"mood": "slow", "policy_name": "snail"}}
    rollout.step()
    assert rollout._policy_infos == {0: {"policy_name": "snail"}}


def test_a_group_shows_only_infos_of_this_step(room, agents):
    policies = agents(Base, 2)
    for policy in policies:
        policy._infos = {"stale": "old"}
        policy.can_step_group = lambda others: True
        policy.step_group = lambda observations: [Action(name="noop")] * len(observations)
    rollout = Rollout(room(2), policies, ["a", "b"], policy_group_keys=[0, 0])
    rollout.step()
    assert rollout._policy_infos == {0: {"policy_name": "a"}, 1: {"policy_name": "b"}}


class Drawing(NoRenderer):
    """Notes when it draws."""

    def __init__(self):
        super().__init__()
        self.drawn = []

    def render(self):
        self.drawn.append(self._sim.current_step)


@pytest.mark.parametrize(("mode", "drawn"), [("gui", [0, 1]), ("log", [1])])
def test_only_the_browser_gets_a_frame_before_the_first_action(room, agents, monkeypatch, mode, drawn):
    renderer = Drawing()
    monkeypatch.setattr("mettagrid.simulator.rollout.create_renderer", lambda *args: renderer)
    rollout = Rollout(room(1, steps=2), agents(Walker, 1), render_mode=mode)
    assert renderer.drawn == drawn[:-1]
    rollout.run_until_done()
    assert renderer.drawn == drawn


def test_a_renderer_draws_while_a_policy_runs(room, agents, monkeypatch):
    answer = threading.Event()

    class Patient(Drawing):
        def supports_pending_render(self):
            return True

        def render_pending(self):
            answer.set()

    monkeypatch.setattr("mettagrid.simulator.rollout.create_renderer", lambda *args: Patient())
    policies = agents(Base, 1)
    policies[0].step = lambda obs: answer.wait(timeout=30) and Action(name="noop")
    rollout = Rollout(room(1, steps=1), policies, render_mode="gui")
    rollout.run_until_done()
    assert answer.is_set() and rollout._sim.current_step == 1


def test_a_renderer_that_ends_the_episode_does_not_wait_for_the_policy(room, agents, monkeypatch):
    answer = threading.Event()

    class Closing(Drawing):
        def supports_pending_render(self):
            return True

        def render_pending(self):
            self._sim.end_episode()

    monkeypatch.setattr("mettagrid.simulator.rollout.create_renderer", lambda *args: Closing())
    policies = agents(Base, 1)
    policies[0].step = lambda obs: answer.wait(timeout=30) and Action(name="noop")
    rollout = Rollout(room(1, steps=5), policies, render_mode="gui")
    try:
        rollout.run_until_done()
        assert rollout.is_done() and rollout._sim.current_step == 0
    finally:
        answer.set()
