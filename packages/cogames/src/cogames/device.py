"""Choose the device on which networks run."""

from __future__ import annotations

import os
import sys
from importlib.util import find_spec
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import torch  # type: ignore[import-not-found,unused-ignore]
    from rich.console import Console

__all__ = ["resolve_device", "resolve_training_device"]


def resolve_device(device: str = "auto") -> tuple[str, str | None]:
    """Return the device to use, and a warning if it is not the requested one.

    `auto` is the GPU if there is one (cuda, then mps), otherwise the CPU. Without PyTorch everything runs on the CPU.
    PyTorch takes seconds to import, so it is not imported on machines that cannot have a GPU.
    """
    if device == "cpu" or find_spec("torch") is None or (device == "auto" and not _may_have_gpu()):
        return "cpu", None
    import torch  # type: ignore[import-not-found,unused-ignore]

    if device == "auto":
        return ("cuda" if torch.cuda.is_available() else "mps" if torch.backends.mps.is_available() else "cpu"), None
    try:
        kind = torch.device(device).type
        torch.empty(1, device=device)
    except (RuntimeError, AssertionError) as error:
        reason = (str(error).splitlines() or [""])[0]
        return "cpu", f"The device {device!r} cannot be used ({reason}); policies run on the CPU"
    return (device if kind != "cpu" else "cpu"), None


def resolve_training_device(console: Console, requested: str) -> torch.device | str:
    """Return the device to train on; print a warning when it is not the requested one.

    Returns the name "cpu" where PyTorch is not installed.
    """
    name, warning = resolve_device(requested.strip().lower())
    if warning is not None:
        console.print(f"[yellow]{warning}[/yellow]")
    if find_spec("torch") is None:
        return name
    import torch

    return torch.device(name)


def _may_have_gpu() -> bool:
    return sys.platform == "darwin" or os.path.exists("/dev/nvidiactl") or os.path.exists("/dev/dxg")
