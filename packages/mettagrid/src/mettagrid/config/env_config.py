"""The base of all environment configurations."""

from abc import abstractmethod
from typing import Any

from mettagrid.base_config import Config


class EnvConfig(Config):
    """Base of the environment configurations; `game_engine` says which engine runs it.

    The class methods work on the dumped form (a dictionary), for callers that pass configurations on unread.
    """

    game_engine: str

    @property
    @abstractmethod
    def num_agents(self) -> int:
        """The number of agents."""

    @property
    def manages_own_policies(self) -> bool:
        """Whether the engine starts the policies itself."""
        return False

    @classmethod
    @abstractmethod
    def set_map_seed(cls, config: dict[str, Any], seed: int) -> None:
        """Write the map seed into a dumped configuration; raises `KeyError` if it has no field for one."""

    @classmethod
    @abstractmethod
    def set_max_steps(cls, config: dict[str, Any], max_steps: int) -> None:
        """Write the episode length into a dumped configuration."""

    @classmethod
    @abstractmethod
    def get_max_steps(cls, config: dict[str, Any]) -> int:
        """Return the episode length of a dumped configuration."""

    @classmethod
    @abstractmethod
    def get_num_agents(cls, config: dict[str, Any]) -> int:
        """Return the number of agents of a dumped configuration."""
