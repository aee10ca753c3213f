"""Choose the device on which networks run."""

from __future__ import annotations

import os
import sys
from importlib.util import find_spec

__all__ = ["resolve_device"]


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


def _may_have_gpu() -> bool:
    return sys.platform == "darwin" or os.path.exists("/dev/nvidiactl") or os.path.exists("/dev/dxg")
