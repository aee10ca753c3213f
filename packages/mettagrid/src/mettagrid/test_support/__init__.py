"""Helpers for tests of games, scenes and policies."""

from mettagrid.test_support.observation_helper import ObservationHelper
from mettagrid.test_support.token_types import TokenTypes

__all__ = ["ObservationHelper", "TokenTypes"]
