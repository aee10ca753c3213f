"""Compatibility names for choosing the device on which networks run; `cogames.policy.device` chooses it."""

from __future__ import annotations

from importlib.util import find_spec
from typing import TYPE_CHECKING

from cogames.policy.device import resolve_device

if TYPE_CHECKING:
    import torch  # type: ignore[import-not-found,unused-ignore]
    from rich.console import Console

__all__ = ["resolve_device", "resolve_training_device"]


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
