"""The advantage formula: V-trace with clipped ratios, cut where an episode ends."""

import numpy as np
import pytest
import torch

from cogames_training.advantages import Steps, advantages


def documented(values, rewards, dones, ratio, gamma, gae_lambda, rho_clip, c_clip):
    """The documented scan for one segment: rewards and dones arrive with the observation after the action."""
    result = np.zeros(len(values))
    for t in range(len(values) - 2, -1, -1):
        n = 1 - dones[t + 1]
        delta = min(ratio[t], rho_clip) * (rewards[t + 1] + gamma * values[t + 1] * n - values[t])
        result[t] = delta + gamma * gae_lambda * min(ratio[t], c_clip) * result[t + 1] * n
    return result


@pytest.mark.parametrize("length", [1, 2, 3, 64])
@pytest.mark.parametrize(("rho_clip", "c_clip"), [(1.0, 1.0), (0.8, 1.3)])
def test_the_documented_formula(length, rho_clip, c_clip):
    draws = np.random.default_rng(length)
    rows = 50
    values, rewards = draws.normal(size=(rows, length + 1)), draws.normal(size=(rows, length + 1))
    dones = draws.random((rows, length + 1)) < 0.2
    ratio = np.exp(draws.normal(size=(rows, length + 1)))
    clips = {"rho_clip": rho_clip, "c_clip": c_clip}
    expected = [documented(*row, 0.97, 0.9, **clips) for row in zip(values, rewards, dones, ratio, strict=True)]

    steps = Steps(
        rewards=torch.tensor(rewards[:, 1:]),
        continues=torch.tensor(1.0 - dones[:, 1:]),
        bootstrap=torch.zeros(rows, length, dtype=torch.float64),
    )
    found = advantages(torch.tensor(values), steps, torch.tensor(ratio[:, :-1]), gamma=0.97, gae_lambda=0.9, **clips)
    # The last entry of the documented scan is 0, because it knows no step after it.
    np.testing.assert_allclose(found.numpy(), np.array(expected)[:, :-1], atol=1e-6)


@pytest.mark.parametrize("length", [1, 2, 64])
def test_the_native_scan_equals_the_one_with_gradients(length):
    generator = torch.Generator().manual_seed(length)
    values, ratio = torch.randn(20, length + 1, generator=generator), torch.rand(20, length, generator=generator)
    continues = (torch.rand(20, length, generator=generator) < 0.8).float()
    steps = Steps(torch.randn(20, length, generator=generator), continues, torch.zeros(20, length))
    native = advantages(values, steps, ratio, gamma=0.97, gae_lambda=0.9)
    assert not native.requires_grad
    other = advantages(values.requires_grad_(), steps, ratio, gamma=0.97, gae_lambda=0.9)
    torch.testing.assert_close(native, other.detach(), atol=1e-6, rtol=1e-5)


def test_a_truncated_episode_is_worth_what_follows_it():
    steps = Steps(torch.tensor([[1.0, 1.0]]), torch.tensor([[0.0, 1.0]]), torch.tensor([[5.0, 0.0]]))
    values = torch.tensor([[2.0, 3.0, 4.0]])
    found = advantages(values, steps, torch.ones(1, 2), gamma=0.5, gae_lambda=1.0)
    assert found.tolist() == [[1 + 0.5 * 5 - 2, 1 + 0.5 * 4 - 3]]
