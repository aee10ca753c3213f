"""Work out which agents hear which talk, from their locations on the map."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mettagrid.simulator.interface import Location, VisibleTalk

if TYPE_CHECKING:
    from mettagrid.config.mettagrid_config import GameConfig
    from mettagrid.mettagrid_c import MettaGrid
    from mettagrid.simulator.talk import TalkChannel


class Hearing:
    """Locates the agents on the map only while one of them talks, and then once per step."""

    def __init__(self, game: GameConfig, channel: TalkChannel) -> None:
        self._channel = channel
        self._agent_types = {agent.name for agent in game.agents}
        self._broadcast_resource = game.talk.broadcast_resource
        self.step: int | None = None
        """the step for which the next two fields are valid"""
        self.locations: dict[int, Location] = {}
        self._broadcasters: set[int] = set()  # agents that hold the broadcast resource

    def heard_by(self, agent_id: int, engine: MettaGrid) -> list[VisibleTalk]:
        """Return the talk that one agent hears now, by speaker id."""
        if self._channel.is_quiet:
            return []
        if self.step != engine.current_step:
            self._find_agents(engine)
        return self._channel.visible_talk(
            agent_id,
            current_step=engine.current_step,
            agent_locations=self.locations,
            obs_height=engine.obs_height,
            obs_width=engine.obs_width,
            broadcast_agent_ids=self._broadcasters,
        )

    def _find_agents(self, engine: MettaGrid) -> None:
        others = [name for name in engine.object_type_names if name not in self._agent_types]
        agents = [item for item in engine.grid_objects(ignore_types=others).values() if "agent_id" in item]
        self.step = engine.current_step
        self.locations = {item["agent_id"]: Location(item["r"], item["c"]) for item in agents}
        self._broadcasters = set()
        if self._broadcast_resource in engine.resource_names:
            resource_id = engine.resource_names.index(self._broadcast_resource)
            self._broadcasters = {item["agent_id"] for item in agents if item["inventory"].get(resource_id)}
