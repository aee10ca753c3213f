"""PPO on a vector environment with pictures: collect, advantages, minibatches, report."""

from __future__ import annotations

import time
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
import torch
from torch import nn

from cogames_training.advantages import Steps, advantages
from cogames_training.losses import actor_loss, squared_critic_loss
from cogames_training.pictures.network import PictureNetwork

__all__ = ["Epoch", "PictureArgs", "Pictures", "learn"]


class Pictures(Protocol):
    """The part of Gymnasium's `VectorEnv` that is used; a finished episode is replaced in the next step."""

    num_envs: int

    def reset(self, *, seed: int | None = None) -> tuple[np.ndarray, dict[str, Any]]: ...

    def step(self, actions: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray, dict[str, Any]]: ...


@dataclass
class PictureArgs:
    total_steps: int = 80_000
    """actions of all environments together"""
    horizon: int = 32
    """actions of each environment before an update"""
    minibatches: int = 2
    update_epochs: int = 3
    learning_rate: float = 2e-3
    """at the beginning; it falls to zero"""
    gamma: float = 0.9
    gae_lambda: float = 0.9
    clip_coef: float = 0.2
    ent_coef: float = 0.005
    vf_coef: float = 0.5
    max_grad_norm: float = 0.5
    reward_scale: float = 1.0
    """multiplies every reward before learning"""
    seed: int = 1
    """seeds the environments, the drawn actions and the minibatches"""


@dataclass(frozen=True)
class Epoch:
    """What one update saw."""

    steps: int
    """actions so far"""
    seconds: float
    """since the start"""
    reward_per_step: float
    """mean reward of an action, unscaled"""
    entropy: float
    value_loss: float


@dataclass
class _Rollout:
    """The actions of one horizon, [envs, horizon]."""

    pixels: torch.Tensor  # uint8 [envs, horizon, stack, seen, seen]
    actions: torch.Tensor
    log_probs: torch.Tensor
    values: torch.Tensor  # [envs, horizon + 1]
    steps: Steps
    weights: torch.Tensor
    """0 where the action was ignored because the step started an episode"""


def learn(environment: Pictures, network: PictureNetwork, args: PictureArgs) -> Iterator[Epoch]:
    """Train a network in place; yield after each update."""
    started, done = time.perf_counter(), 0
    generator = torch.Generator().manual_seed(args.seed)
    optimizer = torch.optim.Adam(network.parameters(), args.learning_rate, eps=1e-5)
    observations, _ = environment.reset(seed=args.seed)
    collector = _Collector(environment, network, observations, generator)
    while done < args.total_steps:
        for group in optimizer.param_groups:
            group["lr"] = args.learning_rate * (1 - done / args.total_steps)
        rollout = collector.collect(args)
        done += rollout.actions.numel()
        entropy, value_loss = _update(network, optimizer, rollout, args, generator)
        reward = float(rollout.steps.rewards.mean()) / args.reward_scale
        yield Epoch(done, time.perf_counter() - started, reward, entropy, value_loss)


class _Collector:
    def __init__(
        self, environment: Pictures, network: PictureNetwork, observations: np.ndarray, generator: torch.Generator
    ) -> None:
        self._environment, self._network, self._generator = environment, network, generator
        self._pixels = network.look(observations)
        self._starts = torch.zeros(environment.num_envs)  # 1 where the next step starts an episode

    @torch.no_grad()
    def collect(self, args: PictureArgs) -> _Rollout:
        shape = (self._environment.num_envs, args.horizon)
        pixels = torch.zeros(*shape, *self._pixels.shape[1:], dtype=torch.uint8)
        actions = torch.zeros(shape, dtype=torch.int64)
        log_probs, rewards, continues, truncated, weights = torch.zeros(5, *shape)
        values = torch.zeros(shape[0], args.horizon + 1)
        for t in range(args.horizon):
            logits, values[:, t] = self._network(self._pixels)
            chances = logits.log_softmax(-1)
            actions[:, t] = torch.multinomial(chances.exp(), 1, generator=self._generator)[:, 0]
            log_probs[:, t] = chances.gather(-1, actions[:, t : t + 1])[:, 0]
            pixels[:, t], weights[:, t] = self._pixels, 1 - self._starts
            observations, reward, terminations, truncations, _ = self._environment.step(actions[:, t].numpy())
            self._pixels = self._network.look(observations)
            self._starts = torch.from_numpy(terminations | truncations).float()
            rewards[:, t] = torch.from_numpy(reward) * args.reward_scale
            continues[:, t], truncated[:, t] = 1 - self._starts, torch.from_numpy(truncations).float()
        values[:, -1] = self._network(self._pixels)[1]
        steps = Steps(rewards, continues, truncated * values[:, 1:])
        return _Rollout(pixels, actions, log_probs, values, steps, weights)


def _update(
    network: PictureNetwork,
    optimizer: torch.optim.Optimizer,
    rollout: _Rollout,
    args: PictureArgs,
    generator: torch.Generator,
) -> tuple[float, float]:
    """Take the gradient steps of one rollout; return the mean entropy and critic loss."""
    gains = advantages(
        rollout.values, rollout.steps, torch.ones_like(rollout.log_probs), gamma=args.gamma, gae_lambda=args.gae_lambda
    )
    returns = (gains + rollout.values[:, :-1]).flatten()
    pixels, actions = rollout.pixels.flatten(0, 1), rollout.actions.flatten()
    log_probs, values, weights = (
        rollout.log_probs.flatten(),
        rollout.values[:, :-1].flatten(),
        rollout.weights.flatten(),
    )
    gains = gains.flatten()
    entropies, errors = [], []
    for _ in range(args.update_epochs):
        for rows in torch.randperm(len(actions), generator=generator).chunk(args.minibatches):
            logits, estimates = network(pixels[rows])
            chances = logits.log_softmax(-1)
            taken = chances.gather(-1, actions[rows, None])[:, 0]
            gain = gains[rows]
            gain = (gain - gain.mean()) / (gain.std() + 1e-8)
            actor = actor_loss(taken, log_probs[rows], gain, weights[rows], clip_coef=args.clip_coef)
            error = squared_critic_loss(estimates, values[rows], returns[rows], weights[rows], vf_clip=0.0)
            entropy = -(chances.exp() * chances).sum(-1).mean()
            optimizer.zero_grad()
            (actor.loss + args.vf_coef * error - args.ent_coef * entropy).backward()
            nn.utils.clip_grad_norm_(network.parameters(), args.max_grad_norm)
            optimizer.step()
            entropies.append(entropy.item())
            errors.append(error.item())
    return float(np.mean(entropies)), float(np.mean(errors))
