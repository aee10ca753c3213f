"""Territory: cells that belong to the strongest influence around them."""

from pydantic import Field

from mettagrid.base_config import Config
from mettagrid.config.handler_config import Handler


class TerritoryConfig(Config):
    """A kind of territory, owned by tags of one prefix.

    The handlers run for agents, with a stand-in that carries the owning tag as the actor.
    """

    tag_prefix: str
    on_enter: dict[str, Handler] = Field(default_factory=dict)
    on_exit: dict[str, Handler] = Field(default_factory=dict)
    presence: dict[str, Handler] = Field(default_factory=dict)


class TerritoryControlConfig(Config):
    """Influence of an object: at distance d it is max(0, strength - decay x d)."""

    territory: str
    strength: int = Field(default=1, ge=1)
    decay: int = Field(default=1, ge=1)
