"""One episode: the engine, its talk channel and its event handlers."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from operator import index
from typing import TYPE_CHECKING, Any, cast

import numpy as np

from mettagrid.config.id_map import ObservationFeatureSpec
from mettagrid.mettagrid_c import MettaGrid
from mettagrid.simulator._agent import SimulationAgent
from mettagrid.simulator._buffers import BoundingBox, Buffers
from mettagrid.simulator._errors import SimulationClosedError
from mettagrid.simulator._hearing import Hearing
from mettagrid.simulator._observation import ObservationDecoder
from mettagrid.simulator._setup import build_map, checked_seed, fill_agents, game_of, share_buffers
from mettagrid.simulator._snapshot import read_snapshot, write_snapshot
from mettagrid.simulator.game_stat_end_handler import GameStatEndEpisodeHandler
from mettagrid.simulator.interface import AgentObservation, Location, SimulatorEventHandler, VisibleTalk
from mettagrid.simulator.talk import TalkChannel, TalkState

if TYPE_CHECKING:
    from mettagrid.config.mettagrid_config import MettaGridConfig
    from mettagrid.simulator.map_cache import SharedMapCache
    from mettagrid.simulator.simulator import Simulator
    from mettagrid.types import EpisodeStats

VIBE_PREFIX = "change_vibe_"


class Simulation:
    """A running episode of one game. There is no reset: create a new Simulation for a new episode.

    `seed` drives the engine's own randomness (None draws one); the map has its own seed in its builder's config. With
    `buffers` the engine works in the caller's arrays, otherwise it allocates its own. If the config lists no agents,
    `game.num_agents` copies of `game.agent` in team 0 are written into it. `strict` and `corrections` are those of
    `mettagrid.compiler.compile`.
    """

    def __init__(
        self,
        config: MettaGridConfig,
        seed: int | None = 0,
        event_handlers: Sequence[SimulatorEventHandler] = (),
        simulator: Simulator | None = None,
        buffers: Buffers | None = None,
        maps_cache: SharedMapCache | None = None,
        *,
        strict: bool = False,
        corrections: Collection[str] = (),
    ) -> None:
        game = game_of(config)
        self._engine: MettaGrid | None = None
        self._config = config
        self._seed = checked_seed(seed)
        self._simulator = simulator
        self._context: dict[str, Any] = {}
        self._event_handlers = list(event_handlers)
        if game.end_episode_on_game_stats:
            self._event_handlers.append(GameStatEndEpisodeHandler(game.end_episode_on_game_stats))
        for handler in self._event_handlers:
            handler.set_simulation(self)

        fill_agents(game)
        game_map = build_map(game, simulator=simulator, maps_cache=maps_cache)
        self._engine = engine = MettaGrid(game, game_map.grid, self._seed, strict=strict, corrections=corrections)
        if buffers is not None:
            share_buffers(engine, buffers)
        self._action_names: list[str] = list(engine.action_names)
        self._action_ids = {name: number for number, name in enumerate(self._action_names)}
        self._vibe_action_ids = {n: number for n, number in self._action_ids.items() if n.startswith(VIBE_PREFIX)}
        # Action -> values for the two buffers: (primary, vibe), where 0 is noop and no change.
        self._action_streams = {
            name: (0, number) if name in self._vibe_action_ids else (number, 0)
            for name, number in self._action_ids.items()
        }
        self._decoder = ObservationDecoder(
            game.id_map().features(),
            token_value_base=game.obs.token_value_base,
            obs_height=engine.obs_height,
            obs_width=engine.obs_width,
        )
        self._talk_channel = TalkChannel(game.talk)
        self._hearing = Hearing(game, self._talk_channel)
        self._num_agents = game.num_agents
        for handler in self._event_handlers:
            handler.on_episode_start()

    def step(self) -> None:
        """Run one tick with the actions in the buffers, then talk, then the handlers; also allowed when done."""
        engine = self._c_sim
        engine.step()
        talk = self._talk_channel
        if not talk.is_quiet:
            current_step = engine.current_step
            talk.apply_pending(current_step=current_step)
            talk.expire(current_step=current_step)
        for handler in self._event_handlers:
            handler.on_step()
        if self.is_done():
            for handler in self._event_handlers:
                handler.on_episode_end()

    # Talk, under the published names

    def _visible_talk(self, agent_id: int) -> list[VisibleTalk]:
        """Return the talk that one agent hears now, by speaker id; empty for an agent without a location."""
        return self._hearing.heard_by(agent_id, self._c_sim)

    @property
    def _agent_locations_by_id(self) -> dict[int, Location]:
        return self._hearing.locations

    @_agent_locations_by_id.setter
    def _agent_locations_by_id(self, locations: dict[int, Location]) -> None:
        self._hearing.locations = locations

    @property
    def _agent_locations_step(self) -> int | None:
        """The step for which `_agent_locations_by_id` is valid; in other steps the agents are looked up again."""
        return self._hearing.step

    @_agent_locations_step.setter
    def _agent_locations_step(self, step: int | None) -> None:
        self._hearing.step = step

    def is_done(self) -> bool:
        """Return whether all agents are terminal or all are truncated."""
        engine = self._c_sim
        terminals, truncations = engine.terminals(), engine.truncations()
        # Fast path: while the episode runs, the first agent decides.
        return bool((terminals.item(0) and terminals.all()) or (truncations.item(0) and truncations.all()))

    def end_episode(self) -> None:
        """Truncate every agent's episode; handlers are notified at the end of the next (or the current) step."""
        self._c_sim.truncations()[:] = True

    def snapshot(self) -> bytes:
        """Return a snapshot of the episode, including talk but not the state of event handlers."""
        return write_snapshot(self._c_sim, self._talk_channel)

    def restore(self, snapshot: bytes) -> None:
        """Continue from a snapshot of a simulation with the same config; handlers are not notified.

        Raises ValueError for bytes that are not such a snapshot, in which case nothing changes.
        """
        read_snapshot(snapshot, self._c_sim, self._talk_channel)

    def close(self) -> None:
        """Notify the handlers and release the engine; a second call does nothing.

        Afterwards everything that needs the engine raises SimulationClosedError, an AttributeError.
        """
        if self._engine is None:
            return
        for handler in self._event_handlers:
            handler.on_close()
        self._engine = None
        if self._simulator is not None:
            self._simulator._on_simulation_closed(self)

    def agents(self) -> list[SimulationAgent]:
        """Return all agents in id order."""
        # Created on demand: stored here they would form reference cycles, and only the collector would free the engine.
        return [SimulationAgent(self, agent_id) for agent_id in range(self._num_agents)]

    def agent(self, agent_id: int) -> SimulationAgent:
        """Return the agent with an id from 0 to num_agents - 1; raises IndexError for others."""
        try:
            number = index(agent_id)
        except TypeError:
            raise TypeError(f"An agent id must be an integer, not {agent_id!r}") from None
        if not 0 <= number < self._num_agents:
            raise IndexError(f"No agent {agent_id}; this game has agents 0 to {self._num_agents - 1}")
        return SimulationAgent(self, number)

    def observations(self) -> list[AgentObservation]:
        """Return the current observation of every agent, in id order."""
        return [agent.observation for agent in self.agents()]

    def grid_objects(
        self, bbox: BoundingBox | None = None, ignore_types: Sequence[str] | None = None
    ) -> dict[int, dict[str, Any]]:
        """Return {object id: its properties} of all objects on the map or inside `bbox`, except the types to ignore."""
        ignored = list(ignore_types or ())
        if bbox is None:
            return self._c_sim.grid_objects(ignore_types=ignored)
        return self._c_sim.grid_objects(bbox.min_row, bbox.max_row, bbox.min_col, bbox.max_col, ignored)

    def talk_states(self) -> dict[int, TalkState]:
        """Return the current talk by speaker id."""
        return self._talk_channel.render_states(current_step=self.current_step)

    def get_feature(self, feature_id: int) -> ObservationFeatureSpec:
        """Return the feature with this id; raises KeyError if the game has none."""
        try:
            return self._decoder.features[feature_id]
        except KeyError:
            raise KeyError(f"No feature {feature_id!r}; this game has {len(self._decoder.features)} of them") from None

    @property
    def config(self) -> MettaGridConfig:
        return self._config

    @property
    def seed(self) -> int:
        """The engine's seed; the drawn one if None was given."""
        return self._seed

    @property
    def current_step(self) -> int:
        """Steps taken; 0 before the first one."""
        step: int = self._c_sim.current_step
        return step

    @property
    def num_agents(self) -> int:
        return self._num_agents

    @property
    def episode_rewards(self) -> np.ndarray:
        """The sum of rewards so far, float32 [num_agents]."""
        return self._c_sim.get_episode_rewards()

    @property
    def episode_stats(self) -> EpisodeStats:
        """{"game": {name: number}, "agent": [{name: number}, ...]}, the agents in id order."""
        return cast("EpisodeStats", self._c_sim.get_episode_stats())

    @property
    def action_success(self) -> list[bool]:
        """For each agent, whether the last step's action succeeded."""
        success: list[bool] = self._c_sim.action_success()
        return success

    @property
    def action_names(self) -> list[str]:
        """All actions, including vibe changes; the index is the engine's action id."""
        return self._action_names

    @property
    def action_ids(self) -> dict[str, int]:
        """{action name: engine's id}, including vibe changes."""
        return self._action_ids

    @property
    def vibe_action_names(self) -> list[str]:
        return list(self._vibe_action_ids)

    @property
    def vibe_action_ids(self) -> dict[str, int]:
        """{vibe action name: engine's id}."""
        return self._vibe_action_ids

    @property
    def features(self) -> list[ObservationFeatureSpec]:
        """Every observation feature; the index is its id."""
        return list(self._decoder.features.values())

    @property
    def num_observation_tokens(self) -> int:
        """Tokens per agent as configured; buffers of the caller may have a different size."""
        return self._config.game.obs.num_tokens

    @property
    def observation_shape(self) -> tuple[int, int]:
        """(tokens, 3) as configured."""
        return (self._config.game.obs.num_tokens, self._config.game.obs.token_dim)

    @property
    def object_type_names(self) -> list[str]:
        """Names of the object types; the index is the type id."""
        return self._c_sim.object_type_names

    @property
    def resource_names(self) -> list[str]:
        """Names of the resources; the index is the resource id."""
        return self._c_sim.resource_names

    @property
    def map_width(self) -> int:
        width: int = self._c_sim.map_width
        return width

    @property
    def map_height(self) -> int:
        height: int = self._c_sim.map_height
        return height

    @property
    def _c_sim(self) -> MettaGrid:
        """The native engine."""
        if self._engine is None:
            raise SimulationClosedError
        return self._engine
