"""Missions with several teams: the learner plays one, opponents play the others."""

import json
import sys

import numpy as np
import pytest
import torch

from cogames_training.args import SettingError

WALKER = '''
"""Policies that walk in a direction, or in all four in turn."""

from mettagrid.policy.policy import AgentPolicy, MultiAgentPolicy
from mettagrid.types import Action

ALL = ["north", "east", "south", "west"]


class Agent(AgentPolicy):
    def __init__(self, info, directions):
        super().__init__(info)
        self._directions, self._steps = directions, 0

    def reset(self, simulation=None):
        self._steps = 0

    def step(self, obs):
        self._steps += 1
        return Action(name=f"move_{self._directions[(self._steps - 1) % len(self._directions)]}")


class Walker(MultiAgentPolicy):
    def __init__(self, policy_env_info, device="cpu", to="all"):
        super().__init__(policy_env_info, device)
        self._directions = ALL if to == "all" else [to]

    def agent_policy(self, agent_id):
        return Agent(self.policy_env_info, self._directions)
'''

STEPS = 5  # of an episode of `two_teams`


@pytest.fixture
def settings(two_teams, tmp_path, monkeypatch):
    (tmp_path / "walker.py").write_text(WALKER)
    monkeypatch.syspath_prepend(tmp_path)
    yield {
        "missions": [two_teams(tmp_path)],
        "cogs": None,
        "policy": "class=lstm",
        "parallel_envs": 4,
        "total_steps": 192,
    }
    sys.modules.pop("walker", None)


def watched(trainer) -> list[dict[str, np.ndarray]]:
    """Return a list that gets the arrays of each step before the worlds play it."""
    worlds, seen = trainer.rollout.parts[0].worlds, []
    step = worlds.step

    def recorded() -> None:
        names = ("actions", "vibe_actions", "trained", "ages")
        seen.append({name: getattr(worlds, name).copy() for name in names})
        step()

    worlds.step = recorded
    return seen


def test_opponents_act_in_the_rows_of_the_other_team_which_do_not_count(small_trainer, settings):
    trainer = small_trainer(**settings, opponents=["class=walker.Walker"])
    seen = watched(trainer)
    actions = trainer.rollout.parts[0].worlds.programs[0].action_names
    experience = trainer.rollout.collect(np.zeros(16, np.int64))
    assert len(seen) == experience.horizon
    for number, step in enumerate(seen):
        assert step["trained"].reshape(4, 4).sum(1).tolist() == [2, 2, 2, 2]
        np.testing.assert_array_equal(experience.weights[:, number].numpy() > 0, step["trained"])
        chosen = experience.actions[:, number, 0].numpy()
        np.testing.assert_array_equal(step["actions"][step["trained"]], chosen[step["trained"]])
        for row in np.flatnonzero(~step["trained"]):
            direction = ["north", "east", "south", "west"][step["ages"][row // 4] % 4]
            assert actions[step["actions"][row]] == f"move_{direction}"
            assert step["vibe_actions"][row] == 0
    report = trainer.train_epoch()
    assert report.epoch_steps == report.agent_steps == 4 * 2 * 8


def test_each_world_meets_every_opponent_from_every_side(small_trainer, settings):
    names = [f"class=walker.Walker,kw.to={direction}" for direction in ("north", "south")]
    trainer = small_trainer(**settings, opponents=names, horizon=8 * STEPS)
    seen = watched(trainer)
    actions = trainer.rollout.parts[0].worlds.programs[0].action_names
    trainer.rollout.collect(np.zeros(16, np.int64))
    met = [set() for _ in range(4)]
    for step in seen:
        for world in range(4):
            rows = slice(4 * world, 4 * world + 4)
            side = tuple(np.flatnonzero(step["trained"][rows]).tolist())
            (action,) = {actions[action] for action in step["actions"][rows][~step["trained"][rows]]}
            met[world].add((side, action))
    sides = {side for side, _ in met[0]}
    assert len(sides) == 2 and all(len(side) == 2 for side in sides)
    everything = {(side, f"move_{direction}") for side in sides for direction in ("north", "south")}
    assert met == [everything] * 4


def test_rewards_of_opponents_are_not_reported(small_trainer, settings):
    """The opponents walk into a wall, so all rewards of an episode are the learner's."""
    trainer = small_trainer(**settings, opponents=["class=walker.Walker,kw.to=north"], horizon=4 * STEPS)
    trainer.rollout.collect(np.zeros(16, np.int64))
    episodes = trainer.rollout.take_episodes()
    assert episodes and all(len(episode.rewards) == 2 for episode in episodes)


def test_minibatches_leave_out_the_rows_of_opponents(small_trainer, settings):
    for sampling in ("sequential", "prioritized"):
        trainer = small_trainer(**settings, opponents=["self"], sampling=sampling, horizon=2, minibatch_size=4)
        experience = trainer.rollout.collect(np.zeros(16, np.int64))
        drawn = [rows for rows, _ in trainer._minibatches(experience, 0.0, {"advantage": 0.0})]
        learned = experience.weights.any(1)
        assert len(drawn) == -(-int(learned.sum()) // 2)
        assert all(learned[rows].all() for rows in drawn)


def test_the_pool_of_self_has_the_newest_checkpoints(small_trainer, settings):
    trainer = small_trainer(**settings, opponents=["self"], opponent_pool=2, checkpoint_every=2, learning_rate=0.01)
    expected = [trainer.weights()]
    for _ in trainer.train():
        if trainer.epoch % 2 == 0:
            expected.append(trainer.weights())
        pool = [actor.network.state_dict() for actor in trainer._pool.actors]
        newest = expected[-2:]
        assert len(pool) == len(newest)
        for weights in newest:
            assert any(all(torch.equal(tensor, own[name]) for name, tensor in weights.items()) for own in pool)
    assert trainer.epoch == 3 and not torch.equal(expected[0]["_value_head.weight"], expected[1]["_value_head.weight"])


@pytest.mark.parametrize(
    "opponents",
    [
        ["class=walker.Walker"],
        ["self"],
        ["class=sparse,kw.hidden_size=16,kw.embedding_size=16", "class=walker.Walker", "self"],
    ],
    ids=["scripted", "self", "all kinds"],
)
def test_a_run_against_opponents_repeats_and_continues_exactly(small_run, settings, opponents):
    settings |= {"opponents": opponents, "opponent_pool": 2, "checkpoint_every": 1, "learning_rate": 0.01}
    settings |= {"total_steps": 320}

    def outcome(run: str) -> tuple[dict, list]:
        result = small_run(run, **settings)
        weights = torch.load(result.run / f"model_{result.epochs:06d}.pt", weights_only=True)
        lines = [json.loads(line) for line in (result.run / "metrics.jsonl").read_text().splitlines()]
        return weights, [(line["agent_steps"], line["losses"], line["episode"]) for line in lines]

    weights, curve = outcome("whole")
    assert not small_run("parts", **settings, epochs=3).is_finished
    for other, other_curve in (outcome("again"), outcome("parts")):
        assert curve == other_curve
        assert all(torch.equal(tensor, other[name]) for name, tensor in weights.items())


def test_opponents_continue_with_their_memory_and_in_their_seats(small_trainer, settings):
    """The pool has grown since the running episodes began, so their opponents cannot be chosen again."""
    settings |= {"opponents": ["self"], "opponent_pool": 4, "checkpoint_every": 1}
    before, after = small_trainer(**settings), small_trainer(**settings)
    before.train_epoch()
    after.load_state(before.state(), before.weights())
    here, there = (trainer.rollout.parts[0].opponents.state() for trainer in (before, after))
    assert here["slots"] == there["slots"] == [0, 0, 0, 0]
    memory = here["memory"][0]["lstm_h"]
    trained = torch.from_numpy(before.rollout.parts[0].worlds.trained)
    assert memory[~trained].any(1).all()
    assert torch.equal(memory, there["memory"][0]["lstm_h"])
    seen = [watched(trainer) for trainer in (before, after)]
    for trainer in (before, after):
        trainer.train_epoch()
    for one, other in zip(*seen, strict=True):
        for name, array in one.items():
            np.testing.assert_array_equal(array, other[name], name)


def test_opponents_that_cannot_play_are_refused(small_run, settings):
    with pytest.raises(SettingError, match=r"opponents: tutorial\.miner has one team; .* such as four_score"):
        small_run("refused", opponents=["self"])
    with pytest.raises(SettingError, match=r"opponents: .*no_such_policy"):
        small_run("refused", **settings, opponents=["no_such_policy"])


def test_a_run_does_not_change_its_opponents(small_run, settings):
    small_run("run", **settings, opponents=["self"], epochs=1)
    with pytest.raises(SettingError, match="opponents: the run run has"):
        small_run("run", **settings, opponents=["class=walker.Walker"])
