"""Small changes to environments that many variants make."""

from mettagrid.cogame.core import CoGameMission
from mettagrid.config.handler_config import AnyHandler, allOf, firstMatch
from mettagrid.config.mettagrid_config import GridObjectConfig, MettaGridConfig


def add_resource(env: MettaGridConfig, name: str) -> None:
    """Register a resource at the end unless it is known."""
    if name not in env.game.resource_names:
        env.game.add_resource(name)


def add_tag(env: MettaGridConfig, name: str) -> None:
    """Register a tag unless it is known."""
    if name not in env.game.tags:
        env.game.tags.append(name)


def objects_called(env: MettaGridConfig, type_name: str) -> list[GridObjectConfig]:
    """All kinds of object of a type; maps may have several names for one type."""
    return [item for item in env.game.objects.values() if item.name == type_name]


def add_use_handlers(item: GridObjectConfig, handlers: list[AnyHandler]) -> None:
    """Let more handlers be tried, after those there are, when a cog bumps into the object."""
    item.on_use_handler = firstMatch([item.on_use_handler, *handlers])


def add_agent_ticks(env: MettaGridConfig, handlers: list[AnyHandler]) -> None:
    """Let every agent run more handlers in every step."""
    for agent in env.game.agents:
        agent.on_tick = allOf([agent.on_tick, *[handler.model_copy(deep=True) for handler in handlers]])


def add_game_ticks(env: MettaGridConfig, handlers: list[AnyHandler]) -> None:
    """Let the game run more handlers in every step."""
    env.game.on_tick = allOf([env.game.on_tick, *handlers])


def scheduled_steps(mission: CoGameMission) -> int | None:
    """The last step that events are scheduled for; None when the mission has no end."""
    return None if mission.has_variant("endless") or not mission.max_steps else mission.max_steps
