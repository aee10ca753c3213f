"""Configuration of the pixel games played over a socket."""

from typing import Any, Literal

from pydantic import Field

from mettagrid.config.env_config import EnvConfig


class BitWorldEnvConfig(EnvConfig):
    """One episode of a BitWorld game."""

    game_engine: Literal["bitworld"] = "bitworld"
    game_name: str = "among_them"
    label: str = "bitworld_among_them"
    seed: int = 0
    max_ticks: int = 10000
    num_players: int = 5
    connect_timeout_s: float = 10.0
    server_config: dict[str, Any] = Field(default={})

    @property
    def num_agents(self) -> int:
        return self.num_players

    @property
    def manages_own_policies(self) -> bool:
        return True

    @classmethod
    def set_map_seed(cls, config: dict[str, Any], seed: int) -> None:
        config["seed"] = seed

    @classmethod
    def set_max_steps(cls, config: dict[str, Any], max_steps: int) -> None:
        config["max_ticks"] = max_steps

    @classmethod
    def get_max_steps(cls, config: dict[str, Any]) -> int:
        return config["max_ticks"]

    @classmethod
    def get_num_agents(cls, config: dict[str, Any]) -> int:
        return config["num_players"]
