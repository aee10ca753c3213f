"""The webhooks of users, which receive notices. They may refuse one, or accept it without a response."""

from __future__ import annotations

import uuid
from collections import Counter
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from datetime import timedelta
from unittest import mock

from observatory.notices import delivering, writing
from observatory.notices.sending import NotSent
from observatory.settings import Settings
from tests.simulation.scheduler import Scheduler, point

__all__ = ["WEBHOOK", "Webhooks"]

WEBHOOK = "http://webhook.example/"
_PAUSES = tuple(timedelta(seconds=seconds) for seconds in (1, 2, 4, 8, 16))
_LOST_AFTER = timedelta(seconds=6)


class Webhooks:
    """Count the notices that arrive."""

    def __init__(self, scheduler: Scheduler) -> None:
        self._scheduler = scheduler
        self.arrived: Counter[uuid.UUID] = Counter()
        self.failures = 0.0
        """the part of messages that are refused, and of those that get no response"""

    def send(self, settings: Settings, url: str, secret: str, body: bytes, *, notice_id: uuid.UUID) -> None:
        """Stand for `send_webhook`."""
        point()
        if self._fails():
            raise NotSent("The webhook does not accept connections")
        self._scheduler.note("notice", notice_id)
        self.arrived[notice_id] += 1
        point()
        if self._fails():
            raise NotSent("The webhook gave no response, so the notice may have arrived", is_final=True)

    def _fails(self) -> bool:
        return self.failures > 0 and self._scheduler.chance.random() < self.failures

    @contextmanager
    def installed(self) -> Iterator[None]:
        """Let servers send notices here, with pauses of seconds in place of minutes."""
        with ExitStack() as patches:
            patches.enter_context(mock.patch.object(delivering, "send_webhook", self.send))
            patches.enter_context(mock.patch.object(delivering, "PAUSES", _PAUSES))
            patches.enter_context(mock.patch.object(delivering, "LOST_AFTER", _LOST_AFTER))
            patches.enter_context(mock.patch.dict(writing.DELAYS, clear=True))
            yield
