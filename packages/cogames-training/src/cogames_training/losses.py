"""The losses of a minibatch: means with weights, which are 0 for steps that do not count."""

from __future__ import annotations

from dataclasses import dataclass

import torch
from torch.nn import functional

__all__ = [
    "ActorLoss",
    "actor_loss",
    "cloning_loss",
    "gradient_critic_loss",
    "kickstarting_loss",
    "mean_over",
    "squared_critic_loss",
]

LARGEST_LOG_RATIO = 10.0


def mean_over(values: torch.Tensor, weights: torch.Tensor) -> torch.Tensor:
    """Return the mean with weights; 0 if all weights are 0."""
    return (values * weights).sum() / weights.sum().clamp(min=1e-8)


@dataclass
class ActorLoss:
    loss: torch.Tensor
    ratio: torch.Tensor
    """probability of each action now, divided by its probability when it was taken"""
    approx_kl: torch.Tensor
    old_approx_kl: torch.Tensor
    clipped: torch.Tensor
    """part of the ratios outside the clipping range"""


def actor_loss(
    log_probs: torch.Tensor,
    old_log_probs: torch.Tensor,
    advantages: torch.Tensor,
    weights: torch.Tensor,
    *,
    clip_coef: float,
) -> ActorLoss:
    """Return PPO's clipped loss: -min(ratio * advantage, clipped ratio * advantage)."""
    log_ratio = (log_probs - old_log_probs).clamp(-LARGEST_LOG_RATIO, LARGEST_LOG_RATIO)
    ratio = log_ratio.exp()
    clipped = ratio.clamp(1 - clip_coef, 1 + clip_coef)
    with torch.no_grad():
        approx_kl = mean_over((ratio - 1) - log_ratio, weights)
        old_approx_kl = mean_over(-log_ratio, weights)
        outside = mean_over(((ratio - 1).abs() > clip_coef).float(), weights)
    loss = mean_over(torch.maximum(-advantages * ratio, -advantages * clipped), weights)
    return ActorLoss(loss, ratio.detach(), approx_kl, old_approx_kl, outside)


def squared_critic_loss(
    values: torch.Tensor,
    old_values: torch.Tensor,
    returns: torch.Tensor,
    weights: torch.Tensor,
    *,
    vf_clip: float,
) -> torch.Tensor:
    """Return half the squared error; with `vf_clip` the larger one of the value's and that of the clipped value."""
    error = (values - returns) ** 2
    if vf_clip > 0:
        moved = old_values + (values - old_values).clamp(-vf_clip, vf_clip)
        error = torch.maximum(error, (moved - returns) ** 2)
    return 0.5 * mean_over(error, weights)


def gradient_critic_loss(
    values: torch.Tensor,
    auxiliary: torch.Tensor,
    differences: torch.Tensor,
    weights: torch.Tensor,
    auxiliary_parameters: list[torch.Tensor],
    *,
    beta: float,
) -> tuple[torch.Tensor, torch.Tensor]:
    """Return the critic's and the auxiliary head's loss of gradient TD(lambda).

    `differences` are the lambda-weighted temporal differences, with gradients; the auxiliary head learns to predict
    them.
    """
    fixed, predicted = differences.detach(), auxiliary.detach()
    critic = mean_over(predicted * differences, weights) - mean_over((fixed - predicted) * values, weights)
    size = torch.stack([(parameter**2).mean() for parameter in auxiliary_parameters]).mean()
    return critic, 0.5 * mean_over((fixed - auxiliary) ** 2, weights) + 0.5 * beta * size


def cloning_loss(log_probs_of_labels: torch.Tensor, weights: torch.Tensor) -> torch.Tensor:
    """Return minus the mean log-probability of the teacher's actions."""
    return -mean_over(log_probs_of_labels, weights)


def kickstarting_loss(
    logits: torch.Tensor, teacher_logits: torch.Tensor, weights: torch.Tensor, *, temperature: float
) -> torch.Tensor:
    """Return the divergence of the student from a teacher network, both softened by the temperature."""
    student = functional.log_softmax(logits / temperature, -1)
    teacher = functional.log_softmax(teacher_logits / temperature, -1)
    divergence = (student.exp() * (student - teacher)).sum(-1)
    return temperature**2 * mean_over(divergence, weights)
