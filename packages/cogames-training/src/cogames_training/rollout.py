"""Play the worlds with the network for a number of steps, and write down what happens.

On a GPU the worlds are in two parts: while the network decides for one, the engine's threads step the other. On a CPU
there is one part, since both would use the same cores.
"""

from __future__ import annotations

import time
from collections import defaultdict
from concurrent.futures import Future, ThreadPoolExecutor
from typing import Any

import numpy as np
import torch

from cogames_training.actor import Actor, State
from cogames_training.advantages import Steps
from cogames_training.deciding import Decider, engine_actions, pairs
from cogames_training.experience import Experience, Kind
from cogames_training.opponents import Opponents
from cogames_training.seeing import Sight
from cogames_training.teaching import Teacher
from cogames_training.worlds import Episode, TrainingWorlds

__all__ = ["Part", "Rollout"]

UNUSED = 255  # the location byte of an unused token
TOKENS_AT_FIRST = 128


class Part:
    """Worlds that step together, with their rows in the rollout, their teacher and the network's memory."""

    def __init__(
        self,
        worlds: TrainingWorlds,
        rows: slice,
        teacher: Teacher | None,
        *,
        sight: Sight,
        opponents: Opponents | None = None,
        executor: ThreadPoolExecutor | None,
    ) -> None:
        self.worlds = worlds
        self.rows = rows
        self.teacher = teacher
        self.sight = sight
        self.opponents = opponents
        self.finals: list[tuple[int, Any]] = []
        """place and last observations of the worlds whose episode ended in the last step without being terminated"""
        self.labels = np.full(worlds.rows, -1, np.int64)
        """the teacher's actions on the current observations, as engine ids; -1: none"""
        self.resets = np.ones(worlds.rows, np.bool_)
        """rows whose episode begins with the current observation"""
        self.seconds: dict[str, float] = defaultdict(float)
        self.state: State = {}
        self._executor = executor
        self._job: Future[None] | None = None
        self.watch(list(range(len(worlds.numbers))))

    def watch(self, begun: list[int]) -> None:
        """Show the current observations to the network, the opponents and the teacher.

        `begun` are the places whose episode begins with them.
        """
        started = time.perf_counter()
        self.sight.look(begun)
        if self.opponents is not None:
            self.opponents.watch(begun)
        self.seconds["env"] += time.perf_counter() - started
        if self.teacher is None:
            return
        started = time.perf_counter()
        self.teacher.reset(begun)
        self.teacher.label(self.labels)
        self.seconds["teacher"] += time.perf_counter() - started

    def start_step(self) -> None:
        """Begin to step the worlds with the actions in their arrays."""
        if self._executor is None:
            self._step()
        else:
            self._job = self._executor.submit(self._step)

    def finish_step(self) -> None:
        """Wait until the step is done. Raises what it raised."""
        if self._job is not None:
            self._job.result()
            self._job = None

    def close(self) -> None:
        self.finish_step()
        if self._executor is not None:
            self._executor.shutdown()
        self.worlds.close()

    def _step(self) -> None:
        started = time.perf_counter()
        self.worlds.step()
        self.resets[:] = self.worlds.ended
        self.finals = self.sight.finals()
        self.seconds["env"] += time.perf_counter() - started
        self.watch(self.worlds.just_begun)


class Rollout:
    """Collects experience with one actor from all parts."""

    def __init__(
        self,
        parts: list[Part],
        actor: Actor,
        *,
        horizon: int,
        num_actions: int,
        noop: int,
        generator: torch.Generator,
        teacher_actor: Actor | None = None,
        cuda_graphs: bool = False,
    ) -> None:
        self.parts, self.actor, self.horizon = parts, actor, horizon
        self.rows = sum(part.worlds.rows for part in parts)
        self.device = actor.device
        self._num_actions, self._noop = num_actions, noop
        self._teacher_actor = teacher_actor
        self._all_tokens = parts[0].worlds.observations.shape[1]
        self._tokens = min(TOKENS_AT_FIRST, self._all_tokens) if actor.reads_prefix else self._all_tokens
        self._observations = self._new_observations()
        self._deciders = []
        for part in parts:
            part.state = actor.initial_state(part.worlds.rows)
            self._deciders.append(
                Decider(
                    actor,
                    part.state,
                    num_actions,
                    noop,
                    generator,
                    rows=part.worlds.rows,
                    teacher=teacher_actor,
                    graph=cuda_graphs,
                )
            )
        self.seconds: dict[str, float] = defaultdict(float)

    def collect(self, kinds: np.ndarray) -> Experience:
        """Take `horizon` steps in every world; `kinds` [rows] says who acts. Returns what happened.

        The observations are a buffer that the next call overwrites.
        """
        rows, steps, device = self.rows, self.horizon, self.device
        host = {
            "rewards": np.zeros((steps, rows), np.float32),
            "ended": np.zeros((steps, rows), np.bool_),
            "terminated": np.zeros((steps, rows), np.bool_),
            "present": np.zeros((steps, rows), np.bool_),
            "resets": np.zeros((steps, rows), np.bool_),
            "labels": np.full((steps, rows), -1, np.int64),
        }
        # Step by step, so that each one is written to memory that is contiguous.
        actions = torch.zeros((steps, rows, 2), dtype=torch.int64, device=device)
        log_probs, values = torch.zeros((steps, rows), device=device), torch.zeros((steps + 1, rows), device=device)
        kinds_there = torch.from_numpy(kinds).to(device)
        is_led = kinds_there == Kind.TEACHER_LED
        first_state = {name: torch.empty_like(tensor) for name, tensor in self.actor.initial_state(rows).items()}
        finals: list[tuple[int, slice, torch.Tensor, State]] = []
        taught: list[list[Any]] = []

        for step in range(steps + 1):
            for number, part in enumerate(self.parts):
                with self._timed("wait"):
                    part.finish_step()
                if step > 0:
                    self._write_down(part, step - 1, host, finals)
                if step == steps:
                    continue
                host["present"][step, part.rows] = part.worlds.present & part.worlds.trained
                host["resets"][step, part.rows] = part.resets
                host["labels"][step, part.rows] = part.labels
                if step == 0:
                    for name, tensor in part.state.items():
                        first_state[name][part.rows] = tensor
                with self._timed("copy"):
                    seen = self._see(part)
                    self._observations[part.rows, step] = seen
                with self._timed("forward"):
                    decision = self._deciders[number].decide(seen, part.resets, part.labels, is_led[part.rows])
                    actions[step, part.rows] = decision.actions
                    log_probs[step, part.rows] = decision.log_probs
                    values[step, part.rows] = decision.values
                    if decision.taught is not None:
                        taught.append([part.rows, step, decision.taught.logits, decision.taught.values])
                    chosen = decision.actions.cpu().numpy()  # waits for the device
                primary, vibes = engine_actions(chosen, self._num_actions, self._noop)
                part.worlds.actions[:], part.worlds.vibe_actions[:] = primary, vibes
                if part.opponents is not None:
                    with self._timed("forward"):
                        part.opponents.act(seen, part.resets)
                part.start_step()

        with self._timed("forward"):
            for part in self.parts:
                values[-1, part.rows] = self.actor.step(self._see(part), dict(part.state)).values
            bootstrap = self._values_of_finals(finals)
        with self._timed("copy"):
            there = {name: torch.from_numpy(array.T.copy()).to(device) for name, array in host.items()}
        labels = pairs(there["labels"], self._num_actions, self._noop)
        if self._teacher_actor is not None:
            labels, logits, teacher_values = self._taught(taught)
        actions, log_probs, values = (tensor.transpose(0, 1).contiguous() for tensor in (actions, log_probs, values))
        experience = Experience(
            observations=self._observations,
            actions=actions,
            log_probs=torch.where(is_led[:, None], 0.0, log_probs),
            ratio=torch.where(is_led[:, None], log_probs.exp(), 1.0),
            values=values,
            steps=Steps(there["rewards"], 1.0 - there["ended"].float(), bootstrap),
            weights=there["present"].float(),
            resets=there["resets"],
            labels=labels,
            kinds=kinds_there,
            state=first_state,
        )
        if self._teacher_actor is not None:
            experience.teacher_logits, experience.teacher_values = logits, teacher_values
        return experience

    def teacher_states(self) -> list[State]:
        """Return the memory of a teacher with a network, by part; the tensors are the ones in use."""
        return [decider.teacher_state for decider in self._deciders]

    def take_episodes(self) -> list[Episode]:
        """Return the episodes that ended since the last call, in an order that does not depend on timing."""
        episodes = [episode for part in self.parts for episode in part.worlds.episodes]
        for part in self.parts:
            part.worlds.episodes = []
        return episodes

    def take_seconds(self) -> dict[str, float]:
        """Return the seconds by phase since the last call: of this thread, and `env` and `teacher` of the parts."""
        total: dict[str, float] = defaultdict(float)
        for seconds in (self.seconds, *(part.seconds for part in self.parts)):
            for name, value in seconds.items():
                total[name] += value
            seconds.clear()
        return total

    def _see(self, part: Part) -> torch.Tensor:
        """Return what the network sees of the part's worlds, on the device, cut after the last used token."""
        observations = part.sight.observations
        while self._tokens < self._all_tokens and (observations[:, self._tokens, 0] != UNUSED).any():
            self._widen()
        if isinstance(observations, torch.Tensor):  # the worlds are there already
            return observations[:, : self._tokens]
        source = torch.from_numpy(observations)
        if self.device.type == "cpu":
            return source[:, : self._tokens]
        # The whole array is contiguous, so it is one copy from pinned memory.
        return source.to(self.device, non_blocking=True)[:, : self._tokens]

    def _new_observations(self) -> torch.Tensor:
        shape = (self.rows, self.horizon, self._tokens, 3)
        return torch.full(shape, UNUSED, dtype=torch.uint8, device=self.device)

    def _widen(self) -> None:
        """Make room for more tokens in the buffer."""
        narrow = self._observations
        self._tokens = min(2 * self._tokens, self._all_tokens)
        self._observations = self._new_observations()
        self._observations[:, :, : narrow.shape[2]] = narrow

    def _values_of_finals(self, finals: list[tuple[int, slice, torch.Tensor, State]]) -> torch.Tensor:
        """Return the values [rows, steps] of the last observations of truncated episodes; 0 elsewhere."""
        values = torch.zeros((self.rows, self.horizon), device=self.device)
        if finals:
            state = {name: torch.cat([final[3][name] for final in finals]) for name in finals[0][3]}
            found = self.actor.step(torch.cat([final[2] for final in finals]), state).values
            rows = torch.cat([torch.arange(where.start, where.stop) for _, where, _, _ in finals])
            at = torch.cat([torch.full((where.stop - where.start,), step) for step, where, _, _ in finals])
            values[rows.to(self.device), at.to(self.device)] = found
        return values

    def _write_down(
        self,
        part: Part,
        step: int,
        host: dict[str, np.ndarray],
        finals: list[tuple[int, slice, torch.Tensor, State]],
    ) -> None:
        """Write down the result of the part's last step, which followed the action of `step`."""
        worlds = part.worlds
        host["rewards"][step, part.rows] = worlds.rewards
        host["ended"][step, part.rows] = worlds.ended
        host["terminated"][step, part.rows] = worlds.terminated
        for place, observations in part.finals:
            here = worlds.places_rows(place)
            where = slice(part.rows.start + here.start, part.rows.start + here.stop)
            state = {name: tensor[here].clone() for name, tensor in part.state.items()}
            finals.append((step, where, torch.as_tensor(observations).to(self.device), state))

    def _taught(self, taught: list[list[Any]]) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
        size = taught[0][2].shape[-1]
        logits = torch.zeros((self.rows, self.horizon, size), device=self.device)
        values = torch.zeros((self.rows, self.horizon), device=self.device)
        for rows, step, part_logits, part_values in taught:
            logits[rows, step], values[rows, step] = part_logits, part_values
        best = logits.argmax(-1)
        return torch.stack([best, torch.zeros_like(best)], -1), logits, values

    def _timed(self, phase: str) -> _Timer:
        return _Timer(self.seconds, phase)


class _Timer:
    def __init__(self, seconds: dict[str, float], phase: str) -> None:
        self._seconds, self._phase = seconds, phase

    def __enter__(self) -> None:
        self._started = time.perf_counter()

    def __exit__(self, *_: object) -> None:
        self._seconds[self._phase] += time.perf_counter() - self._started
