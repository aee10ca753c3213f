"""Helpers for tests of games, scenes and policies."""

from typing import TYPE_CHECKING, Any

from mettagrid.test_support.token_types import TokenTypes

if TYPE_CHECKING:
    from mettagrid.test_support.observation_helper import ObservationHelper

__all__ = ["ObservationHelper", "TokenTypes"]


def __getattr__(name: str) -> Any:
    """Import `ObservationHelper` on first use: configurations with maps of this package do not need the engine."""
    if name == "ObservationHelper":
        from mettagrid.test_support.observation_helper import ObservationHelper

        return ObservationHelper
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
