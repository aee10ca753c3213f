"""The description of a game that a policy gets."""

from __future__ import annotations

import json
import math
from functools import cached_property
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
from pydantic import BaseModel, Field, field_validator

from mettagrid.config.id_map import ObservationFeatureSpec
from mettagrid.config.mettagrid_config import MettaGridConfig, TalkConfig

if TYPE_CHECKING:
    from mettagrid.envs._spaces import Box, Discrete, Space
    from mettagrid.protobuf.sim.policy_v1 import policy_pb2

__all__ = ["PolicyEnvInterface"]

CHANGE_VIBE_PREFIX = "change_vibe_"
_NO_MOVE_COST = -1  # on the wire, where a number cannot be left out

ObservationKind = Literal["token", "box", "bitmask", "pixels", "sprite_player", "sprite_scene"]


class PolicyEnvInterface(BaseModel):
    """Names and numbers of a game: what can be observed and what can be done.

    Action numbers a policy writes (`step_batch`) are positions in `all_action_names`.
    """

    obs_features: list[ObservationFeatureSpec] = Field(
        default_factory=list, description="Observation features; a token's second byte is the id of one of these"
    )
    tags: list[str] = Field(
        default_factory=list, description="All tags in alphabetical order; the value of a `tag` token is the position"
    )
    action_names: list[str] = Field(description="All actions but those that change the vibe, in the engine's order")
    vibe_action_names: list[str] = Field(default_factory=list, description="The actions that change the vibe")
    move_energy_cost: int | None = Field(default=None, description="Energy cost of a move, if any")
    observation_kind: ObservationKind = Field(default="token", description="Kind of the observation's elements")
    observation_dtype: str = Field(default="uint8", description="NumPy's name for the type of its numbers")
    observation_low: float | None = Field(default=0.0, description="The smallest number in it, if bounded")
    observation_high: float | None = Field(default=255.0, description="The largest number in it, if bounded")
    num_agents: int = Field(description="Number of agents in the game")
    observation_shape: tuple[int, ...] = Field(description="Shape of one agent's observation; (tokens, 3) for tokens")
    egocentric_shape: tuple[int, int] = Field(description="(height, width) of the window an agent sees, in cells")
    talk: TalkConfig = Field(default_factory=TalkConfig, description="Whether agents may talk, and how")

    @field_validator("observation_kind", mode="before")
    @classmethod
    def _normalize_observation_kind(cls, value: object) -> object:
        return "token" if value == "tokens" else value

    @property
    def is_raw(self) -> bool:
        """Whether observations are arrays for `step_batch` alone: those of BitWorld games."""
        return self.observation_kind in ("pixels", "sprite_player", "sprite_scene")

    @property
    def obs_height(self) -> int:
        return self.egocentric_shape[0]

    @property
    def obs_width(self) -> int:
        return self.egocentric_shape[1]

    @property
    def observation_space(self) -> Box:
        """One agent's observation; bounds that are not known count as 0 and 255. Needs Gymnasium."""
        from mettagrid.envs._spaces import Box

        low = 0.0 if self.observation_low is None else self.observation_low
        high = 255.0 if self.observation_high is None else self.observation_high
        dtype: Any = np.dtype(self.observation_dtype)
        return Box(low, high, self.observation_shape, dtype.type)

    @property
    def action_space(self) -> Discrete:
        """Positions in `action_names`. Needs Gymnasium."""
        return _discrete(len(self.action_names))

    @property
    def vibe_action_space(self) -> Discrete:
        """Positions in `vibe_action_names`; a space of one where there are none. Needs Gymnasium."""
        return _discrete(max(1, len(self.vibe_action_names)))

    @cached_property
    def all_action_names(self) -> list[str]:
        """`action_names` and then `vibe_action_names`."""
        return [*self.action_names, *self.vibe_action_names]

    @cached_property
    def action_name_to_flat_index(self) -> dict[str, int]:
        """The position of each action in `all_action_names`."""
        return {name: index for index, name in enumerate(self.all_action_names)}

    @property
    def tag_id_to_name(self) -> dict[int, str]:
        return dict(enumerate(self.tags))

    @classmethod
    def from_mg_cfg(cls, mg_cfg: MettaGridConfig) -> PolicyEnvInterface:
        """Return the description of the game of a configuration."""
        game = mg_cfg.game
        names = game.id_map()
        action_names, vibe_action_names = cls._split_action_names([action.name for action in game.actions.actions()])
        return cls(
            obs_features=names.features(),
            tags=names.tag_names(),
            action_names=action_names,
            vibe_action_names=vibe_action_names,
            move_energy_cost=game.actions.move.consumed_resources.get("energy"),
            num_agents=game.num_agents,
            observation_shape=(game.obs.num_tokens, game.obs.token_dim),
            egocentric_shape=(game.obs.height, game.obs.width),
            talk=game.talk.model_copy(deep=True),
        )

    @classmethod
    def from_spaces(
        cls,
        *,
        observation_space: Space[Any],
        action_space: Space[Any],
        num_agents: int,
        action_names: list[str] | None = None,
        vibe_action_names: list[str] | None = None,
        observation_kind: ObservationKind = "box",
    ) -> PolicyEnvInterface:
        """Return the description of another engine's game, from Gymnasium's spaces.

        Actions are called `action_0`, `action_1`, ... unless `action_names` gives one name for each. Raises
        `TypeError` if the spaces are not a `Box` and a `Discrete`, `ValueError` if the names do not fit.
        """
        from mettagrid.envs._spaces import Box, Discrete

        if not isinstance(observation_space, Box):
            raise TypeError(f"The observation space must be a `Box`; it is a `{type(observation_space).__name__}`")
        if not isinstance(action_space, Discrete):
            raise TypeError(f"The action space must be a `Discrete`; it is a `{type(action_space).__name__}`")
        shape = tuple(int(size) for size in observation_space.shape)
        if not shape:
            raise ValueError("The observation space has no dimension; give it a shape such as (1,)")
        count = int(action_space.n)
        names = [f"action_{index}" for index in range(count)] if action_names is None else list(action_names)
        if len(names) != count:
            raise ValueError(f"There are {count} actions and {len(names)} `action_names`; give one name for each")
        low, high = float(np.min(observation_space.low)), float(np.max(observation_space.high))
        return cls(
            action_names=names,
            vibe_action_names=list(vibe_action_names or ()),
            observation_kind=observation_kind,
            observation_dtype=np.dtype(observation_space.dtype).name,
            observation_low=low if math.isfinite(low) else None,
            observation_high=high if math.isfinite(high) else None,
            num_agents=num_agents,
            observation_shape=shape,
            egocentric_shape=(1, shape[0]) if len(shape) == 1 else (shape[-2], shape[-1]),
        )

    def to_json(self) -> str:
        """Return the description as JSON, for policies written in other languages."""
        return json.dumps(
            {
                "tags": self.tags,
                "num_agents": self.num_agents,
                "talk": self.talk.model_dump(exclude_none=True),
                "obs_width": self.obs_width,
                "obs_height": self.obs_height,
                "actions": self.all_action_names,
                "vibe_action_names": self.vibe_action_names,
                "obs_features": [feature.model_dump() for feature in self.obs_features],
                "observation_kind": self.observation_kind,
                "observation_dtype": self.observation_dtype,
                "observation_low": self.observation_low,
                "observation_high": self.observation_high,
            }
        )

    def to_proto(self) -> policy_pb2.PolicyEnvInterface:
        """Return the message of the policy server protocol; values without a field in it are dropped."""
        from mettagrid.protobuf.sim.policy_v1 import policy_pb2

        proto = policy_pb2.PolicyEnvInterface(
            tags=self.tags,
            action_names=self.all_action_names,
            move_energy_cost=_NO_MOVE_COST if self.move_energy_cost is None else self.move_energy_cost,
            num_agents=self.num_agents,
            observation_shape=self.observation_shape,
            obs_height=self.obs_height,
            obs_width=self.obs_width,
        )
        for feature in self.obs_features:
            proto.obs_features.add(id=feature.id, name=feature.name, normalization=feature.normalization)
        if self.talk.enabled:
            proto.talk.max_length = self.talk.max_length
            proto.talk.cooldown_steps = self.talk.cooldown_steps
        return proto

    @staticmethod
    def from_proto(proto: policy_pb2.PolicyEnvInterface) -> PolicyEnvInterface:
        """Return the description in a message of the policy server protocol."""
        action_names, vibe_action_names = PolicyEnvInterface._split_action_names(list(proto.action_names))
        talk = TalkConfig()
        if proto.HasField("talk"):
            talk = TalkConfig(enabled=True, max_length=proto.talk.max_length, cooldown_steps=proto.talk.cooldown_steps)
        return PolicyEnvInterface(
            obs_features=[
                ObservationFeatureSpec(id=feature.id, name=feature.name, normalization=feature.normalization)
                for feature in proto.obs_features
            ],
            tags=list(proto.tags),
            action_names=action_names,
            vibe_action_names=vibe_action_names,
            move_energy_cost=None if proto.move_energy_cost == _NO_MOVE_COST else proto.move_energy_cost,
            num_agents=proto.num_agents,
            observation_shape=tuple(proto.observation_shape),
            egocentric_shape=(proto.obs_height, proto.obs_width),
            talk=talk,
        )

    @staticmethod
    def _split_action_names(action_names: list[str]) -> tuple[list[str], list[str]]:
        """Return the names without and with the prefix of vibe changes, each in the given order."""
        primary = [name for name in action_names if not name.startswith(CHANGE_VIBE_PREFIX)]
        return primary, [name for name in action_names if name.startswith(CHANGE_VIBE_PREFIX)]


def _discrete(count: int) -> Discrete:
    from mettagrid.envs._spaces import Discrete

    return Discrete(count)
