"""A fast, exact multi-agent grid engine."""

import importlib
import logging
import os
from typing import Any

_HOMES = {
    "MettaGridConfig": "mettagrid.config.mettagrid_config",
    "Simulator": "mettagrid.simulator",
    "Simulation": "mettagrid.simulator",
    "Action": "mettagrid.types",
    "AgentObservation": "mettagrid.simulator",
    "PufferMettaGridEnv": "mettagrid.envs.mettagrid_puffer_env",
    "GameMap": "mettagrid.map_builder.map_builder",
    "dtype_observations": "mettagrid.mettagrid_c",
    "check_mission": "mettagrid.checks",
    "check_policy": "mettagrid.policy.checks",
}

# Names that differ in their home module.
_OTHER_NAMES = {"PufferMettaGridEnv": "MettaGridPufferEnv"}

__all__ = [*_HOMES]


def __getattr__(name: str) -> Any:
    """Import a public name on first use, so that `import mettagrid` stays cheap."""
    if name not in _HOMES:
        raise AttributeError(f"module 'mettagrid' has no attribute {name!r}")
    return getattr(importlib.import_module(_HOMES[name]), _OTHER_NAMES.get(name, name))


def _configure_root_logger() -> None:
    root = logging.getLogger()
    root.setLevel(os.environ.get("METTAGRID_LOG_LEVEL", "INFO").upper())
    if not root.handlers:
        handler = logging.StreamHandler()
        handler.setFormatter(logging.Formatter("%(levelname)s - %(name)s - %(message)s"))
        root.addHandler(handler)


_configure_root_logger()
