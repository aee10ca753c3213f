"""The worlds of a run: many episodes at once, in one set of arrays, begun and ended by the trainer."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from cogames_training.curriculum import Curriculum, Task
from mettagrid.batch import Batch, MapPool
from mettagrid.compiler import Program, compiled
from mettagrid.mettagrid_c import MettaGrid

__all__ = ["Episode", "TrainingWorlds", "WorldSettings"]

FIRST_MAPS = 64  # the first episodes share these, so that a run need not wait for all its maps
STATS_WORLDS = 64  # worlds whose stats are read at the end of an episode; reading them takes a tenth of a millisecond
NEVER = np.iinfo(np.int64).max

ArrayMaker = Callable[[str, tuple[int, ...], Any], np.ndarray]


@dataclass(frozen=True)
class WorldSettings:
    """What the worlds of a run have in common, on all processes and in all parts."""

    seed: int
    map_seed: int | None
    maps: int
    total_worlds: int
    """over all parts and processes: the next episode of a world is this many seeds and maps further"""
    threads: int = 1
    staggered: bool = True
    """whether the first episodes end at random steps, so that later ones do not all end together"""


@dataclass
class Episode:
    """An episode that has ended."""

    world: int
    task: int
    steps: int
    rewards: np.ndarray
    """sum of the rewards of each agent that the learner plays"""
    stats: dict[str, Any] | None
    """the engine's stats; None for most worlds"""
    is_whole: bool
    """false for first episodes that were cut to stagger the worlds"""


@dataclass
class _Place:
    """The state of one world."""

    task: int = 0
    episode: int = 0
    stocked: dict[int, MettaGrid] = field(default_factory=dict)
    """worlds of other tasks that it has used before"""


class TrainingWorlds:
    """A part of a run's worlds: `numbers` says which.

    Every world has `rows_per_world` rows in all arrays, as many as the largest task has agents; `present` tells which
    of them have an agent now. `step` takes one step and ends episodes: their final observations are in `finals` until
    the next step, and the arrays hold the first observation of the next episode.
    """

    def __init__(
        self,
        curriculum: Curriculum,
        numbers: range,
        settings: WorldSettings,
        *,
        stats_worlds: int = STATS_WORLDS,
        make_array: ArrayMaker = lambda name, shape, dtype: np.zeros(shape, dtype),
    ) -> None:
        self._stats_worlds = stats_worlds
        self.curriculum = curriculum
        self.numbers = numbers
        self.settings = settings
        self.tasks: Sequence[Task] = curriculum.tasks
        self.programs: list[Program] = [compiled(task.config) for task in self.tasks]
        self.rows_per_world = max(program.num_agents for program in self.programs)
        self.rows = self.rows_per_world * len(numbers)
        self._pools = [_maps(task, program, settings) for task, program in zip(self.tasks, self.programs, strict=True)]
        self._places = [_Place() for _ in numbers]
        self._last_steps = np.full(len(numbers), NEVER)
        """step at which the trainer ends the running episode of each world, if the game has not done so before"""
        self._end_on_stats = any(task.config.game.end_episode_on_game_stats for task in self.tasks)

        self.batch = self._open(make_array)
        self.observations, self.rewards = self.batch.observations, self.batch.rewards
        self.actions, self.vibe_actions = self.batch.actions, self.batch.vibe_actions
        self.present = np.zeros(self.rows, np.bool_)
        self.trained = np.ones(self.rows, np.bool_)
        """rows that the learner plays; opponents, who choose them, play the others"""
        self.row_tasks = np.zeros(self.rows, np.int64)
        """the task of the world of each row"""
        self.ages = np.zeros(len(numbers), np.int64)
        """steps of the running episode of each world"""
        self.ended = np.zeros(self.rows, np.bool_)
        """rows whose episode ended in the last step"""
        self.terminated = np.zeros(self.rows, np.bool_)
        """...by the rules of the game: nothing follows, so the value of what follows is 0"""
        self.finals: list[tuple[int, int, np.ndarray]] = []
        """place, task and last observations of worlds whose episode ended in the last step without being terminated"""
        self.just_begun: list[int] = []
        """places whose episode began in the last step"""
        self.returns = np.zeros(self.rows, np.float32)
        self.episodes: list[Episode] = []
        """episodes that have ended since the list was last emptied"""
        longest = max(program.max_steps or 1000 for program in self.programs)
        self._log = np.zeros((min(longest, 1024), self.rows), np.uint16)
        for place in range(len(numbers)):
            self._set_up(place)

    def _open(self, make_array: ArrayMaker) -> Any:
        """Return the batch, with a world on the map of its first episode in every place."""
        tokens = max(program.num_tokens for program in self.programs)
        shapes = {"observations": (self.rows, tokens, 3)}
        types: dict[str, Any] = {
            "observations": np.uint8,
            "terminals": np.bool_,
            "truncations": np.bool_,
            "rewards": np.float32,
            "actions": np.int32,
            "vibe_actions": np.int32,
        }
        arrays = {name: make_array(name, shapes.get(name, (self.rows,)), dtype) for name, dtype in types.items()}
        worlds = []
        for place in range(len(self.numbers)):
            self._choose_task(place)
            worlds.append(self._world(place))
        given: dict[str, Any] = {"rooms": [self.rows_per_world] * len(worlds), "auto_reset": False, **arrays}
        return Batch(worlds, threads=self.settings.threads, **given)

    def _copied(self, rows: slice) -> Any:
        """Return a copy of observations that the next step does not change."""
        return self.observations[rows].copy()

    def _flush(self) -> None:
        """Begin the episodes that are due, where worlds do not begin them one by one."""

    # Playing

    def step(self) -> None:
        """Step every world with the actions in the arrays; begin the next episode of those that end."""
        self._remember_actions()
        self.batch.step()
        self.returns += self.rewards
        self.ages += 1
        self.ended[:] = False
        self.terminated[:] = False
        self.finals = []
        self.just_begun = []
        for place in self._over():
            self._end(place)
            self._begin(place)
        self._flush()

    def places_rows(self, place: int) -> slice:
        return slice(place * self.rows_per_world, (place + 1) * self.rows_per_world)

    def task_of(self, place: int) -> int:
        return self._places[place].task

    def episode_of(self, place: int) -> int:
        """Return the number of the running episode, from 0."""
        return self._places[place].episode

    def close(self) -> None:
        self.batch.close()
        for pool in self._pools:
            if isinstance(pool, MapPool):
                pool.close()

    def _over(self) -> list[int]:
        """Return the places whose episode has ended: all agents terminal, all truncated, or ended by the trainer."""
        late = self.ages >= self._last_steps
        if not (self._end_on_stats or late.any() or self.batch.terminals.any() or self.batch.truncations.any()):
            return []
        terminals = self.batch.terminals.reshape(-1, self.rows_per_world)
        truncations = self.batch.truncations.reshape(-1, self.rows_per_world)
        absent = ~self.present.reshape(-1, self.rows_per_world)
        over = (terminals | absent).all(1) | (truncations | absent).all(1) | late
        if self._end_on_stats:
            over |= [self._reached_a_stat(place) for place in range(len(self._places))]
        numbers: list[int] = np.flatnonzero(over).tolist()
        return numbers

    def _reached_a_stat(self, place: int) -> bool:
        limits = self.tasks[self._places[place].task].config.game.end_episode_on_game_stats
        world = self.batch.worlds[place]
        values = ((world.get_game_stat(stat), limit) for stat, limit in limits.items())
        return any(value is not None and value >= limit for value, limit in values)

    def _end(self, place: int) -> None:
        rows, at, world = self.places_rows(place), self._places[place], self.batch.worlds[place]
        own = slice(rows.start, rows.start + world.num_agents)
        self.ended[rows] = True  # also rows without an agent: the next episode may have one there
        if self.batch.terminals[own].all():
            self.terminated[own] = True
        else:
            self.finals.append((place, at.task, self._copied(rows)))
        has_stats = place < self._stats_worlds
        episode = Episode(
            world=self.numbers[place],
            task=at.task,
            steps=int(self.ages[place]),
            rewards=self.returns[own][self.trained[own]],
            stats=world.get_episode_stats() if has_stats else None,
            is_whole=bool(self._last_steps[place] == NEVER),
        )
        self.episodes.append(episode)
        if episode.is_whole:
            self.curriculum.finished(at.task, float(episode.rewards.mean()))

    def _begin(self, place: int) -> None:
        at = self._places[place]
        at.episode += 1
        self._last_steps[place] = NEVER
        before = at.task
        self._choose_task(place)
        if at.task == before:
            self.batch.worlds[place].begin(self._map(place), self._seed(place))
        else:
            at.stocked[before] = self.batch.worlds[place]
            self.batch.replace(place, self._world(place))
        self._set_up(place)
        self.just_begun.append(place)

    def _set_up(self, place: int) -> None:
        """Set everything that is kept per row for an episode that begins."""
        rows, count = self.places_rows(place), self.batch.worlds[place].num_agents
        self.present[rows] = np.arange(self.rows_per_world) < count
        self.row_tasks[rows] = self._places[place].task
        self.returns[rows] = 0
        self.ages[place] = 0
        self.batch.terminals[rows] = False
        self.batch.truncations[rows] = False

    # Episodes

    def _choose_task(self, place: int) -> None:
        at, number = self._places[place], self.numbers[place]
        at.task = self.curriculum.next_task(number, at.episode)
        if at.episode == 0 and self.settings.staggered:
            most = self.programs[at.task].max_steps or 1000
            draw = np.random.default_rng((self.settings.seed, 0x57A6, number))
            last_step = int(draw.integers(1, most + 1))
            self._last_steps[place] = NEVER if last_step == most else last_step

    def _seed(self, place: int) -> int:
        at = self._places[place]
        return (self.settings.seed + self.numbers[place] + at.episode * self.settings.total_worlds) & 0xFFFFFFFF

    def _map(self, place: int) -> Any:
        at = self._places[place]
        pool = self._pools[at.task]
        number = self.numbers[place] + at.episode * self.settings.total_worlds
        is_shared = at.episode == 0 and self.settings.staggered
        return pool[number % (min(FIRST_MAPS, len(pool)) if is_shared else len(pool))]

    def _world(self, place: int) -> MettaGrid:
        """Return a world for the place's episode: one that the place has used before, or a new one."""
        at = self._places[place]
        world = at.stocked.pop(at.task, None)
        if world is None:
            return self.programs[at.task].world(self._map(place), self._seed(place))
        world.begin(self._map(place), self._seed(place))
        return world

    # Stop and resume: the actions of the running episodes restore the worlds, and whoever watches them

    def _remember_actions(self) -> None:
        oldest = int(self.ages.max())
        if oldest >= len(self._log):
            self._log = np.concatenate([self._log, np.zeros_like(self._log)])
        ages = np.repeat(self.ages, self.rows_per_world)
        self._log[ages, np.arange(self.rows)] = self.vibe_actions << 8 | self.actions

    def state(self) -> dict[str, Any]:
        """Return everything `restore` needs, as NumPy arrays and plain values."""
        oldest = int(self.ages.max())
        return {
            "tasks": [at.task for at in self._places],
            "episodes": [at.episode for at in self._places],
            "last_steps": self._last_steps.copy(),
            "ages": self.ages.copy(),
            "actions": self._log[:oldest].copy(),
        }

    def restore(self, state: dict[str, Any], watch: Callable[[list[int]], None] = lambda begun: None) -> None:
        """Play the running episodes of a state again, in this freshly made object.

        `watch` is called with the places that begin, whenever new observations are in the arrays, the last ones
        included; observations of places that have not begun yet mean nothing.
        """
        ages, log = state["ages"], state["actions"]
        self._log = np.concatenate([log, np.zeros_like(log, shape=(1024, self.rows))])
        for at, task, episode in zip(self._places, state["tasks"], state["episodes"], strict=True):
            at.task, at.episode = task, episode
        self._last_steps[:] = state["last_steps"]
        oldest = int(ages.max())
        for step in range(oldest + 1):
            begun = np.flatnonzero(ages == oldest - step).tolist()
            for place in begun:
                self._resume(place)
            self._flush()
            watch(begun)
            if step == oldest:
                break
            own = np.repeat(np.clip(step - (oldest - ages), 0, None), self.rows_per_world)
            taken = log[own, np.arange(self.rows)].astype(np.int32)
            self.actions[:], self.vibe_actions[:] = taken & 255, taken >> 8
            self.batch.step()
            self.returns += self.rewards
            self.ages += 1

    def _resume(self, place: int) -> None:
        world = self.batch.worlds[place]
        if world.program is self.programs[self._places[place].task]:
            world.begin(self._map(place), self._seed(place))
        else:
            self.batch.replace(place, self._world(place))
        self._set_up(place)


def _maps(task: Task, program: Program, settings: WorldSettings) -> Any:
    """Return the maps of a task: a pool that builds them in the background, or the one map it has."""
    builder = task.config.game.map_builder
    takes_seed = "seed" in type(builder).model_fields
    own_seed = getattr(builder, "seed", None)
    if not takes_seed or (own_seed is not None and settings.map_seed is None):
        return [program.map(builder.create().build_for_num_agents(program.num_agents).grid)]
    first = settings.seed if settings.map_seed is None else settings.map_seed
    seeded = builder.model_copy(update={"seed": first})
    return MapPool.from_builder(program, seeded, program.num_agents, settings.maps)
