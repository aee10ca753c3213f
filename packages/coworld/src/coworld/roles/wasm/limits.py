"""The limits of one run of a reporter component: defaults of the contract, and what a version may request."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from pydantic import BaseModel, ConfigDict, Field

from coworld.errors import CoworldError

__all__ = ["LARGEST_COMPONENT", "LARGEST_VALUE", "ReporterLimits", "requested_limits"]

LARGEST_COMPONENT = 200_000_000
"""bytes of a component file"""

LARGEST_VALUE = 16 << 20
"""bytes of one binary file that a call passes to a component: the runtime needs 80 times as much memory for it"""


class ReporterLimits(BaseModel):
    """Limits of one run. A call over a limit of calls, reads or output returns the error `budget-exhausted`; a
    component over a limit of time, memory or scratch space is stopped with that verdict."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    memory_mib: float = Field(default=512, gt=0, le=4096)
    cpu_seconds: float = Field(default=120, gt=0, le=1200)
    wall_seconds: float = Field(default=900, gt=0, le=7200)
    scratch_mib: float = Field(default=1024, gt=0, le=8192)
    tool_calls: int = Field(default=2000, gt=0, le=100_000)
    llm_usd: float = Field(default=2.0, ge=0, le=100)
    read_mib: float = Field(default=2048, gt=0, le=16384)
    output_mib: float = Field(default=256, gt=0, le=1024)

    @property
    def memory_bytes(self) -> int:
        return int(self.memory_mib * (1 << 20))

    @property
    def scratch_bytes(self) -> int:
        return int(self.scratch_mib * (1 << 20))

    @property
    def read_bytes(self) -> int:
        return int(self.read_mib * (1 << 20))

    @property
    def output_bytes(self) -> int:
        return int(self.output_mib * (1 << 20))


def requested_limits(attributes: Mapping[str, Any]) -> ReporterLimits:
    """Return the limits that a reporter's `attributes.requested_limits` asks for; defaults for the rest.

    Raises:
        CoworldError: an unknown limit, or one above the ceiling.
    """
    requested = attributes.get("requested_limits") or {}
    if not isinstance(requested, dict):
        raise CoworldError("attributes.requested_limits is not an object", hint='write {"memory_mib": 1024}')
    fields = ReporterLimits.model_fields
    for name, value in requested.items():
        if name not in fields:
            raise CoworldError(
                f"attributes.requested_limits.{name} is not a limit", hint=f"limits are: {', '.join(fields)}"
            )
        ceiling = next(limit.le for limit in fields[name].metadata if hasattr(limit, "le"))
        number = isinstance(value, int | float) and not isinstance(value, bool)
        if not number or not 0 <= value <= ceiling or (value == 0 and name != "llm_usd"):
            raise CoworldError(
                f"attributes.requested_limits.{name} is {value!r}", hint=f"write a number above 0, at most {ceiling:g}"
            )
    return ReporterLimits(**requested)
