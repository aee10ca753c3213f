"""Advantages: how much better an action was than the critic expected."""

from __future__ import annotations

from dataclasses import dataclass

import torch
from mettagrid._native import sum_backwards

__all__ = ["Steps", "advantages", "temporal_differences"]


@dataclass
class Steps:
    """What followed each action, float32 [segments, steps].

    `rewards` is the reward after the action. `continues` is 0 where the episode ended with the step, else 1.
    `bootstrap` is the value of what follows where the episode ended: 0 after a terminal step, the value of the last
    observation after a truncated one.
    """

    rewards: torch.Tensor
    continues: torch.Tensor
    bootstrap: torch.Tensor

    def __getitem__(self, rows: torch.Tensor) -> Steps:
        return Steps(self.rewards[rows], self.continues[rows], self.bootstrap[rows])


def temporal_differences(values: torch.Tensor, steps: Steps, gamma: float) -> torch.Tensor:
    """Return reward + gamma * next value - value, [segments, steps]; `values` is [segments, steps + 1]."""
    following = torch.where(steps.continues > 0, values[:, 1:], steps.bootstrap)
    return steps.rewards + gamma * following - values[:, :-1]


def advantages(
    values: torch.Tensor,
    steps: Steps,
    ratio: torch.Tensor,
    *,
    gamma: float,
    gae_lambda: float,
    rho_clip: float = 1.0,
    c_clip: float = 1.0,
) -> torch.Tensor:
    """Return the advantages [segments, steps], from the last step to the first:

        A[t] = min(ratio[t], rho_clip) * difference[t]
             + gamma * gae_lambda * min(ratio[t], c_clip) * continues[t] * A[t+1]

    `ratio` is the probability of the action now, divided by its probability when it was taken: 1 for fresh data, where
    this is generalized advantage estimation; with other ratios, V-trace. Gradients flow through `values`.
    """
    differences = ratio.clamp(max=rho_clip) * temporal_differences(values, steps, gamma)
    decays = gamma * gae_lambda * ratio.clamp(max=c_clip) * steps.continues
    is_native = differences.device.type == "cpu" and differences.dtype == torch.float32
    if is_native and not differences.requires_grad:
        sums = torch.empty(differences.shape)
        sum_backwards(differences.contiguous().numpy(), decays.contiguous().numpy(), sums.numpy())
        return sums
    # Step by step over contiguous columns.
    column, decay = differences.T.contiguous(), decays.T.contiguous()
    result = [column[-1]]
    for t in range(len(column) - 2, -1, -1):
        result.append(torch.addcmul(column[t], decay[t], result[-1]))
    return torch.stack(result[::-1], dim=1)
