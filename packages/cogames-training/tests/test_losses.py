"""The losses equal the formulas of the documents, written out step by step."""

import math

import pytest
import torch

from cogames_training import losses


def drawn(*shape: int) -> torch.Tensor:
    return torch.randn(*shape, generator=torch.Generator().manual_seed(sum(shape)), dtype=torch.float64)


WEIGHTS = torch.tensor([[1.0, 1.0, 0.0, 1.0], [0.0, 1.0, 1.0, 1.0]], dtype=torch.float64)
COUNTED = [(row, step) for row in range(2) for step in range(4) if WEIGHTS[row, step]]


def test_the_actor_loss_is_clipped_on_the_side_that_would_gain():
    new, old, advantages = drawn(2, 4), drawn(2, 4, 1)[..., 0] * 0.5, drawn(4, 2).T
    result = losses.actor_loss(new, old, advantages, WEIGHTS, clip_coef=0.2)
    terms, kl, outside = [], [], 0
    for at in COUNTED:
        ratio, advantage = math.exp(float(new[at] - old[at])), float(advantages[at])
        terms.append(max(-advantage * ratio, -advantage * min(max(ratio, 0.8), 1.2)))
        kl.append(ratio - 1 - math.log(ratio))
        outside += abs(ratio - 1) > 0.2
    assert float(result.loss) == pytest.approx(sum(terms) / len(terms))
    assert float(result.approx_kl) == pytest.approx(sum(kl) / len(kl))
    assert float(result.clipped) == pytest.approx(outside / len(terms))


def test_log_ratios_are_clamped():
    far = losses.actor_loss(torch.tensor([50.0]), torch.tensor([0.0]), torch.ones(1), torch.ones(1), clip_coef=0.2)
    assert float(far.ratio) == pytest.approx(math.exp(10))


@pytest.mark.parametrize("clip", [0.0, 0.2])
def test_the_critic_loss_takes_the_larger_error_of_both_values(clip):
    values, old, returns = drawn(2, 4), drawn(4, 2).T, drawn(2, 4, 1)[..., 0]
    errors = []
    for at in COUNTED:
        value, before, target = float(values[at]), float(old[at]), float(returns[at])
        error = (value - target) ** 2
        if clip:
            error = max(error, (before + min(max(value - before, -clip), clip) - target) ** 2)
        errors.append(error)
    result = losses.squared_critic_loss(values, old, returns, WEIGHTS, vf_clip=clip)
    assert float(result) == pytest.approx(0.5 * sum(errors) / len(errors))


def test_the_gradient_critic_follows_the_corrected_direction():
    """Its gradient is that of mean(h * differences) - mean((fixed differences - h) * values)."""
    values = drawn(2, 4).requires_grad_()
    auxiliary = drawn(4, 2).T.contiguous().requires_grad_()
    head = drawn(3).requires_grad_()
    differences = 0.5 * torch.roll(values, -1, 1) - values + 1
    critic, aux = losses.gradient_critic_loss(values, auxiliary, differences, WEIGHTS, [head], beta=2.0)
    h, fixed = auxiliary.detach(), differences.detach()
    count = WEIGHTS.sum()
    expected = (h * differences * WEIGHTS).sum() / count - ((fixed - h) * values * WEIGHTS).sum() / count
    (gradient,) = torch.autograd.grad(critic, values, retain_graph=True)
    (same,) = torch.autograd.grad(expected, values)
    torch.testing.assert_close(gradient, same)
    size = 0.5 * 2.0 * (head**2).mean().item()
    assert aux.item() == pytest.approx(0.5 * float(((fixed - h) ** 2 * WEIGHTS).sum() / count) + size)
    assert torch.autograd.grad(aux, values, allow_unused=True) == (None,)


def test_cloning_and_kickstarting_count_only_weighted_steps():
    log_probs = drawn(2, 4)
    expected = -sum(float(log_probs[at]) for at in COUNTED) / len(COUNTED)
    assert float(losses.cloning_loss(log_probs, WEIGHTS)) == pytest.approx(expected)
    student, teacher, weights = drawn(8, 5), drawn(5, 8).T, WEIGHTS.flatten()
    terms = []
    for row in range(8):
        p, q = torch.softmax(student[row] / 2, 0), torch.softmax(teacher[row] / 2, 0)
        terms.append(float(weights[row] * (p * (p / q).log()).sum()))
    result = losses.kickstarting_loss(student, teacher, weights, temperature=2.0)
    assert float(result) == pytest.approx(4 * sum(terms) / float(weights.sum()))
    assert float(losses.kickstarting_loss(student, student, weights, temperature=2.0)) == pytest.approx(0, abs=1e-9)


def test_a_minibatch_without_steps_that_count_has_no_loss():
    assert float(losses.mean_over(drawn(2, 4), torch.zeros(2, 4))) == 0
