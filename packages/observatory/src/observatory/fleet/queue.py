"""Ask the server how much work there is, with a worker's token."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import httpx

from observatory.jobs.schemas import QueueLength
from observatory.worker.client import ServerAway, WrongServer, trusted_certificates

__all__ = ["Queue"]


class Queue:
    """The queue of a server, as workers with these labels see it."""

    def __init__(self, server: str, token: str, labels: Sequence[str], *, ca_file: Path | None = None) -> None:
        self._url = f"{server.rstrip('/')}/work/queue"
        self._parameters = {"label": list(labels)}
        verify = trusted_certificates(ca_file)
        self._http = httpx.Client(timeout=20.0, trust_env=False, verify=verify, headers={"X-Auth-Token": token})

    def jobs(self) -> int:
        """Return how many jobs wait or are in work. Raise `ServerAway`, `WrongServer` or `PermissionError`."""
        try:
            response = self._http.get(self._url, params=self._parameters)
        except (httpx.UnsupportedProtocol, httpx.InvalidURL):
            raise WrongServer(f"{self._url.removesuffix('/work/queue')!r} is not an address") from None
        except httpx.TransportError as problem:
            raise ServerAway(f"The server does not answer: {problem}") from None
        if response.status_code == 401:
            raise PermissionError("The server does not accept the token; see `observatory admin token create`")
        if not response.is_success:
            raise ServerAway(f"The server answered {response.status_code}")
        length = QueueLength.model_validate_json(response.content)
        return length.waiting + length.in_work

    def close(self) -> None:
        self._http.close()
