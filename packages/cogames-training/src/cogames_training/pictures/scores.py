"""Play whole episodes and compare the rewards of two players."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import torch

from cogames_training.pictures.network import PictureNetwork
from cogames_training.pictures.ppo import Pictures

__all__ = ["Scores", "play"]


@dataclass(frozen=True)
class Scores:
    """The rewards of whole episodes."""

    rewards: np.ndarray

    @property
    def mean(self) -> float:
        return float(self.rewards.mean())

    @property
    def half_width(self) -> float:
        """Half of the 95 % interval of the mean."""
        return float(1.96 * self.rewards.std(ddof=1) / np.sqrt(len(self.rewards)))

    @property
    def low(self) -> float:
        return self.mean - self.half_width

    @property
    def high(self) -> float:
        return self.mean + self.half_width


@torch.no_grad()
def play(environment: Pictures, network: PictureNetwork | None, *, seed: int, num_actions: int, steps: int) -> Scores:
    """Play one episode in each environment, with draws from the network's policy, or (None) with random actions.

    Raises ValueError if an episode does not end within `steps` actions.
    """
    generator = torch.Generator().manual_seed(seed)
    observations, _ = environment.reset(seed=seed)
    rewards = np.zeros(environment.num_envs)
    is_over = np.zeros(environment.num_envs, np.bool_)
    for _ in range(steps):
        if network is None:
            actions = torch.randint(num_actions, (environment.num_envs,), generator=generator)
        else:
            logits, _ = network(network.look(observations))
            actions = torch.multinomial(logits.softmax(-1), 1, generator=generator)[:, 0]
        observations, reward, terminated, truncated, _ = environment.step(actions.numpy())
        rewards += np.where(is_over, 0, reward)
        is_over |= terminated | truncated
        if is_over.all():
            return Scores(rewards)
    raise ValueError(f"{int((~is_over).sum())} of {environment.num_envs} episodes did not end in {steps} actions")
