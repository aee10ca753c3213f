"""Small example environments."""

from typing import Any

from mettagrid.builder import building
from mettagrid.config.game_value import InventoryValue
from mettagrid.config.mettagrid_config import (
    ActionsConfig,
    AgentConfig,
    AnyGridObjectConfig,
    AttackActionConfig,
    ChangeVibeActionConfig,
    GameConfig,
    InventoryConfig,
    MettaGridConfig,
    MoveActionConfig,
    NoopActionConfig,
    ResourceLimitsConfig,
)
from mettagrid.config.reward_config import AgentReward, reward
from mettagrid.map_builder.map_builder import MapBuilderConfig
from mettagrid.map_builder.perimeter_incontext import PerimeterInContextMapBuilder
from mettagrid.map_builder.random_map import RandomMapBuilder


def make_arena(
    num_agents: int, combat: bool = True, map_builder: MapBuilderConfig[Any] | None = None
) -> MettaGridConfig:
    """Return a walled field where agents are rewarded for hearts; without `combat` a shot costs a hundred lasers."""
    if map_builder is None:
        map_builder = _arena_map(num_agents)
    actions = ActionsConfig(
        noop=NoopActionConfig(),
        move=MoveActionConfig(),
        attack=AttackActionConfig(consumed_resources={"laser": 1 if combat else 100}, defense_resources={"armor": 1}),
        change_vibe=ChangeVibeActionConfig(enabled=False),
    )
    return MettaGridConfig(
        label="arena.combat" if combat else "arena",
        game=GameConfig(
            num_agents=num_agents,
            actions=actions,
            objects=_walls(),
            agent=AgentConfig(
                inventory=InventoryConfig(
                    default_limit=50, limits={"heart": ResourceLimitsConfig(base=255, resources=["heart"])}
                ),
                rewards=_heart_reward(),
            ),
            map_builder=map_builder,
        ),
    )


def make_navigation(num_agents: int) -> MettaGridConfig:
    """Return an open field where agents only find hearts."""
    return MettaGridConfig(
        game=GameConfig(
            num_agents=num_agents,
            resource_names=["heart"],
            actions=ActionsConfig(move=MoveActionConfig(), noop=NoopActionConfig()),
            objects=_walls(),
            agent=AgentConfig(rewards=_heart_reward()),
            map_builder=RandomMapBuilder.Config(agents=num_agents),
        )
    )


def make_assembly_lines(
    num_agents: int,
    max_steps: int,
    game_objects: dict[str, AnyGridObjectConfig],
    map_builder_objects: dict[str, int],
    width: int = 6,
    height: int = 6,
    terrain: str = "no-terrain",
    chain_length: int = 2,
    num_sinks: int = 0,
    dir: str | None = None,  # the published name
) -> MettaGridConfig:
    """Return one room per agent, with objects along its edge that form a production chain."""
    room = PerimeterInContextMapBuilder.Config(
        width=width,
        height=height,
        objects=map_builder_objects,
        density=terrain,
        chain_length=chain_length,
        num_sinks=num_sinks,
        dir=dir,
    )
    return MettaGridConfig(
        desync_episodes=False,
        game=GameConfig(
            max_steps=max_steps,
            num_agents=num_agents,
            objects={**game_objects, **_walls()},
            map_builder=_mapgen(instances=num_agents, instance=room),
            actions=ActionsConfig(move=MoveActionConfig(), noop=NoopActionConfig()),
            agent=AgentConfig(
                inventory=InventoryConfig(
                    default_limit=1, limits={"heart": ResourceLimitsConfig(base=15, resources=["heart"])}
                ),
                rewards=_heart_reward(),
            ),
        ),
    )


def _walls() -> dict[str, AnyGridObjectConfig]:
    return {"wall": building.wall.model_copy(deep=True)}


def _heart_reward() -> dict[str, AgentReward]:
    return {"heart": reward(InventoryValue(item="heart"))}


def _arena_map(num_agents: int) -> MapBuilderConfig[Any]:
    from mettagrid.mapgen.scenes.random import Random  # the scenes are a large import

    return _mapgen(
        num_agents=num_agents,
        width=25,
        height=25,
        border_width=6,
        instance_border_width=0,
        instance=Random.Config(agents=num_agents, objects={"wall": 10}),
    )


def _mapgen(**fields: Any) -> MapBuilderConfig[Any]:
    from mettagrid.mapgen.mapgen import MapGen  # a large import

    return MapGen.Config(**fields)
