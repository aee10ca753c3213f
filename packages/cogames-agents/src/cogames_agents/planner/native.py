"""The native planner of one game: translates the policy interface and a character for it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from cogames_agents import _native  # type: ignore[attr-defined]  # the extension has no stub
from cogames_agents.interface import native_interface
from cogames_agents.planner import roster
from mettagrid.policy.policy_env_interface import PolicyEnvInterface

__all__ = ["make_planner", "native_traits"]

_ROSTERS = ("opening", "roster")


def make_planner(policy_env_info: PolicyEnvInterface, traits: Mapping[str, Any], worlds: int = 1) -> _native.Planner:
    """Return a native planner; raise ValueError for games without token observations and for unknown traits."""
    return _native.Planner(*native_interface(policy_env_info), native_traits(policy_env_info, traits), worlds)


def native_traits(policy_env_info: PolicyEnvInterface, traits: Mapping[str, Any]) -> dict[str, Any]:
    """Return a character as the native planner reads it, with the first roles that the size of the team asks for."""
    character = {**roster.opening(policy_env_info.num_agents), **traits}
    return {name: roster.numbers(value) if name in _ROSTERS else value for name, value in character.items()}
