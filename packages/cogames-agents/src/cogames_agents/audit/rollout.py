"""The rollout sanity check: play a short episode, report what happened and judge it."""

from __future__ import annotations

from collections.abc import Callable, Collection
from dataclasses import dataclass, field

from cogames_agents.audit.alignment import Alignment
from cogames_agents.audit.behavior import Behavior
from cogames_agents.audit.checks import Check, judge
from cogames_agents.audit.episode import play
from cogames_agents.audit.gear import Costs, GearStations, station_costs
from cogames_agents.audit.knowledge import Knowledge
from cogames_agents.audit.prerequisites import Prerequisites
from cogames_agents.audit.roles import RoleCoverage
from cogames_agents.audit.setting import Setting
from cogames_agents.audit.stock import HubStock
from cogames_agents.audit.text import Row, Rows
from cogames_agents.audit.tracing import OFF, Trace
from cogames_agents.audit.world import ROLES

__all__ = ["RolloutReport", "Traces", "run_rollout"]

Say = Callable[[Row], None]


def _ignore(row: Row) -> None:
    """Drop a row of a trace."""


@dataclass(frozen=True)
class Traces:
    """The traces to print while the episode runs."""

    roles: Trace = OFF
    resources: Trace = OFF
    prerequisites: bool = False


@dataclass
class RolloutReport:
    """Everything counted in a rollout, and the checks."""

    costs: Costs
    roles: RoleCoverage = field(default_factory=RoleCoverage)
    behavior: Behavior = field(default_factory=Behavior)
    alignment: Alignment = field(default_factory=Alignment)
    knowledge: Knowledge = field(default_factory=Knowledge)
    prerequisites: Prerequisites = field(default_factory=Prerequisites)
    checks: list[Check] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.stations = GearStations(self.costs)
        self.stock = HubStock(self.costs)

    def failed(self, *, allow_missing_roles: bool) -> list[Check]:
        return [check for check in self.checks if check.has_failed(allow_missing_roles=allow_missing_roles)]

    def sections(self) -> dict[str, Rows]:
        """Return the counts by section of the report."""
        sections: dict[str, Rows] = {
            "Hub": {"hub": self.knowledge.hub_row()},
            "Junction alignment": self.alignment.rows(),
            "Role behavior": {**self.behavior.rows(), "scout": self.knowledge.scout_row()},
            "Gear stations": self.stations.rows(),
            "Hub resources": self.stock.rows(),
            "Role coverage": self.roles.rows(),
            "Prerequisites": self.prerequisites.rows(),
        }
        if self.knowledge.unreadable:
            sections["Infos"] = {"unreadable": {"keys": sorted(self.knowledge.unreadable)}}
        return sections

    def verdicts(self, *, allow_missing_roles: bool) -> list[Row]:
        return [check.row(allow_missing_roles=allow_missing_roles) for check in self.checks]


def run_rollout(
    setting: Setting,
    policy: str,
    *,
    expected_roles: Collection[str] = ROLES,
    traces: Traces | None = None,
    say: Say = _ignore,
) -> RolloutReport:
    """Play the first steps of an episode; `say` receives the rows of the traces while it runs."""
    traces = traces or Traces()
    env = setting.make_env()
    report = RolloutReport(station_costs(env))
    for step in play(env, setting, policy):
        for part in (report.roles, report.behavior, report.alignment, report.knowledge, report.stations, report.stock):
            part.add(step)
        changed = report.prerequisites.add(step)
        if traces.roles.wants(step.number):
            say(report.roles.trace(step))
        if traces.resources.wants(step.number):
            say(report.stock.trace(step, report.stations))
        for row in changed if traces.prerequisites else ():
            say(row)
    report.checks = judge(report.roles, report.behavior, report.alignment, report.knowledge, expected_roles)
    return report
