"""Policies that installed packages name in the entry-point group `mettagrid.policies`.

    [project.entry-points."mettagrid.policies"]
    planner = "my_agents.planner:PlannerPolicy"

Reading the names imports none of the packages.
"""

from __future__ import annotations

import importlib.util
from dataclasses import dataclass
from importlib.metadata import entry_points

__all__ = ["ENTRY_POINT_GROUP", "InstalledPolicy", "installed_policies", "installed_policy_packages"]

ENTRY_POINT_GROUP = "mettagrid.policies"


@dataclass(frozen=True)
class InstalledPolicy:
    """A short name, its class, and the distribution that registers it."""

    name: str
    module: str
    class_path: str
    distribution: str | None

    @property
    def package(self) -> str:
        """The top-level package of the class."""
        return self.module.partition(".")[0]


def installed_policies() -> list[InstalledPolicy]:
    """Return the registered policies, ordered by name."""
    return [
        InstalledPolicy(
            name=point.name,
            module=point.module,
            class_path=f"{point.module}.{point.attr}",
            distribution=None if point.dist is None else point.dist.name,
        )
        for point in sorted(entry_points(group=ENTRY_POINT_GROUP), key=lambda point: point.name)
    ]


def installed_policy_packages() -> list[str]:
    """Return the top-level packages of the registered policies that can be imported."""
    names = dict.fromkeys(policy.package for policy in installed_policies())
    return [name for name in names if importlib.util.find_spec(name) is not None]
