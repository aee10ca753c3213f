"""What a process counts and remembers about its requests."""

from __future__ import annotations

from starlette.datastructures import State

from observatory.accounts.tokens_used import TokensUsed
from observatory.http.rate_limits import RateLimits
from observatory.jobs.workers_seen import WorkersSeen
from observatory.metrics import Metrics
from observatory.pages.streams import StreamSlots

__all__ = ["open_operations"]


def open_operations(state: State) -> None:
    """Begin to count: no request was served, and no worker seen."""
    state.metrics = Metrics()
    state.rate_limits = RateLimits(state.settings, state.metrics)
    state.workers_seen = WorkersSeen()
    state.tokens_used = TokensUsed()
    state.event_streams = StreamSlots()
    state.stopping = False
