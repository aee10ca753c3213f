"""The configuration of a grid game: `MettaGridConfig` and its parts.

The action, observation, reward, render and game value models can also be imported from here.
"""

from typing import Annotated, Any, Literal, Self

from pydantic import ConfigDict, Field, model_validator
from pydantic.functional_validators import ModelWrapValidatorHandler
from pydantic_core import PydanticCustomError

from mettagrid.base_config import Config
from mettagrid.config._rules import AnyHandler, TaggedUnion
from mettagrid.config.action_config import (
    ActionConfig,
    ActionsConfig,
    AttackActionConfig,
    AttackOutcome,
    CardinalDirection,
    CardinalDirections,
    ChangeVibeActionConfig,
    Direction,
    Directions,
    MoveActionConfig,
    NoopActionConfig,
)
from mettagrid.config.env_config import EnvConfig
from mettagrid.config.event_config import EventConfig, lower_events
from mettagrid.config.game_value import (
    PUBLISHED_CONTEXT,
    AnyGameValue,
    ConstValue,
    GameValue,
    InventoryValue,
    MaxGameValue,
    MinGameValue,
    QueryCountValue,
    QueryInventoryValue,
    RatioGameValue,
    Scope,
    StatValue,
    SumGameValue,
)
from mettagrid.config.handler_config import AOEConfig, Handler
from mettagrid.config.id_map import IdMap
from mettagrid.config.obs_config import GlobalObsConfig, ObsConfig
from mettagrid.config.query import MaterializedQuery
from mettagrid.config.render_config import RenderAsset, RenderConfig, RenderHudConfig, RenderStatusBarConfig
from mettagrid.config.reward_config import AgentReward
from mettagrid.config.territory_config import TerritoryConfig, TerritoryControlConfig
from mettagrid.map_builder.ascii import AsciiMapBuilder
from mettagrid.map_builder.map_builder import AnyMapBuilderConfig
from mettagrid.map_builder.random_map import RandomMapBuilder

__all__ = [
    "AOEConfig",
    "ActionConfig",
    "ActionsConfig",
    "AgentConfig",
    "AgentReward",
    "AnyGameValue",
    "AnyGridObjectConfig",
    "AnyHandler",
    "AnyMapBuilderConfig",
    "AsciiMapBuilder",
    "AttackActionConfig",
    "AttackOutcome",
    "CardinalDirection",
    "CardinalDirections",
    "ChangeVibeActionConfig",
    "Config",
    "ConstValue",
    "Direction",
    "Directions",
    "EnvConfig",
    "EventConfig",
    "GameConfig",
    "GameValue",
    "GlobalObsConfig",
    "GridObjectConfig",
    "Handler",
    "IdMap",
    "InventoryConfig",
    "InventoryValue",
    "MaterializedQuery",
    "MaxGameValue",
    "MettaGridConfig",
    "MinGameValue",
    "MoveActionConfig",
    "NoopActionConfig",
    "ObsConfig",
    "QueryCountValue",
    "QueryInventoryValue",
    "RandomMapBuilder",
    "RatioGameValue",
    "RenderAsset",
    "RenderConfig",
    "RenderHudConfig",
    "RenderStatusBarConfig",
    "ResourceLimitsConfig",
    "Scope",
    "StatValue",
    "SumGameValue",
    "TalkConfig",
    "TerritoryConfig",
    "TerritoryControlConfig",
    "WallConfig",
]

_DEFAULT_NUM_AGENTS = 24
_MAX_AMOUNT = 65535  # amounts are 16 bit numbers
_MAX_AGENTS = 65535

_DEFAULT_RESOURCES = [
    "ore_red",
    "ore_blue",
    "ore_green",
    "battery_red",
    "battery_blue",
    "battery_green",
    "heart",
    "armor",
    "laser",
    "blueprint",
]


class ResourceLimitsConfig(Config):
    """A limit shared by all `resources`: min(max, max(base, sum of modifier x amount held))."""

    base: int
    max: int = _MAX_AMOUNT
    resources: list[str]
    modifiers: dict[str, int] = Field(default_factory=dict)


class InventoryConfig(Config):
    """The initial inventory of an object and its limits."""

    default_limit: int = Field(default=_MAX_AMOUNT, ge=0)
    limits: dict[str, ResourceLimitsConfig] = Field(default_factory=dict)
    initial: dict[str, int] = Field(default_factory=dict)

    def get_limit(self, resource_name: str) -> int:
        """Return the base limit of the group with that resource, or `default_limit`."""
        for group in self.limits.values():
            if resource_name in group.resources:
                return group.base
        return self.default_limit


class GridObjectConfig(Config):
    """A type of object.

    `name` is the type, `map_name` (by default the same) its name in maps. `on_tag_remove` has tag prefixes as keys.
    `handlers` is read for compatibility and has no effect.
    """

    pydantic_type: Literal["object"] = "object"
    name: str
    map_name: str = ""
    tags: list[str] = Field(default_factory=list)
    vibe: int = Field(default=0, ge=0, le=255)
    aoes: dict[str, AOEConfig] = Field(default_factory=dict)
    territory_controls: list[TerritoryControlConfig] = Field(default_factory=list)
    inventory: InventoryConfig = Field(default_factory=InventoryConfig)
    blocks_vision: bool = False
    handlers: dict[str, Handler] = Field(default_factory=dict)
    on_use_handler: AnyHandler | None = None
    on_tag_remove: dict[str, Handler] = Field(default_factory=dict)

    @model_validator(mode="after")
    def _name_on_maps(self) -> "GridObjectConfig":
        self.map_name = self.map_name or self.name
        return self


class WallConfig(GridObjectConfig):
    """A wall."""

    pydantic_type: Literal["wall"] = "wall"  # type: ignore[assignment]
    name: str = "wall"


class AgentConfig(GridObjectConfig):
    """An agent.

    `on_tick` runs every step with the agent as actor and target, `on_after_use_handler` after it used an object.
    """

    name: str = "agent"
    team_id: int = Field(default=0, ge=0)
    rewards: dict[str, AgentReward] = Field(default_factory=dict)
    initial_stats: dict[str, float] = Field(default_factory=dict)
    on_tick: AnyHandler | None = None
    on_after_use_handler: AnyHandler | None = None

    @model_validator(mode="after")
    def _cannot_block_vision(self) -> "AgentConfig":
        if self.blocks_vision:
            raise ValueError("blocks_vision is true on an agent; only other objects can block vision.")
        return self


_GRID_OBJECTS = TaggedUnion("grid object", "pydantic_type", lambda: (WallConfig, GridObjectConfig), default="object")

AnyGridObjectConfig = Annotated[WallConfig | GridObjectConfig, _GRID_OBJECTS]


class TalkConfig(Config):
    """Short texts of agents. Holders of `broadcast_resource` hear one another at any distance."""

    enabled: bool = False
    max_length: int = Field(default=140, ge=1)
    cooldown_steps: int = Field(default=50, ge=0)
    broadcast_resource: str | None = None


class GameConfig(Config):
    """The rules of a game and its map.

    `agent` is the template for all `num_agents` agents unless `agents` lists them. `vibe_names` always follows
    `actions.change_vibe.vibes`. `max_steps` 0 means no limit; `end_episode_on_game_stats` ends the episode as soon as
    a game stat reaches its threshold. `params` is free for the author's use.
    """

    model_config = ConfigDict(arbitrary_types_allowed=True)

    resource_names: list[str] = Field(default=_DEFAULT_RESOURCES)
    vibe_names: list[str] = Field(default_factory=list)
    num_agents: int = Field(default=_DEFAULT_NUM_AGENTS, ge=1)
    max_steps: int = Field(default=10000, ge=0)
    episode_truncates: bool = False
    obs: ObsConfig = Field(default_factory=ObsConfig)
    agent: AgentConfig = Field(default_factory=AgentConfig)
    agents: list[AgentConfig] = Field(default_factory=list)
    actions: ActionsConfig = Field(default_factory=ActionsConfig)
    objects: dict[str, AnyGridObjectConfig] = Field(default_factory=dict)
    params: Any | None = None
    territories: dict[str, TerritoryConfig] = Field(default_factory=dict)
    events: dict[str, EventConfig] = Field(default_factory=dict)
    render: RenderConfig = Field(default_factory=RenderConfig)
    map_builder: AnyMapBuilderConfig = Field(
        default_factory=lambda: RandomMapBuilder.Config(agents=_DEFAULT_NUM_AGENTS)
    )
    protocol_details_obs: bool = True
    reward_estimates: dict[str, float] | None = None
    talk: TalkConfig = Field(default_factory=TalkConfig)
    tags: list[str] = Field(default_factory=list)
    materialize_queries: list[MaterializedQuery] = Field(default_factory=list)
    on_tick: AnyHandler | None = None
    end_episode_on_game_stats: dict[str, float] = Field(default_factory=dict)

    @model_validator(mode="wrap")
    @classmethod
    def _refuse_bottomless_data(cls, data: Any, handler: ModelWrapValidatorHandler[Self]) -> Self:
        try:
            return handler(data)
        except RecursionError:  # even the error message about a wrong value recurses into it
            raise PydanticCustomError("nested_too_deeply", "Lists or dictionaries are nested too deeply.") from None

    @model_validator(mode="after")
    def _limit_agents(self) -> "GameConfig":
        # Not part of the field's type, which would change the published schema.
        if self.num_agents > _MAX_AGENTS:
            raise ValueError(f"num_agents is {self.num_agents}; at most {_MAX_AGENTS} agents are possible.")
        return self

    @model_validator(mode="after")
    def _follow_vibes_and_check_territories(self) -> "GameConfig":
        self.vibe_names = [vibe.name for vibe in self.actions.change_vibe.vibes]
        places: list[tuple[str, GridObjectConfig]] = [
            *((f"objects.{key}", thing) for key, thing in self.objects.items()),
            ("agent", self.agent),
            *((f"agents[{number}]", agent) for number, agent in enumerate(self.agents)),
        ]
        for place, thing in places:
            for control in thing.territory_controls:
                if control.territory not in self.territories:
                    known = ", ".join(self.territories) or "none"
                    raise ValueError(
                        f"{place} controls the territory {control.territory!r}; the territories are: {known}."
                    )
        return self

    def add_resource(self, name: str) -> None:
        """Add a resource at the end of `resource_names`; it must be new."""
        assert name not in self.resource_names, f"The resource {name!r} exists already."
        self.resource_names.append(name)

    def id_map(self) -> IdMap:
        """Return the ids of features and tags of this game."""
        return IdMap(self)


class MettaGridConfig(EnvConfig):
    """An environment of the grid engine."""

    game_engine: Literal["mettagrid"] = "mettagrid"
    label: str = "mettagrid"
    game: GameConfig = Field(default_factory=GameConfig)
    desync_episodes: bool = True

    @property
    def num_agents(self) -> int:
        return self.game.num_agents

    @classmethod
    def set_map_seed(cls, config: dict[str, Any], seed: int) -> None:
        builder = config["game"]["map_builder"]
        if "seed" not in builder:
            raise KeyError("game.map_builder has no seed to set.")
        builder["seed"] = seed

    @classmethod
    def set_max_steps(cls, config: dict[str, Any], max_steps: int) -> None:
        config["game"]["max_steps"] = max_steps

    @classmethod
    def get_max_steps(cls, config: dict[str, Any]) -> int:
        return config["game"]["max_steps"]

    @classmethod
    def get_num_agents(cls, config: dict[str, Any]) -> int:
        return config["game"]["num_agents"]

    def with_ascii_map(
        self, map_data: "str | list[str] | list[list[str]]", char_to_map_name: dict[str, str]
    ) -> "MettaGridConfig":
        """Replace the map by a drawn one and return `self`."""
        self.game.map_builder = AsciiMapBuilder.Config.model_validate(
            {"map_data": map_data, "char_to_map_name": char_to_map_name}
        )
        return self

    @staticmethod
    def EmptyRoom(
        num_agents: int, width: int = 10, height: int = 10, border_width: int = 1, with_walls: bool = False
    ) -> "MettaGridConfig":
        """Return a room that contains only agents, with walls around it unless `border_width` is 0."""
        game = GameConfig(
            map_builder=RandomMapBuilder.Config(
                agents=num_agents, width=width, height=height, border_width=border_width
            ),
            actions=ActionsConfig(move=MoveActionConfig(), change_vibe=ChangeVibeActionConfig()),
            num_agents=num_agents,
        )
        if border_width > 0 or with_walls:
            game.objects = {"wall": WallConfig()}
            game.render = RenderConfig(symbols={"wall": "⬛"})
        return MettaGridConfig(game=game)

    def to_published(self) -> dict[str, Any]:
        """Return a JSON-ready dump that the published mettagrid 0.26 package reads.

        Events with `nearest` become chains of events. `"$type"`, which that package does not know, is omitted: it then
        reads maximum and minimum game values as sums, exactly as it does from its own dumps.
        """
        game = self.game.model_copy(update={"events": lower_events(self.game.events)})
        return self.model_copy(update={"game": game}).model_dump(mode="json", context=PUBLISHED_CONTEXT)
