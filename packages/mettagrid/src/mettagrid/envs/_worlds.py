"""Many worlds in one set of arrays, for the vectorized environments."""

from collections.abc import Iterable, Sequence
from operator import index
from typing import Any, Literal

import numpy as np

from mettagrid.batch import Batch, MapPool
from mettagrid.compiler import Program, compiled
from mettagrid.config.mettagrid_config import MettaGridConfig
from mettagrid.envs._actions import ActionCodec
from mettagrid.envs._infos import episode_infos
from mettagrid.envs._text import map_text
from mettagrid.envs.early_reset_handler import early_step
from mettagrid.map_builder.map_builder import MapBuilderConfig
from mettagrid.simulator import Buffers


class Worlds:
    """A batch with its maps, infos and the episode ends that the engine does not know.

    World i plays configuration i % len(configs) with seed + i. `num_maps` maps are built in the background, map j with
    the builder's seed + j (`seed` + j if it has none), and episode k of world i is played on map
    (i + k * number of worlds) % num_maps; by default there are as many maps as worlds, so that each keeps its own. With
    several configurations, or with a builder that always builds the same map, each world keeps its map.
    """

    def __init__(
        self,
        configs: Sequence[MettaGridConfig],
        num_worlds: int,
        *,
        seed: int,
        threads: int = 1,
        num_maps: int | None = None,
        next_seed: Literal["same", "next"] = "next",
        auto_reset: bool = True,
        desync: bool = False,
    ) -> None:
        if index(num_worlds) < 1:
            raise ValueError(f"There must be at least 1 world, not {num_worlds}")
        if not configs:
            raise ValueError("There must be at least one configuration")
        self.seed = index(seed)
        programs = [compiled(config) for config in configs[:num_worlds]]
        _check_alike(programs)
        self.configs = [configs[i % len(configs)] for i in range(num_worlds)]
        self.codec = ActionCodec(programs[0].action_names)
        self._programs = [programs[i % len(configs)] for i in range(num_worlds)]
        self._maps = self._make_maps(num_maps)
        self._settings: dict[str, Any] = {"threads": threads, "next_seed": next_seed, "auto_reset": auto_reset}
        self._desync = desync

    def _make_maps(self, num_maps: int | None) -> MapPool | None:
        several = any(config is not self.configs[0] for config in self.configs)
        builder = _seeded(self.configs[0].game.map_builder, self.seed)
        if several or getattr(builder, "seed", None) is None:
            if num_maps is not None:
                raise ValueError("num_maps needs one configuration, with a map builder that takes a seed")
            return None
        size = len(self.configs) if num_maps is None else num_maps
        return MapPool.from_builder(self._programs[0], builder, self.configs[0].game.num_agents, size)

    @property
    def num_agents(self) -> int:
        return sum(program.num_agents for program in self._programs)

    @property
    def num_tokens(self) -> int:
        return self._programs[0].num_tokens

    def begin(self, buffers: Buffers) -> None:
        """Create the worlds in these arrays."""
        worlds = [
            program.world(self._first_map(i), (self.seed + i) & 0xFFFFFFFF) for i, program in enumerate(self._programs)
        ]
        arrays = ("observations", "terminals", "truncations", "rewards", "actions", "vibe_actions")
        given = {name: getattr(buffers, name) for name in arrays}
        self.batch = Batch(worlds, maps=self._maps, **self._settings, **given)
        self._starts = np.array([self.batch.agents_of(i).start for i in range(len(worlds))])
        self._plan_early_ends()

    def _first_map(self, world: int) -> Any:
        if self._maps is not None:
            return self._maps[world % len(self._maps)]
        config = self.configs[world]
        # The n-th world of a configuration uses its n-th map.
        number = sum(other is config for other in self.configs[:world])
        builder = _seeded(config.game.map_builder, self.seed)
        if getattr(builder, "seed", None) is not None:
            builder = builder.model_copy(update={"seed": builder.seed + number})
        return builder.create().build_for_num_agents(config.game.num_agents).grid

    def _plan_early_ends(self) -> None:
        self._early = {}
        if self._desync:
            for i, world in enumerate(self.batch.worlds):
                self._early[i] = early_step(world.seed, world.max_steps)
        self._thresholds = {
            i: config.game.end_episode_on_game_stats
            for i, config in enumerate(self.configs)
            if config.game.end_episode_on_game_stats
        }

    def reset(self, seed: int | Iterable[int] | None = None) -> None:
        """Start the next episodes, or with a seed (world i takes seed + i) or one per world the first ones again."""
        if seed is None:
            self.batch.reset()
            return
        seeds = list(seed) if isinstance(seed, Iterable) else [index(seed) + i for i in range(len(self.configs))]
        self.batch.reset(seeds=seeds)
        self._plan_early_ends()

    def step(self) -> None:
        """Step every world once with the actions in the arrays."""
        self.batch.step()
        if self._early or self._thresholds:
            self._end_early()

    def _end_early(self) -> None:
        worlds = self.batch.worlds
        ending = {i for i, last in self._early.items() if worlds[i].current_step == last}
        for i, thresholds in self._thresholds.items():
            values = ((worlds[i].get_game_stat(stat), threshold) for stat, threshold in thresholds.items())
            if any(value is not None and value >= threshold for value, threshold in values):
                ending.add(i)
        for i in ending:
            self.batch.truncations[self.batch.agents_of(i)] = True
        if self._early:
            for i in self.over():
                self._early.pop(i, None)

    def over(self) -> list[int]:
        """Return the worlds whose agents are all terminal or all truncated."""
        terminals, truncations = self.batch.terminals, self.batch.truncations
        over = np.logical_and.reduceat(terminals, self._starts) | np.logical_and.reduceat(truncations, self._starts)
        numbers: list[int] = np.flatnonzero(over).tolist()
        return numbers

    def infos(self, world: int) -> dict[str, Any]:
        """Return the infos of the finished episode of a world."""
        infos = episode_infos(self.batch.worlds[world], self.configs[world])
        infos["attributes"] |= {"world": world, "episode": int(self.batch.episodes[world])}
        return infos

    def text(self, world: int) -> str:
        return map_text(self.batch.worlds[world], self.configs[world])

    def close(self) -> None:
        self.batch.close()
        if self._maps is not None:
            self._maps.close()


def _check_alike(programs: Sequence[Program]) -> None:
    first = programs[0]
    for program in programs[1:]:
        if program.action_names != first.action_names:
            raise ValueError("The configurations have different actions; one environment needs the same everywhere")
        if program.num_tokens != first.num_tokens:
            raise ValueError(
                f"The configurations have {first.num_tokens} and {program.num_tokens} observation tokens; "
                "one environment needs the same everywhere"
            )


def _seeded(builder: MapBuilderConfig, seed: int) -> Any:
    """Return the builder with a seed, if it accepts one."""
    if "seed" not in type(builder).model_fields or getattr(builder, "seed", None) is not None:
        return builder
    return builder.model_copy(update={"seed": seed})
