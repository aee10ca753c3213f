"""Filter on the step number."""

from typing import Literal

from pydantic import Field

from mettagrid.base_config import Config


class PeriodicFilter(Config):
    """Passes at step `start_on` (by default `period`) and every `period` steps after it."""

    filter_type: Literal["periodic"] = "periodic"
    period: int = Field(ge=1)
    start_on: int | None = None
