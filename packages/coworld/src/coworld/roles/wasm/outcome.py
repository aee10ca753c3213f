"""The result of a component's run, which the host process hands to its caller as `outcome.json`."""

from __future__ import annotations

from typing import Any

from pydantic import BaseModel, Field

from coworld.roles.wasm.errors import ToolErrorKind
from coworld.roles.wasm.limits import ReporterLimits

__all__ = ["BUNDLE", "COMPONENT", "EVENTS", "FOLDER_VARIABLE", "OUTCOME", "REPORT", "REQUEST", "HostRequest", "Outcome"]

FOLDER_VARIABLE = "COWORLD_WASM_FOLDER"
REQUEST, COMPONENT, BUNDLE, EVENTS = "request.json", "component.wasm", "bundle.zip", "events.json"
OUTCOME, REPORT = "outcome.json", "report.zip"


class HostRequest(BaseModel):
    """What the host process has to do."""

    run_id: str
    reporter_id: str
    attributes: dict[str, Any]
    params: str | None = None
    limits: ReporterLimits
    check_only: bool = False
    """only compile the component and compare its imports and exports with the world"""


class Outcome(BaseModel):
    """How a run ended. A successful one has no error."""

    error: ToolErrorKind | None = None
    message: str = ""
    parts: int = 0
    usage: dict[str, float] = Field(default_factory=dict)
    refused: dict[str, str] = Field(default_factory=dict)
    """HTML that broke the safe profile, by the part's name; never to be shown as a page"""
