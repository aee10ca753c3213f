"""The house set: scripted opponents that `--against house` adds to a ladder."""

from __future__ import annotations

from mettagrid.policy.loader import discover_and_register_policies
from mettagrid.policy.policy_registry import find_policy_class_path

__all__ = ["HOUSE", "installed_house"]

HOUSE = ("random", "starter", "baseline", "role", "cogsguard", "wombo")
"""short names, from the weakest to the strongest; packages register theirs in the entry points `mettagrid.policies`"""


def installed_house() -> tuple[list[str], list[str]]:
    """Return the names of the house set that are installed, and those that are not."""
    discover_and_register_policies()
    known = {name: find_policy_class_path(name) is not None for name in HOUSE}
    return [name for name in HOUSE if known[name]], [name for name in HOUSE if not known[name]]
