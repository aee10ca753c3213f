"""Rollouts: the memory of networks, ends of episodes, and what the update sees again."""

import sys

import numpy as np
import pytest
import torch

FOREIGN = '''
import torch
from torch import nn
from mettagrid.policy.policy import MultiAgentPolicy


class Network(nn.Module):
    """A recurrent network with the published interface and nothing else; its state is [agents, layers, size]."""

    hidden_size = 8

    def __init__(self, tokens, actions):
        super().__init__()
        self.read, self.rnn = nn.Linear(tokens * 3, 8), nn.LSTM(8, 8, batch_first=True)
        self.choose, self.value = nn.Linear(8, actions), nn.Linear(8, 1)

    def forward(self, observations, state=None):
        batch = observations.shape[0]
        steps = observations.shape[1] if observations.dim() == 4 else 1
        features = self.read(observations.reshape(batch, steps, -1).float() / 255)
        memory = None
        if state and state.get("lstm_h") is not None:
            memory = tuple(state[name].transpose(0, 1).contiguous() for name in ("lstm_h", "lstm_c"))
        features, (h, c) = self.rnn(features, memory)
        if state is not None:
            state["lstm_h"], state["lstm_c"] = h.transpose(0, 1), c.transpose(0, 1)
        flat = features.reshape(batch * steps, -1)
        return self.choose(flat), self.value(flat)

    forward_eval = forward


class Policy(MultiAgentPolicy):
    def __init__(self, policy_env_info, device="cpu"):
        super().__init__(policy_env_info, device)
        self._network = Network(policy_env_info.observation_space.shape[0], len(policy_env_info.action_names))

    def network(self):
        return self._network

    def is_recurrent(self):
        return True

    def agent_policy(self, agent_id):
        raise NotImplementedError
'''

NETWORKS = ["lstm", "sparse", "stateless", "tutorial", "pufferlib_cogs", "puffer", "token", "foreign_lstm.Policy"]


@pytest.fixture
def foreign(tmp_path, monkeypatch):
    (tmp_path / "foreign_lstm.py").write_text(FOREIGN)
    monkeypatch.syspath_prepend(tmp_path)
    yield
    sys.modules.pop("foreign_lstm", None)


def collected(trainer):
    trainer.actor.set_training(False)
    return trainer.rollout.collect(np.zeros(trainer.sizes.rows, np.int64))


@pytest.mark.parametrize("policy", NETWORKS)
def test_the_update_repeats_the_numbers_of_the_rollout(small_trainer, corridor, foreign, policy):
    """Before the first gradient step all ratios are 1, across the ends of episodes and with memory of earlier ones."""
    trainer = small_trainer(
        missions=[corridor("#@..M#", steps=5)], cogs=None, policy=f"class={policy}", parallel_envs=6, horizon=12
    )
    for _ in range(2):  # the second rollout begins inside of episodes
        experience = collected(trainer)
    trainer.actor.set_training(True)
    assert experience.resets[:, 1:].any() and not experience.resets[:, 0].all()
    with torch.no_grad():
        heads = trainer.actor.unroll(experience.observations, experience.state, experience.resets)
    shape = experience.log_probs.shape
    log_probs = heads.log_probs(experience.actions.flatten(0, 1)).reshape(shape)
    torch.testing.assert_close((log_probs - experience.log_probs).exp(), torch.ones(shape), atol=1e-5, rtol=0)
    torch.testing.assert_close(heads.values.reshape(shape), experience.values[:, :-1], atol=1e-5, rtol=1e-5)


@pytest.mark.parametrize("policy", ["lstm", "sparse", "foreign_lstm.Policy"])
def test_two_rollouts_of_8_steps_equal_one_of_16(small_trainer, corridor, foreign, policy):
    settings = {"missions": [corridor("#@..M#", steps=5)], "cogs": None, "policy": f"class={policy}"}
    short, long = small_trainer(**settings, horizon=8), small_trainer(**settings, horizon=16)
    whole = collected(long)
    halves = [collected(short) for _ in range(2)]
    for name in ("actions", "log_probs", "resets"):
        torch.testing.assert_close(torch.cat([getattr(half, name) for half in halves], 1), getattr(whole, name))
    values = torch.cat([halves[0].values[:, :-1], halves[1].values], 1)
    torch.testing.assert_close(values, whole.values)
    # The value after the first half is the value of the step that begins the second, unless an episode begins there.
    inside = ~halves[1].resets[:, 0]
    torch.testing.assert_close(halves[0].values[inside, -1], halves[1].values[inside, 0])


def test_a_truncated_episode_is_bootstrapped_and_a_terminated_one_is_not(small_trainer, corridor):
    for truncates in (True, False):
        mission = corridor("#@..M#", steps=5, truncates=truncates)
        trainer = small_trainer(missions=[mission], cogs=None, policy="class=sparse", horizon=12)
        last = {row: trainer.rollout.parts[0].worlds._last_steps[row] for row in range(2)}
        steps = collected(trainer).steps
        ended = steps.continues == 0
        assert ended.sum() >= 4
        assert not steps.bootstrap[~ended].any()
        for row in range(2):
            first, *others = torch.nonzero(ended[row])[:, 0].tolist()
            # The trainer cuts the first episodes to stagger the worlds: that is never the end of the game.
            assert bool(steps.bootstrap[row, first]) == (truncates or last[row] < 5)
            assert all(bool(steps.bootstrap[row, other]) == truncates for other in others)


def test_a_truncated_episode_is_worth_the_value_of_its_last_observation(small_trainer, corridor):
    mission = corridor("#@..M#", steps=5, truncates=True)
    trainer = small_trainer(missions=[mission], cogs=None, policy="class=stateless", horizon=12, parallel_envs=1)
    worlds = trainer.rollout.parts[0].worlds
    finals, step = [], worlds.step

    def watched() -> None:
        step()
        finals.extend(torch.from_numpy(observations.copy()) for _, _, observations in worlds.finals)

    worlds.step = watched
    steps = collected(trainer).steps
    with torch.no_grad():
        expected = torch.cat([trainer.actor.step(seen, {}).values for seen in finals])
    torch.testing.assert_close(steps.bootstrap[steps.continues == 0], expected)


@pytest.mark.parametrize("policy", ["token", "sparse,kw.vibes=true"])
def test_vibes_that_a_network_chooses_change_the_vibe(small_trainer, policy):
    trainer = small_trainer(policy=f"class={policy}", missions=["arena"], cogs=None, parallel_envs=1, horizon=16)
    collected(trainer)
    agents = trainer.rollout.parts[0].worlds.batch.worlds[0].get_episode_stats()["agent"]
    assert sum(agent.get("action.change_vibe.success", 0) for agent in agents) > 16
