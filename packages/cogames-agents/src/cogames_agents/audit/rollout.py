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
from cogames_agents.audit.text import section
from cogames_agents.audit.tracing import OFF, Trace
from cogames_agents.audit.world import ROLES

__all__ = ["RolloutReport", "Traces", "run_rollout"]

Say = Callable[[str], None]


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

    def lines(self, *, allow_missing_roles: bool) -> list[str]:
        failed = self.failed(allow_missing_roles=allow_missing_roles)
        unreadable = sorted(self.knowledge.unreadable)
        return [
            *section("Hub", self.knowledge.hub_lines()),
            *section("Junction alignment", self.alignment.lines()),
            *section("Role behavior", [*self.behavior.lines(), self.knowledge.scout_line()]),
            *section("Gear stations", self.stations.lines()),
            *section("Hub resources", self.stock.lines()),
            *section("Role coverage", self.roles.lines()),
            *section("Prerequisites", self.prerequisites.lines()),
            *(section("Infos with another type than expected", unreadable) if unreadable else []),
            *section("Checks", [check.line(allow_missing_roles=allow_missing_roles) for check in self.checks]),
            "",
            f"Result: {len(failed)} of {len(self.checks)} checks failed" if failed else "Result: pass",
        ]


def run_rollout(
    setting: Setting,
    policy: str,
    *,
    expected_roles: Collection[str] = ROLES,
    traces: Traces | None = None,
    say: Say = print,
) -> RolloutReport:
    """Play the first steps of an episode; `say` receives the lines of the traces while it runs."""
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
        for line in changed if traces.prerequisites else ():
            say(line)
    report.checks = judge(report.roles, report.behavior, report.alignment, report.knowledge, expected_roles)
    return report
