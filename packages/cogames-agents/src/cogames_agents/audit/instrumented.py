"""The instrumented audit: traces of roles and resources over a longer episode."""

from __future__ import annotations

from collections.abc import Callable

from cogames_agents.audit.episode import play
from cogames_agents.audit.gear import GearStations, station_costs
from cogames_agents.audit.knowledge import Knowledge
from cogames_agents.audit.roles import RoleCoverage
from cogames_agents.audit.setting import Setting
from cogames_agents.audit.stock import HubStock
from cogames_agents.audit.text import Row, Rows
from cogames_agents.audit.tracing import Trace

__all__ = ["run_instrumented"]


def run_instrumented(setting: Setting, policy: str, *, trace_every: int, say: Callable[[Row], None]) -> dict[str, Rows]:
    """Play an episode and return the sections of the summary.

    `say` receives two rows for every `trace_every`-th step and for the last one.
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
    return {
        "Roles": roles.rows(),
        "Gear stations": stations.rows(),
        "Hub resources": stock.rows(),
        "Structures": knowledge.rows(),
    }
