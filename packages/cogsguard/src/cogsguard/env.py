"""Small edits to environments that several variants share."""

from mettagrid.config.handler_config import AnyHandler, allOf, firstMatch
from mettagrid.config.mettagrid_config import GridObjectConfig, MettaGridConfig


def add_resource(env: MettaGridConfig, name: str) -> None:
    """Append a resource unless the environment has it."""
    if name not in env.game.resource_names:
        env.game.add_resource(name)


def add_tag(env: MettaGridConfig, name: str) -> None:
    """Append a tag unless the environment has it."""
    if name not in env.game.tags:
        env.game.tags.append(name)


def objects_called(env: MettaGridConfig, type_name: str) -> list[GridObjectConfig]:
    """Return every object config of a type; a map may use several names for one type."""
    return [item for item in env.game.objects.values() if item.name == type_name]


def add_use_handlers(item: GridObjectConfig, handlers: list[AnyHandler]) -> None:
    """Append handlers to those the engine tries when a cog bumps into the object."""
    item.on_use_handler = firstMatch([item.on_use_handler, *handlers])


def add_agent_ticks(env: MettaGridConfig, handlers: list[AnyHandler]) -> None:
    """Append handlers that every agent runs in every step."""
    for agent in env.game.agents:
        agent.on_tick = allOf([agent.on_tick, *[handler.model_copy(deep=True) for handler in handlers]])


def add_game_ticks(env: MettaGridConfig, handlers: list[AnyHandler]) -> None:
    """Append handlers that the game runs in every step."""
    env.game.on_tick = allOf([env.game.on_tick, *handlers])
