"""The instrumented audit: traces of roles and resources over a longer episode."""

from __future__ import annotations

from collections.abc import Callable

from cogames_agents.audit.episode import play
from cogames_agents.audit.gear import GearStations, station_costs
from cogames_agents.audit.knowledge import Knowledge
from cogames_agents.audit.roles import RoleCoverage
from cogames_agents.audit.setting import Setting
from cogames_agents.audit.stock import HubStock
from cogames_agents.audit.text import section
from cogames_agents.audit.tracing import Trace

__all__ = ["run_instrumented"]


def run_instrumented(setting: Setting, policy: str, *, trace_every: int, say: Callable[[str], None]) -> list[str]:
    """Play an episode and return the summary.

    `say` receives two lines for every `trace_every`-th step and for the last one.
    """
    env = setting.make_env()
    costs = station_costs(env)
    roles, knowledge, stations, stock = RoleCoverage(), Knowledge(), GearStations(costs), HubStock(costs)
    trace = Trace(every=trace_every)
    traced, last = -1, None
    for step in play(env, setting, policy):
        for part in (roles, knowledge, stations, stock):
            part.add(step)
        last = step
        if trace.wants(step.number):
            traced = step.number
            say(roles.trace(step))
            say(stock.trace(step, stations))
    if last is not None and last.number != traced:
        say(roles.trace(last))
        say(stock.trace(last, stations))
    return [
        *section("Roles", roles.lines()),
        *section("Gear stations", stations.lines()),
        *section("Hub resources", stock.lines()),
        *section("Structures", knowledge.lines()),
    ]
