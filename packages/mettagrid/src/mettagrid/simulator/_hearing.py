"""Who hears whom: the talk channel seen from the agents' places on the map."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from mettagrid.simulator.interface import Location, VisibleTalk

if TYPE_CHECKING:
    from mettagrid.config.mettagrid_config import GameConfig
    from mettagrid.mettagrid_c import MettaGrid
    from mettagrid.simulator.talk import TalkChannel


class _Places(NamedTuple):
    step: int
    locations: dict[int, Location]
    broadcasters: set[int]  # agents that hold the broadcast resource


class Hearing:
    """Looks for the agents on the map only while somebody talks, and then once per step."""

    def __init__(self, game: GameConfig, channel: TalkChannel) -> None:
        self._channel = channel
        self._agent_types = {agent.name for agent in game.agents}
        self._broadcast_resource = game.talk.broadcast_resource
        self._places: _Places | None = None

    def heard_by(self, agent_id: int, engine: MettaGrid) -> list[VisibleTalk]:
        """What one agent hears now, by speaker id."""
        if self._channel.is_quiet:
            return []
        if self._places is None or self._places.step != engine.current_step:
            self._places = self._find_agents(engine)
        return self._channel.visible_talk(
            agent_id,
            current_step=self._places.step,
            agent_locations=self._places.locations,
            obs_height=engine.obs_height,
            obs_width=engine.obs_width,
            broadcast_agent_ids=self._places.broadcasters,
        )

    def _find_agents(self, engine: MettaGrid) -> _Places:
        others = [name for name in engine.object_type_names if name not in self._agent_types]
        agents = [found for found in engine.grid_objects(ignore_types=others).values() if "agent_id" in found]
        locations = {found["agent_id"]: Location(found["r"], found["c"]) for found in agents}
        broadcasters = set()
        if self._broadcast_resource in engine.resource_names:
            resource_id = engine.resource_names.index(self._broadcast_resource)
            broadcasters = {found["agent_id"] for found in agents if found["inventory"].get(resource_id)}
        return _Places(engine.current_step, locations, broadcasters)
