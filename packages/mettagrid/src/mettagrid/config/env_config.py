"""What every kind of environment has in common."""

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
        """How many agents play."""

    @property
    def manages_own_policies(self) -> bool:
        """Whether the engine starts the policies itself."""
        return False

    @classmethod
    @abstractmethod
    def set_map_seed(cls, config: dict[str, Any], seed: int) -> None:
        """Write the map seed into a dumped configuration; `KeyError` when it has no place for one."""

    @classmethod
    @abstractmethod
    def set_max_steps(cls, config: dict[str, Any], max_steps: int) -> None:
        """Write the episode length into a dumped configuration."""

    @classmethod
    @abstractmethod
    def get_max_steps(cls, config: dict[str, Any]) -> int:
        """The episode length of a dumped configuration."""

    @classmethod
    @abstractmethod
    def get_num_agents(cls, config: dict[str, Any]) -> int:
        """The number of agents of a dumped configuration."""
