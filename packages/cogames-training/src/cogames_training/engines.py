"""Choose where the worlds of a run are played: by threads of the CPU, or on the GPU that trains."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Literal

from cogames_training.args import SettingError
from cogames_training.worlds import TrainingWorlds
from mettagrid.gpu.errors import GpuUnavailable

if TYPE_CHECKING:
    from cogames_training.preparation import Prepared

__all__ = ["Engine", "chosen_engine", "make_worlds"]

Engine = Literal["cpu", "gpu"]


def chosen_engine(wanted: str, prepared: Prepared) -> Engine:
    """Return the engine of a run. "gpu" raises `SettingError` if it cannot be used; "auto" then takes the CPU."""
    if wanted == "cpu":
        return "cpu"
    reason = _why_not(prepared)
    if reason is None:
        return "gpu"
    if wanted == "auto":
        return "cpu"
    raise SettingError("engine", reason)


def _why_not(prepared: Prepared) -> str | None:
    """Return why this run cannot play its worlds on a GPU; None if it can."""
    if prepared.device.type != "cuda":
        return f"playing on a GPU needs the device cuda, not {prepared.device.type}; use --engine cpu"
    if len(prepared.tasks) > 1:
        return "worlds on a GPU have one mission, not several; use --engine cpu"
    if prepared.make_teacher is not None or prepared.opponents:
        return "scripted teachers and opponents play on the CPU; use --engine cpu"
    if prepared.translation is not None or prepared.has_memory():
        return "this policy's network sees what a memory on the CPU adds; use --engine cpu"
    if prepared.tasks[0].config.game.end_episode_on_game_stats:
        return "the mission ends on a stat, which only the CPU reads after every step; use --engine cpu"
    from mettagrid.gpu.driver import open_kernels

    try:
        open_kernels(str(prepared.device))
    except GpuUnavailable as error:
        return str(error)
    return None


def make_worlds(
    engine: Engine, wanted: str, *arguments: Any, tell: Callable[[str], None], **options: Any
) -> TrainingWorlds:
    """Return worlds on an engine; on the CPU if "auto" was wanted and they do not fit on the GPU."""
    if engine == "cpu":
        return TrainingWorlds(*arguments, **options)
    from cogames_training.device_worlds import DeviceWorlds

    try:
        return DeviceWorlds(*arguments, **options)
    except GpuUnavailable as error:
        if wanted != "auto":
            raise SettingError("engine", str(error)) from None
        tell(f"{error} The CPU plays the worlds.")
        return TrainingWorlds(*arguments, **options)
