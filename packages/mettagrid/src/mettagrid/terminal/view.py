"""The user's view settings: plain data that keys change and the picture shows."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

from mettagrid.terminal.prompts import Prompt

__all__ = ["Mode", "Panel", "View"]

Mode = Literal["follow", "pan", "select"]
Panel = Literal["agent", "object", "symbols", "output"]


@dataclass
class View:
    """The camera, the selected cog and the open panels."""

    selected: int = 0
    mode: Mode = "follow"
    camera: tuple[int, int] = (0, 0)
    """(row, column) in the middle of the map"""
    cursor: tuple[int, int] = (0, 0)
    """(row, column), in select mode"""
    panels: dict[Panel, bool] = field(
        default_factory=lambda: {"agent": True, "object": False, "symbols": True, "output": True}
    )
    shows_territory: bool = True
    shows_help: bool = False
    prompt: Prompt | None = None
    notice: str = ""
    """the last message, shown until the next key"""
    lesson: Mapping[str, Any] | None = None
    is_over: bool = False
    is_thinking: bool = False
    """whether a policy is slow"""
