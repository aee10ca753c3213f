"""Create one simulation after another, with the same handlers and a new map for each."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mettagrid.simulator._agent import SimulationAgent
from mettagrid.simulator._buffers import BoundingBox, Buffers
from mettagrid.simulator._simulation import Simulation
from mettagrid.simulator.interface import AgentObservation, Location, ObservationToken, SimulatorEventHandler
from mettagrid.simulator.map_cache import SharedMapCache, get_shared_cache
from mettagrid.types import Action

if TYPE_CHECKING:
    from mettagrid.config.mettagrid_config import MettaGridConfig

__all__ = [
    "Action",
    "AgentObservation",
    "BoundingBox",
    "Buffers",
    "Location",
    "ObservationToken",
    "Simulation",
    "SimulationAgent",
    "Simulator",
    "SimulatorEventHandler",
]


class Simulator:
    """Creates the simulations of many episodes.

    A map builder with a seed gets `seed + k` for the k-th map of this simulator, or `seed + k % maps_cache_size` with a
    cache; a builder without a seed draws a map each time, with a cache one of at most `maps_cache_size`.
    """

    def __init__(self, maps_cache_size: int | None = None) -> None:
        if maps_cache_size is not None and maps_cache_size < 1:
            raise ValueError(f"maps_cache_size must be at least 1, or None for no cache, not {maps_cache_size}")
        self._maps_cache_size = maps_cache_size
        self._maps_cache: SharedMapCache | None = get_shared_cache(maps_cache_size) if maps_cache_size else None
        self._map_seed_offset = 0
        self._event_handlers: list[SimulatorEventHandler] = []
        self._current_simulation: Simulation | None = None

    def add_event_handler(self, handler: SimulatorEventHandler) -> None:
        """Attach a handler to every simulation created from now on."""
        self._event_handlers.append(handler)

    def new_simulation(
        self, config: MettaGridConfig, seed: int | None = 0, buffers: Buffers | None = None
    ) -> Simulation:
        """Start an episode; `seed` is the engine's, the map has its own (see the class)."""
        self._current_simulation = Simulation(
            config,
            seed=seed,
            event_handlers=self._event_handlers,
            simulator=self,
            buffers=buffers,
            maps_cache=self._maps_cache,
        )
        return self._current_simulation

    def next_map_seed(self, base_seed: int) -> int:
        """Return the seed of the next map; every call counts as a map."""
        offset = self._map_seed_offset
        self._map_seed_offset += 1
        return base_seed + (offset if self._maps_cache_size is None else offset % self._maps_cache_size)

    def close(self) -> None:
        """Close the latest simulation; the simulator can still create others."""
        if self._current_simulation is not None:
            self._current_simulation.close()

    def _on_simulation_closed(self, simulation: Simulation) -> None:
        if self._current_simulation is simulation:
            self._current_simulation = None
