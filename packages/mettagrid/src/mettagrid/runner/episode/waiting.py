"""Wait for policies in other processes: for all of them at once, each up to its deadline."""

from __future__ import annotations

import selectors
from collections.abc import Callable, Iterator, Mapping

from mettagrid.runner.episode.errors import PolicyFailure
from mettagrid.runner.episode.holder import SeatHolder

__all__ = ["Waiting"]


class Waiting:
    """Polls the sockets of an episode's holders."""

    def __init__(self, clock: Callable[[], float]) -> None:
        self._clock = clock
        self._selector: selectors.BaseSelector | None = None
        self._watched: dict[int, tuple[int, int]] = {}  # policy index -> (file descriptor, events)

    def until_done(
        self, holders: Mapping[int, SeatHolder], step: int | None, deadline: float | None = None
    ) -> Iterator[tuple[int, PolicyFailure]]:
        """Wait until every holder is done or out of time, and yield the failures in the meantime.

        A holder whose own deadline passes gives up the step; one that is not done by `deadline` fails.
        """
        began = self._clock()
        pending = {index: holder for index, holder in holders.items() if holder.fileno() is not None}
        unpolled = set(pending)
        while pending:
            # Data that has arrived counts, even if this process polls late.
            for index in unpolled & set(pending):
                done, failure = _poll(pending[index])
                if done or failure is not None:
                    del pending[index]
                if failure is not None:
                    yield index, failure
            now = self._clock()
            for index, holder in list(pending.items()):
                if deadline is not None and now >= deadline:
                    del pending[index]
                    yield index, PolicyFailure("killed", f"was not ready after {now - began:.0f} seconds")
                elif deadline is None and now >= holder.deadline:
                    del pending[index]
                    assert step is not None
                    try:
                        holder.give_up(step)
                    except PolicyFailure as failure:
                        yield index, failure
            if pending:
                ends = [deadline if deadline is not None else holder.deadline for holder in pending.values()]
                unpolled = self._select(pending, max(0.0, min(ends) - now))

    def forget(self, index: int) -> None:
        """Stop polling a holder that is about to close its socket."""
        watched = self._watched.pop(index, None)
        if watched is not None and self._selector is not None:
            self._selector.unregister(watched[0])

    def close(self) -> None:
        if self._selector is not None:
            self._selector.close()
            self._selector = None
            self._watched.clear()

    def _select(self, pending: Mapping[int, SeatHolder], seconds: float) -> set[int]:
        """Return the pending holders whose sockets are ready."""
        if self._selector is None:
            self._selector = selectors.DefaultSelector()
        for index, holder in pending.items():
            number = holder.fileno()
            assert number is not None
            events = selectors.EVENT_READ | (selectors.EVENT_WRITE if holder.wants_to_write else 0)
            if index not in self._watched:
                self._selector.register(number, events, index)
            elif self._watched[index] != (number, events):
                self._selector.modify(number, events, index)
            self._watched[index] = (number, events)
        for index in set(self._watched) - set(pending):
            self.forget(index)
        return {key.data for key, _ in self._selector.select(seconds)}


def _poll(holder: SeatHolder) -> tuple[bool, PolicyFailure | None]:
    try:
        return holder.poll(), None
    except PolicyFailure as failure:
        return False, failure
