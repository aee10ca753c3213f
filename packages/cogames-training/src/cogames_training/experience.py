"""The steps of one rollout, on the learner's device: one row per agent, `horizon` steps each."""

from __future__ import annotations

from dataclasses import dataclass
from enum import IntEnum

import torch

from cogames_training.actor import State
from cogames_training.advantages import Steps

__all__ = ["Experience", "Kind"]


class Kind(IntEnum):
    """The actor of a row during a rollout, and what is learned from it."""

    PPO = 0
    """the student acts and learns from rewards"""
    STUDENT_LED = 1
    """the student acts and learns the teacher's actions"""
    TEACHER_LED = 2
    """the teacher acts and the student learns its actions"""


@dataclass
class Experience:
    """Segments of steps. R rows, T steps; everything is on one device."""

    observations: torch.Tensor
    """uint8 [R, T, tokens, 3]"""
    actions: torch.Tensor
    """int64 [R, T, 2]: primary action, and 0 or 1 + vibe"""
    log_probs: torch.Tensor
    """float32 [R, T], of the actions when they were taken; 0 where the teacher took them"""
    ratio: torch.Tensor
    """float32 [R, T], of the action's probability to that when it was taken; updated with each minibatch"""
    values: torch.Tensor
    """float32 [R, T + 1], the critic's; updated with each minibatch. The last column is the step after the rollout"""
    steps: Steps
    """what followed each action"""
    weights: torch.Tensor
    """float32 [R, T], 0 where the row had no agent to train"""
    resets: torch.Tensor
    """bool [R, T], true where an episode begins"""
    labels: torch.Tensor
    """int64 [R, T, 2], the teacher's actions; -1 where there is none"""
    kinds: torch.Tensor
    """int64 [R], a `Kind`"""
    state: State
    """the network's memory before the first step"""
    teacher_logits: torch.Tensor | None = None
    """float32 [R, T, actions], of a teacher with a network"""
    teacher_values: torch.Tensor | None = None
    """float32 [R, T]"""

    @property
    def rows(self) -> int:
        return self.observations.shape[0]

    @property
    def horizon(self) -> int:
        return self.observations.shape[1]
