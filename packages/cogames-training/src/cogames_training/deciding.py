"""Decide for the rows of a part: the network's step, the drawn actions, and the teacher's where it leads.

On a GPU the step can be a CUDA graph: recorded once, then replayed without Python in between.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import torch

from cogames_training.actor import Actor, Heads, State

__all__ = ["Decider", "Decision", "engine_actions", "pairs"]

WARM_UP = 3  # steps before a graph is recorded, in which kernels are compiled and memory is reserved


@dataclass
class Decision:
    """One row per agent, on the device. With a graph the tensors are overwritten by the next decision."""

    actions: torch.Tensor
    """int64 [rows, 2]: primary action, and 0 or 1 + vibe"""
    log_probs: torch.Tensor
    """float32 [rows], by the student"""
    values: torch.Tensor
    """float32 [rows]"""
    taught: Heads | None = None
    """outputs of a teacher with a network"""


def pairs(labels: torch.Tensor, num_actions: int, noop: int) -> torch.Tensor:
    """Return engine ids [...] as pairs [..., 2] of a primary action and 0 or 1 + vibe; -1 stays -1 in both."""
    is_vibe = labels >= num_actions
    primary = torch.where(is_vibe, noop, labels)
    return torch.stack([primary, torch.where(is_vibe, labels - num_actions + 1, labels.clamp(max=0))], -1)


def engine_actions(chosen: np.ndarray, num_actions: int, noop: int) -> tuple[np.ndarray, np.ndarray]:
    """Return the actions and vibe actions of the engine [rows] for pairs [rows, 2].

    Some networks have no vibe head but list the vibes after the primary actions: those are vibe actions, too.
    """
    primary, vibe = chosen[:, 0], chosen[:, 1]
    if not vibe.any() and primary.max(initial=0) < num_actions:
        return primary, vibe
    is_vibe = primary >= num_actions
    vibes = np.where(is_vibe, primary, np.where(vibe > 0, num_actions - 1 + vibe, 0))
    return np.where(is_vibe, noop, primary), vibes


class Decider:
    """Decides for one part; `state` is the network's memory of its rows, which every decision changes in place."""

    def __init__(
        self,
        actor: Actor,
        state: State,
        num_actions: int,
        noop: int,
        generator: torch.Generator,
        *,
        rows: int,
        teacher: Actor | None = None,
        graph: bool = False,
    ) -> None:
        self._actor, self._state, self._teacher = actor, state, teacher
        self._num_actions, self._noop, self._generator = num_actions, noop, generator
        self.teacher_state: State = {} if teacher is None else teacher.initial_state(rows)
        self._recorded: _Recorded | None = None
        self._until_recorded = WARM_UP if graph and teacher is None else -1

    def decide(self, seen: torch.Tensor, resets: np.ndarray, labels: np.ndarray, is_led: torch.Tensor) -> Decision:
        """Decide on observations uint8 [rows, tokens, 3].

        `resets` are the rows whose episode begins, `labels` the teacher's engine ids (-1: none), and `is_led` the rows
        in which the teacher acts.
        """
        here = torch.from_numpy(resets), torch.from_numpy(labels)
        if not seen.is_cuda:  # looking at the rows costs nothing here, while each operation on few rows does
            return self._decide_here(seen, here[0] if resets.any() else None, here[1], is_led)
        if self._recorded is not None and self._recorded.fits(seen):
            return self._recorded.replay(seen, *here, is_led)
        given = seen, here[0].to(seen.device), here[1].to(seen.device), is_led
        if self._until_recorded == 0:
            self._recorded = _Recorded(self, self._generator, *given)
            return self._recorded.replay(*given)
        self._until_recorded -= self._until_recorded > 0
        return self.step(*given)

    def _decide_here(
        self, seen: torch.Tensor, resets: torch.Tensor | None, labels: torch.Tensor, is_led: torch.Tensor
    ) -> Decision:
        if self._teacher is not None or int(labels.max()) >= 0:
            return self.step(seen, resets, labels, is_led)
        if resets is not None:
            for tensor in self._state.values():
                tensor[resets] = 0.0
        played = self._actor.play(seen, self._state, self._generator)
        return self.step(seen, None, labels, None) if played is None else Decision(*played)

    @torch.no_grad()
    def step(
        self, seen: torch.Tensor, resets: torch.Tensor | None, labels: torch.Tensor, is_led: torch.Tensor | None
    ) -> Decision:
        """Decide with everything on the device. None for `resets` or `is_led` means that no row has the flag."""
        before = _reset(self._state, resets)
        heads = self._actor.step(seen, before)
        for name, tensor in before.items():
            self._state[name].copy_(tensor)
        if is_led is None and self._teacher is None:
            actions, log_probs = heads.draw(self._generator)
            return Decision(actions, log_probs, heads.values)
        actions = heads.sample(self._generator)
        taught = None
        if self._teacher is not None:
            memory = _reset(self.teacher_state, resets)
            taught = self._teacher.step(seen, memory)
            for name, tensor in memory.items():
                self.teacher_state[name].copy_(tensor)
            labels = taught.logits.argmax(-1)
        if is_led is not None:
            led = is_led & (labels >= 0)
            actions = torch.where(led[:, None], pairs(labels, self._num_actions, self._noop), actions)
        known = actions
        if heads.vibes is None and is_led is not None:  # the student could not have chosen a vibe
            known = torch.stack([actions[:, 0], torch.zeros_like(actions[:, 1])], -1)
        return Decision(actions, heads.log_probs(known), heads.values, taught)


class _Recorded:
    """A decision as a CUDA graph, with its inputs and outputs in fixed places."""

    def __init__(self, decider: Decider, generator: torch.Generator, *inputs: torch.Tensor) -> None:
        self._inputs = [tensor.clone() for tensor in inputs]
        kept = {name: tensor.clone() for name, tensor in decider._state.items()}
        self._graph = torch.cuda.CUDAGraph()
        self._graph.register_generator_state(generator)
        with torch.cuda.graph(self._graph):
            self._decision = decider.step(*self._inputs)
        for name, tensor in kept.items():
            decider._state[name].copy_(tensor)

    def fits(self, seen: torch.Tensor) -> bool:
        return seen.shape == self._inputs[0].shape

    def replay(self, *inputs: torch.Tensor) -> Decision:
        for place, tensor in zip(self._inputs, inputs, strict=True):
            place.copy_(tensor, non_blocking=True)
        self._graph.replay()
        return self._decision


def _reset(state: State, resets: torch.Tensor | None) -> State:
    """Return the memory, zeroed in the rows whose episode begins."""
    if resets is None:
        return dict(state)
    return {name: tensor * _kept(resets, tensor) for name, tensor in state.items()}


def _kept(resets: torch.Tensor, like: torch.Tensor) -> torch.Tensor:
    return (~resets).to(like.dtype).reshape(-1, *[1] * (like.ndim - 1))
