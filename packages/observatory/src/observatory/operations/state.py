"""What a process counts and remembers about its requests."""

from __future__ import annotations

from starlette.datastructures import State

from observatory.accounts.tokens_used import TokensUsed
from observatory.http.rate_limits import RateLimits
from observatory.http.shared_rates import SharedRates
from observatory.jobs.affinity import Affinity
from observatory.jobs.stored_total import StoredTotal
from observatory.jobs.workers_seen import WorkersSeen
from observatory.metrics import Metrics
from observatory.pages.streams import StreamSlots

__all__ = ["open_operations"]


def open_operations(state: State) -> None:
    """Begin to count: no request was served, and no worker seen."""
    state.metrics = Metrics()
    state.rate_limits = RateLimits(state.settings, state.metrics, state.keys.secret)
    limiters = state.rate_limits.limiters
    state.shared_rates = SharedRates(state.database, limiters, always=frozenset({"sign in"}))
    state.workers_seen = WorkersSeen()
    state.stored_total = StoredTotal()
    state.affinity = Affinity()
    state.tokens_used = TokensUsed()
    state.event_streams = StreamSlots()
    state.stopping = False
