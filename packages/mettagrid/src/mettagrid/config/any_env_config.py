"""The union of all environment configurations, distinguished by `game_engine`."""

import reprlib
from typing import Annotated, Any

from pydantic import Discriminator, Tag

from mettagrid.config.bitworld_config import BitWorldEnvConfig
from mettagrid.config.env_config import EnvConfig
from mettagrid.config.mettagrid_config import MettaGridConfig

_DEFAULT_ENGINE = "mettagrid"

_ENGINES: dict[str, type[EnvConfig]] = {"mettagrid": MettaGridConfig, "bitworld": BitWorldEnvConfig}


def _engine_of(value: Any) -> Any:
    if isinstance(value, dict):
        return value.get("game_engine", _DEFAULT_ENGINE)
    return getattr(value, "game_engine", _DEFAULT_ENGINE)


AnyEnvConfig = Annotated[
    Annotated[MettaGridConfig, Tag("mettagrid")] | Annotated[BitWorldEnvConfig, Tag("bitworld")],
    Discriminator(_engine_of),
]
"""Any environment; a dictionary without `game_engine` is a mettagrid one."""


def resolve_env_config_type(config: dict[str, Any]) -> type[EnvConfig]:
    """Return the class for a dumped configuration; raises `ValueError` if its `game_engine` is unknown."""
    engine = _engine_of(config)
    if not isinstance(engine, str) or engine not in _ENGINES:
        raise ValueError(f"Unknown game engine {reprlib.repr(engine)}; known are {', '.join(_ENGINES)}.")
    return _ENGINES[engine]
