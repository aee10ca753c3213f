"""The actions of agents."""

from abc import abstractmethod
from typing import Any, Literal

from pydantic import Field, ValidationInfo, field_validator

from mettagrid.base_config import Config, is_lenient
from mettagrid.config._rules import AnyNestedHandler
from mettagrid.config.vibes import VIBES, Vibe
from mettagrid.types import Action

CHANGE_VIBE_PREFIX = "change_vibe_"

Direction = Literal["north", "south", "east", "west", "northeast", "northwest", "southeast", "southwest"]
Directions: list[Direction] = [
    "north",
    "south",
    "east",
    "west",
    "northeast",
    "northwest",
    "southeast",
    "southwest",
]

CardinalDirection = Literal["north", "south", "west", "east"]
CardinalDirections: list[CardinalDirection] = ["north", "south", "west", "east"]


def _cardinal_directions() -> list[Direction]:
    return ["north", "south", "west", "east"]


class ActionConfig(Config):
    """Base of the action kinds. The names in resource costs are checked; costs have no other effect."""

    action_handler: str
    enabled: bool = True
    required_resources: dict[str, int] = Field(default_factory=dict)
    consumed_resources: dict[str, int] = Field(default_factory=dict)

    def actions(self) -> list[Action]:
        """Return the actions of this kind, none while it is disabled."""
        return self._actions() if self.enabled else []

    @abstractmethod
    def _actions(self) -> list[Action]: ...


class NoopActionConfig(ActionConfig):
    """Doing nothing."""

    action_handler: str = "noop"

    def Noop(self) -> Action:
        """Return the action that does nothing."""
        return Action(name="noop")

    def _actions(self) -> list[Action]:
        return [self.Noop()]


class MoveActionConfig(ActionConfig):
    """Moving to a neighbouring cell, or using the object on it.

    `handlers` are tried before the two built-in ones (move into an empty cell, use the object there).
    """

    action_handler: str = "move"
    allowed_directions: list[Direction] = Field(default_factory=_cardinal_directions)
    handlers: list[AnyNestedHandler] = Field(default_factory=list)

    def Move(self, direction: Direction) -> Action:
        """Return the action that moves in a direction."""
        return Action(name=f"move_{direction}")

    def _actions(self) -> list[Action]:
        return [self.Move(direction) for direction in self.allowed_directions]


class ChangeVibeActionConfig(ActionConfig):
    """Showing a vibe; the position in `vibes` is the vibe id."""

    action_handler: str = "change_vibe"
    vibes: list[Vibe] = Field(default_factory=lambda: list(VIBES))

    @field_validator("vibes", mode="before")
    @classmethod
    def _drop_unknown_keys_of_vibes(cls, vibes: Any, info: ValidationInfo) -> Any:
        if is_lenient(info.context) and isinstance(vibes, list):
            known = ("symbol", "name", "category")
            return [{k: v for k, v in vibe.items() if k in known} if isinstance(vibe, dict) else vibe for vibe in vibes]
        return vibes

    def ChangeVibe(self, vibe: Vibe) -> Action:
        """Return the action that shows a vibe."""
        return Action(name=f"{CHANGE_VIBE_PREFIX}{vibe.name}")

    def _actions(self) -> list[Action]:
        return [self.ChangeVibe(vibe) for vibe in self.vibes]


class AttackOutcome(Config):
    """The effects of a successful attack."""

    actor_inv_delta: dict[str, int] = Field(default_factory=dict)
    target_inv_delta: dict[str, int] = Field(default_factory=dict)
    loot: list[str] = Field(default_factory=list)


class AttackActionConfig(ActionConfig):
    """Read for compatibility; the engine does nothing with it and it adds no action."""

    action_handler: str = "attack"
    defense_resources: dict[str, int] = Field(default_factory=dict)
    armor_resources: dict[str, int] = Field(default_factory=dict)
    weapon_resources: dict[str, int] = Field(default_factory=dict)
    success: AttackOutcome = Field(default_factory=AttackOutcome)
    vibes: list[str] = Field(default_factory=list)
    vibe_bonus: dict[str, int] = Field(default_factory=dict)

    def _actions(self) -> list[Action]:
        return []


class ActionsConfig(Config):
    """All action kinds of a game."""

    noop: NoopActionConfig = Field(default_factory=NoopActionConfig)
    move: MoveActionConfig = Field(default_factory=MoveActionConfig)
    attack: AttackActionConfig = Field(default_factory=lambda: AttackActionConfig(enabled=False))
    change_vibe: ChangeVibeActionConfig = Field(default_factory=ChangeVibeActionConfig)

    def actions(self) -> list[Action]:
        """Return all enabled actions: noop, moves, vibes."""
        kinds = (self.noop, self.move, self.attack, self.change_vibe)
        return [action for kind in kinds for action in kind.actions()]
