"""Compatibility name for printing the configs behind an episode."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from pydantic import BaseModel
    from rich.console import Console

    from mettagrid.cogame.core import CoGameMission
    from mettagrid.config.mettagrid_config import MettaGridConfig

__all__ = ["print_configs"]


def print_configs(
    console: Console,
    env_cfg: MettaGridConfig,
    mission_cfg: CoGameMission | None = None,
    print_cvc_config: bool = False,
    print_mg_config: bool = False,
) -> None:
    """Print the mission, the environment, or both as YAML; say so if there is no mission."""
    if print_cvc_config:
        _print(console, "Mission config", mission_cfg)
    if print_mg_config:
        _print(console, "MettaGrid config", env_cfg)


def _print(console: Console, title: str, config: BaseModel | None) -> None:
    import yaml

    console.print(f"\n{title}:", style="bold")
    if config is None:
        console.print("none: the environment comes from a file")
        return
    data: dict[str, Any] = config.model_dump(mode="json")
    console.print(yaml.safe_dump(data, sort_keys=False), markup=False, highlight=False, soft_wrap=True)
