"""Opponents: policies that play the other teams in missions with several teams.

In each episode of a world the learner plays one team and one opponent plays all others. The team and the opponent
follow from the numbers of the world and of the episode, so a world meets every opponent from every side in turn. The
rows of opponents have no weight in the losses and do not count as agent steps.

The opponent `self` is a pool of earlier weights of the run: those it began with, and those of its regular checkpoints.
"""

from __future__ import annotations

import copy
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch
from torch import nn

from cogames_training.actor import Actor, State
from cogames_training.deciding import engine_actions
from cogames_training.seeing import Sight, SightMaker
from cogames_training.teaching import PolicyMaker, Teacher
from cogames_training.worlds import TrainingWorlds

__all__ = ["SELF", "Opponent", "Opponents", "WeightPool"]

SELF = "self"
UNUSED = 255  # the location byte of an unused token

ActorMaker = Callable[[nn.Module, bool], Actor]
"""`make(network, is_recurrent)`"""


@dataclass(frozen=True)
class Opponent:
    """An entry of `TrainArgs.opponents`, loaded: a scripted policy, a network, or `self`, which has neither."""

    name: str
    make_policy: PolicyMaker | None = None
    network: nn.Module | None = None
    is_recurrent: bool = False
    is_greedy: bool = False
    """whether the network takes its most likely actions instead of drawing them"""
    make_sight: SightMaker | None = None
    """returns what the network sees; none for `self`, which sees what the learner sees"""


class WeightPool:
    """Networks with earlier weights of a run. When all are in use, the oldest weights are replaced."""

    def __init__(self, network: nn.Module, *, size: int, make_actor: Callable[[nn.Module], Actor]) -> None:
        self.actors: list[Actor] = []
        self._network, self._size, self._make_actor = network, size, make_actor
        self._added = 0

    def add(self, weights: dict[str, torch.Tensor]) -> None:
        slot = self._added % self._size
        if slot == len(self.actors):
            network = copy.deepcopy(self._network).eval().requires_grad_(False)
            self.actors.append(self._make_actor(network))
        self.actors[slot].network.load_state_dict(weights)
        self._added += 1

    def state(self) -> dict[str, Any]:
        """Return tensors and plain values, on the CPU."""
        networks = [actor.network.state_dict() for actor in self.actors]
        return {
            "added": self._added,
            "weights": [{name: tensor.cpu().clone() for name, tensor in weights.items()} for weights in networks],
        }

    def load_state(self, state: dict[str, Any]) -> None:
        self._added = 0
        for weights in state["weights"]:
            self.add(weights)
        self._added = state["added"]


class Opponents:
    """The opponents in the worlds of a part, each with a memory for every row."""

    def __init__(
        self,
        worlds: TrainingWorlds,
        opponents: Sequence[Opponent],
        pool: WeightPool,
        *,
        make_actor: ActorMaker,
        num_actions: int,
        noop: int,
        seed: int,
        threads: int,
    ) -> None:
        """`pool` has the networks of `self`; it is not empty."""
        self._worlds, self._pool = worlds, pool
        self._num_actions, self._noop = num_actions, noop
        self._players = [_Player(entry, worlds, pool, make_actor, threads) for entry in opponents]
        self._device = pool.actors[0].device
        self._generator = torch.Generator(self._device).manual_seed((seed << 20) + 1 + worlds.numbers.start)
        places = len(worlds.numbers)
        self._player = np.zeros(places, np.int64)
        """the opponent of each world"""
        self._slot = np.zeros(places, np.int64)
        """the network of `self` in each world, by its place in the pool"""
        self._rows: dict[tuple[int, int], np.ndarray] | None = None

    def watch(self, begun: list[int]) -> None:
        """See the current observations; `begun` are the places whose episode begins with them."""
        for place in begun:
            self._seat(place)
        for player in self._players:
            player.watch(begun)

    def act(self, seen: torch.Tensor, resets: np.ndarray) -> None:
        """Replace the learner's actions in the worlds' arrays by those of the opponents.

        `seen` is what the learner sees, on the device; `resets` [rows] is true where an episode begins.
        """
        for (number, slot), rows in self._playing().items():
            chosen = self._players[number].decide(rows, slot, seen, resets, self._generator)
            actions, vibes = engine_actions(chosen, self._num_actions, self._noop)
            self._worlds.actions[rows], self._worlds.vibe_actions[rows] = actions, vibes

    def state(self) -> dict[str, Any]:
        """Return what `load_state` needs beside the running episodes, which `watch` has seen again by then."""
        return {
            "slots": self._slot.tolist(),
            "generator": self._generator.get_state(),
            "memory": [{name: t.cpu().clone() for name, t in player.memory.items()} for player in self._players],
        }

    def load_state(self, state: dict[str, Any]) -> None:
        self._slot[:] = state["slots"]
        self._rows = None
        self._generator.set_state(state["generator"])
        for player, memory in zip(self._players, state["memory"], strict=True):
            for name, tensor in memory.items():
                player.memory[name].copy_(tensor)

    def _seat(self, place: int) -> None:
        """Choose the learner's team and the opponent of an episode that begins."""
        worlds = self._worlds
        world, rows = worlds.batch.worlds[place], worlds.places_rows(place)
        groups = np.array(world.agent_group_ids())
        teams = np.unique(groups)
        # In a rotation of n tasks a world plays each of them every n episodes.
        turn = (worlds.numbers[place] + worlds.episode_of(place)) // len(worlds.tasks)
        worlds.trained[rows] = False
        worlds.trained[rows.start : rows.start + len(groups)] = groups == teams[turn % len(teams)]
        turn //= len(teams)
        self._player[place] = turn % len(self._players)
        self._slot[place] = turn // len(self._players) % len(self._pool.actors)
        self._rows = None

    def _playing(self) -> dict[tuple[int, int], np.ndarray]:
        """Return the rows of each opponent, by its number and, for `self`, its place in the pool."""
        if self._rows is None:
            others = self._worlds.present & ~self._worlds.trained
            size = self._worlds.rows_per_world
            players, slots = np.repeat(self._player, size), np.repeat(self._slot, size)
            self._rows = {}
            for number, player in enumerate(self._players):
                own = others & (players == number)
                for slot in np.unique(slots[own]).tolist() if player.is_self else [0]:
                    rows = np.flatnonzero(own & (slots == slot) if player.is_self else own)
                    if len(rows):
                        self._rows[number, slot] = rows
        return self._rows


class _Player:
    """One opponent in the worlds of a part; `memory` is that of a recurrent network, for all their rows."""

    def __init__(
        self, entry: Opponent, worlds: TrainingWorlds, pool: WeightPool, make_actor: ActorMaker, threads: int
    ) -> None:
        self.is_self = entry.make_policy is None and entry.network is None
        self.memory: State = {}
        self._is_greedy = entry.is_greedy
        self._sight: Sight | None = None
        self._policy: Teacher | None = None
        self._labels = np.full(worlds.rows, -1, np.int64)
        if entry.make_policy is not None:
            self._policy = Teacher(worlds, entry.make_policy, threads=threads, setting="opponents")
            return
        if entry.network is not None and entry.make_sight is not None:
            self._actors = [make_actor(entry.network, entry.is_recurrent)]
            self._sight = entry.make_sight(worlds)
        else:
            self._actors = pool.actors
        self.memory = self._actors[0].initial_state(worlds.rows)

    def watch(self, begun: list[int]) -> None:
        if self._policy is not None:
            self._policy.reset(begun)
            self._policy.label(self._labels)
        if self._sight is not None:
            self._sight.look(begun)

    def decide(
        self, rows: np.ndarray, slot: int, seen: torch.Tensor, resets: np.ndarray, generator: torch.Generator
    ) -> np.ndarray:
        """Return actions int64 [rows, 2], in the form of `Heads.sample`."""
        if self._policy is not None:
            return np.stack([self._labels[rows], np.zeros(len(rows), np.int64)], -1)
        actor = self._actors[slot]
        there = torch.from_numpy(rows).to(actor.device)
        begins = torch.from_numpy(resets[rows]).to(actor.device)
        state = {name: _without(tensor[there], begins) for name, tensor in self.memory.items()}
        heads = actor.step(seen[there] if self._sight is None else _on_device(actor, self._sight, rows), state)
        for name, tensor in state.items():
            self.memory[name][there] = tensor
        chosen = heads.likeliest() if self._is_greedy else heads.sample(generator)
        return chosen.cpu().numpy()


def _on_device(actor: Actor, sight: Sight, rows: np.ndarray) -> torch.Tensor:
    observations = sight.observations[rows]
    if actor.reads_prefix:
        used = np.flatnonzero((observations[..., 0] != UNUSED).any(0))
        observations = observations[:, : int(used[-1]) + 1 if len(used) else 1]
    return torch.from_numpy(np.ascontiguousarray(observations)).to(actor.device)


def _without(memory: torch.Tensor, begins: torch.Tensor) -> torch.Tensor:
    return memory * (~begins).to(memory.dtype).reshape(-1, *[1] * (memory.ndim - 1))
