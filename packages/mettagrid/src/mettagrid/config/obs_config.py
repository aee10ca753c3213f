"""The observations of agents."""

from typing import TYPE_CHECKING

from pydantic import Field

from mettagrid.base_config import Config

if TYPE_CHECKING:
    from mettagrid.config.game_value import AnyGameValue
else:
    from mettagrid.config._rules import AnyGameValue


class GlobalObsConfig(Config):
    """Tokens about the agent or the game as a whole; `obs` adds a feature per key with the value of a game value."""

    episode_completion_pct: bool = True
    last_action: bool = True
    last_action_move: bool = False
    last_reward: bool = True
    goal_obs: bool = False
    local_position: bool = False
    obs: dict[str, AnyGameValue] = Field(default_factory=dict)


class ObsConfig(Config):
    """The observation window and its tokens.

    `observation_radius_value` narrows the visible radius per agent and step. `token_value_base` is the base in which
    numbers above one token are written.
    """

    width: int = 13
    height: int = 13
    token_dim: int = 3
    num_tokens: int = 500
    token_value_base: int = 256
    global_obs: GlobalObsConfig = Field(default_factory=GlobalObsConfig)
    observation_radius_value: AnyGameValue | None = None
    aoe_mask: bool = False
    territory: bool = False
