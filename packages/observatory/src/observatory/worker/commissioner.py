"""Run a commissioner in a separate process, and pass messages between it and the server."""

from __future__ import annotations

import time
from collections.abc import Callable
from contextlib import suppress
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any

from observatory.games.coworlds import coworlds
from observatory.jobs.schemas import Lease
from observatory.worker.backoff import Backoff
from observatory.worker.client import HttpJobClient, LeaseLost, ServerAway
from observatory.worker.episode import follow

__all__ = ["HttpPipe", "commission_in_child"]

WAIT_SECONDS = 10.0
_LONGEST_PAUSE = 2.0
_MAX_REASON_CHARACTERS = 4000


def commission_in_child(
    parent: Connection, folder: Path, server: str, ca_file: Path | None, lease: Lease, minimum: str
) -> None:
    """Entry of the child: end when the worker has ended, whatever way, and run the commissioner."""
    follow(parent)
    client = HttpJobClient(server, lease.job_token, ca_file=ca_file)
    with suppress(LeaseLost):  # the server has given the job to another worker, or ended it
        coworlds().commission(
            folder,
            lease.spec,
            HttpPipe(client, lease),
            minimum=minimum,
            time_limit_seconds=lease.time_limit_seconds,
        )
    client.close()


class HttpPipe:
    """The way to the server. Calls are repeated while the server is away: the worker ends this process in time."""

    def __init__(self, client: HttpJobClient, lease: Lease) -> None:
        self._client, self._lease = client, lease
        self._connection: int | None = None
        self._received = self._sent = 0

    def connect(self) -> bool:
        self._connection = self._call("connect", {})["connection"]
        return self._connection is not None

    def receive(self, text: str) -> bool:
        body = {"connection": self._connection, "number": self._received + 1, "text": text}
        response = self._call("messages", body)
        self._received += 1
        return not response["is_over"]

    def fetch(self) -> tuple[list[str], bool]:
        body = {"connection": self._connection, "after": self._sent, "wait_seconds": WAIT_SECONDS}
        response = self._call("next", body)
        self._sent += len(response["messages"])
        return response["messages"], not response["is_over"]

    def close(self, reason: str, *, is_refusal: bool) -> None:
        text = reason[:_MAX_REASON_CHARACTERS]
        self._call("closed", {"connection": self._connection, "reason": text, "is_refusal": is_refusal})

    def _call(self, verb: str, body: dict[str, Any]) -> Any:
        return _patiently(lambda: self._client.commissioner(self._lease, verb, body))


def _patiently(call: Callable[[], Any]) -> Any:
    away = Backoff(first=0.1, longest=_LONGEST_PAUSE)
    while True:
        try:
            return call()
        except ServerAway:
            time.sleep(away.pause())
