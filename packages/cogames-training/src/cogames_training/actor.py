"""One interface to all networks: rollouts step by step, training over whole segments."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, field
from typing import Any

import torch
from torch import nn
from torch.nn import functional

from mettagrid.policy._cpu_kernels import PlayingCopy, draw

__all__ = ["Actor", "Heads", "State", "is_native"]

AS_THEY_PLAY = (nn.modules.dropout._DropoutNd, nn.modules.batchnorm._BatchNorm)

State = dict[str, torch.Tensor]
"""memory of a recurrent network, one row per agent; empty for others"""


@dataclass
class Heads:
    """Outputs of the network, float32, one row per observation."""

    logits: torch.Tensor
    """[n, actions]"""
    values: torch.Tensor
    """[n]"""
    vibes: torch.Tensor | None = None
    """[n, 1 + vibes], position 0 for keeping the vibe; None without such a head"""
    auxiliary: torch.Tensor | None = None
    """[n], the auxiliary critic of gtd_lambda; None without such a head"""
    _kept: list[torch.Tensor] | None = field(default=None, repr=False)

    def sample(self, generator: torch.Generator) -> torch.Tensor:
        """Draw actions, int64 [n, 2]: positions in the logits and in the vibes."""
        drawn = [_draw(self.logits, generator)]
        drawn.append(torch.zeros_like(drawn[0]) if self.vibes is None else _draw(self.vibes, generator))
        return torch.stack(drawn, -1)

    def draw(self, generator: torch.Generator) -> tuple[torch.Tensor, torch.Tensor]:
        """Draw actions like `sample`; return them and their log-probabilities [n]."""
        if self.logits.device.type != "cpu":
            actions = self.sample(generator)
            return actions, self.log_probs(actions)
        actions = torch.zeros((len(self.logits), 2), dtype=torch.int64)
        log_probs = draw(self.logits, torch.rand(self.logits.shape, generator=generator), actions[:, 0])
        if self.vibes is not None:
            log_probs += draw(self.vibes, torch.rand(self.vibes.shape, generator=generator), actions[:, 1])
        return actions, log_probs

    def likeliest(self) -> torch.Tensor:
        """Return the most likely actions, in the form of `sample`."""
        best = self.logits.argmax(-1)
        return torch.stack([best, torch.zeros_like(best) if self.vibes is None else self.vibes.argmax(-1)], -1)

    def log_probs(self, actions: torch.Tensor) -> torch.Tensor:
        """Return the log-probabilities [n] of actions [n, 2]."""
        result = _at(self._logarithms()[0], actions[:, 0])
        return result if self.vibes is None else result + _at(self._logarithms()[1], actions[:, 1])

    def entropy(self) -> torch.Tensor:
        """Return the entropy [n] of the action distribution."""
        return sum((-(each.exp() * each).sum(-1) for each in self._logarithms()), torch.tensor(0.0))

    def _logarithms(self) -> list[torch.Tensor]:
        """Return the log-probabilities of all positions, by head; computed once."""
        if self._kept is None:
            self._kept = [functional.log_softmax(head, -1) for head in (self.logits, self.vibes) if head is not None]
        return self._kept


def _draw(logits: torch.Tensor, generator: torch.Generator) -> torch.Tensor:
    # The largest of logits plus Gumbel noise is distributed like the softmax, and needs no sum of probabilities.
    uniform = torch.rand(logits.shape, generator=generator, device=logits.device)
    return (logits - (-uniform.clamp(min=1e-20).log()).log()).argmax(-1)


def _at(log_probs: torch.Tensor, positions: torch.Tensor) -> torch.Tensor:
    return log_probs.gather(-1, positions[:, None])[:, 0]


class Actor:
    """A network with its memory handled: zeroed where an episode begins, in rollouts and inside of segments."""

    def __init__(self, network: nn.Module, *, is_recurrent: bool, tokens: int, bfloat16: bool = False) -> None:
        """With `bfloat16`, the network runs in PyTorch's autocast."""
        self.network: Any = network
        self.is_recurrent = is_recurrent
        self.reads_prefix = bool(getattr(network, "reads_prefix", False))
        self._handles_resets = bool(getattr(network, "handles_resets", False))
        self._tokens = tokens
        self._is_bfloat16 = bfloat16
        self.device = next(network.parameters()).device
        self._playing: PlayingCopy | None = None
        self._shapes = self._probe()

    @property
    def is_native(self) -> bool:
        """Whether the large layers of the network are native code on the CPU."""
        return self._make_playing() is not None

    def initial_state(self, rows: int) -> State:
        return {name: torch.zeros((rows, *shape), device=self.device) for name, shape in self._shapes.items()}

    def set_training(self, is_training: bool) -> None:
        """Prepare the network for updates or for rollouts, in which the weights do not change.

        Dropout and batch normalization stay as they play: the probabilities of the update must be comparable.
        """
        self.network.train(is_training)
        for module in self.network.modules():
            if isinstance(module, AS_THEY_PLAY):
                module.eval()
        self._playing = None if is_training else self._make_playing()

    @torch.no_grad()
    def step(self, observations: torch.Tensor, state: State) -> Heads:
        """Decide for observations uint8 [n, tokens, 3]; replaces the tensors in `state`."""
        given: dict[str, Any] | None = dict(state) if self.is_recurrent else None
        with self._autocast():
            outputs = self._outputs(self._whole(observations), given, train=False)
        for name in state:
            state[name] = given[name].float()  # type: ignore[index]
        return _heads(outputs)

    def play(
        self, observations: torch.Tensor, state: State, generator: torch.Generator
    ) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor] | None:
        """Step and draw in one go where the network can: return actions [n, 2], their log-probabilities and the values.

        Overwrites the tensors in `state`. None where `step` has to be used.
        """
        if self._playing is None or not self._playing.reads(observations):
            return None
        return self._playing.play(observations, state, generator)

    def unroll(self, observations: torch.Tensor, state: Mapping[str, torch.Tensor], resets: torch.Tensor) -> Heads:
        """Return the outputs for segments uint8 [segments, steps, tokens, 3], one row per step, segment by segment.

        `state` is the memory before the first step; where `resets` [segments, steps] is true an episode begins.
        """
        steps = observations.shape[1]
        observations = self._whole(observations)
        with self._autocast():
            if not self.is_recurrent:
                return _heads(self._outputs(observations.flatten(0, 1), None, train=True))
            first = {name: tensor * _kept(resets[:, 0], tensor) for name, tensor in state.items()}
            if self._handles_resets:
                return _heads(self._outputs(observations, {**first, "resets": resets}, train=True))
            if not bool(resets[:, 1:].any()):
                return _heads(self._outputs(observations, dict(first), train=True))
            parts: list[dict[str, Any]] = []
            memory: dict[str, Any] = dict(first)
            for step in range(steps):
                if step:
                    memory = {name: tensor * _kept(resets[:, step], tensor) for name, tensor in memory.items()}
                parts.append(self._outputs(observations[:, step : step + 1], memory, train=True))
            joined = {name: torch.stack([part[name] for part in parts], 1).flatten(0, 1) for name in parts[0]}
            return _heads(joined)

    def _make_playing(self) -> PlayingCopy | None:
        return None if self._is_bfloat16 else _playing_copy(self.network)

    def _outputs(self, observations: torch.Tensor, state: dict[str, Any] | None, *, train: bool) -> dict[str, Any]:
        if self._playing is not None and not train:
            assert state is not None  # only recurrent networks have a copy
            return self._playing(observations, state)
        if hasattr(self.network, "heads"):
            outputs: dict[str, Any] = self.network.heads(observations, state)
            return outputs
        call = self.network if train else self.network.forward_eval
        logits, values = call(observations, state)
        return {"logits": logits, "values": values}

    def _whole(self, observations: torch.Tensor) -> torch.Tensor:
        """Append unused tokens for networks that need a fixed number of them."""
        missing = self._tokens - observations.shape[-2]
        if self.reads_prefix or missing <= 0:
            return observations
        return functional.pad(observations, (0, 0, 0, missing), value=255)

    def _autocast(self) -> AbstractContextManager[Any]:
        return torch.autocast(self.device.type, torch.bfloat16) if self._is_bfloat16 else nullcontext()

    def _probe(self) -> dict[str, tuple[int, ...]]:
        """Return the shapes of the memory of one agent, which only a step of the network tells."""
        if not self.is_recurrent:
            return {}
        state: dict[str, Any] = {"lstm_h": None, "lstm_c": None}
        nothing = torch.full((3, self._tokens, 3), 255, dtype=torch.uint8, device=self.device)
        with torch.no_grad():
            self._outputs(nothing, state, train=False)
        for name, tensor in state.items():
            if tensor is None or tensor.shape[0] != 3:
                raise ValueError(f"The network does not write state[{name!r}] with one row per agent")
        return {name: tuple(tensor.shape[1:]) for name, tensor in state.items()}


def is_native(network: nn.Module) -> bool:
    """Return whether the large layers of the network are native code on the CPU, where it is now."""
    return _playing_copy(network) is not None


def _playing_copy(network: Any) -> PlayingCopy | None:
    copy = getattr(network, "playing_copy", None)
    return None if copy is None else copy()


def _kept(resets: torch.Tensor, like: torch.Tensor) -> torch.Tensor:
    return (~resets).to(like.dtype).reshape(-1, *[1] * (like.ndim - 1))


def _heads(outputs: dict[str, Any]) -> Heads:
    def flat(name: str) -> torch.Tensor | None:
        tensor = outputs.get(name)
        return None if tensor is None else tensor.float().reshape(-1)

    vibes = outputs.get("vibe")
    return Heads(
        logits=outputs["logits"].float(),
        values=outputs["values"].float().reshape(-1),
        vibes=None if vibes is None else vibes.float(),
        auxiliary=flat("h_values"),
    )
