"""The calls a worker makes."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any, Protocol

import httpx

from observatory.job_states import EPISODE, Lane
from observatory.jobs.file_types import file_type
from observatory.jobs.schemas import ErrorInfo, Lease

__all__ = ["HttpJobClient", "JobClient", "LeaseLost", "ServerAway"]

_CHUNK_BYTES = 1 << 20
MAX_BUNDLE_BYTES = 500 << 20
MAX_FAULT_CHARACTERS = 2000


class ServerAway(Exception):
    """The server did not respond, or with a server error: the call can be retried."""


class LeaseLost(Exception):
    """The server says that this job is no longer ours."""


class JobClient(Protocol):
    """The server calls that the loop needs. Each may raise `ServerAway`, all but `lease` also `LeaseLost`."""

    server: str
    """its address, for the process that runs a commissioner"""

    def lease(self, worker: str, *, wait_seconds: float, lane: Lane = EPISODE) -> Lease | None: ...
    def heartbeat(self, lease: Lease, status: str) -> None: ...
    def secrets(self, lease: Lease) -> dict[int, dict[str, str]]: ...
    def download(self, url: str, target: Path) -> None: ...
    def upload(self, lease: Lease, name: str, path: Path) -> None: ...
    def finish(self, lease: Lease, status: str, error: ErrorInfo | None) -> None: ...
    def release(self, lease: Lease, fault: str | None = None, error_type: str | None = None) -> None: ...


class HttpJobClient:
    """The calls over HTTP."""

    def __init__(
        self,
        server: str,
        token: str,
        *,
        timeout: float = 60.0,
        labels: Sequence[str] = (),
        transport: httpx.BaseTransport | None = None,
    ) -> None:
        self.server = server.rstrip("/")
        self._labels = list(labels)
        self._http = httpx.Client(timeout=timeout, trust_env=False, transport=transport)
        self._token = token

    def close(self) -> None:
        self._http.close()

    def lease(self, worker: str, *, wait_seconds: float, lane: Lane = EPISODE) -> Lease | None:
        body = {"worker": worker, "wait_seconds": wait_seconds, "lane": lane, "labels": self._labels}
        response = self._call("/work/lease", self._token, body)
        return None if response.status_code == 204 else Lease.model_validate_json(response.content)

    def heartbeat(self, lease: Lease, status: str) -> None:
        self._job_call(lease, "heartbeat", {"status": status})

    def secrets(self, lease: Lease) -> dict[int, dict[str, str]]:
        policies = self._job_call(lease, "secrets", {}).json()["policies"]
        return {int(index): values for index, values in policies.items()}

    def finish(self, lease: Lease, status: str, error: ErrorInfo | None) -> None:
        body = {"status": status, "error_info": None if error is None else error.model_dump()}
        self._job_call(lease, "finish", body)

    def release(self, lease: Lease, fault: str | None = None, error_type: str | None = None) -> None:
        """Give the job back; a `fault` names a problem of this machine, which no policy is charged with."""
        body = {} if fault is None else {"fault": fault[:MAX_FAULT_CHARACTERS], "error_type": error_type}
        self._job_call(lease, "release", body)

    def commissioner(self, lease: Lease, verb: str, body: object) -> Any:
        """Pass on what happens between a commissioner and the server; return the server's response."""
        return self._job_call(lease, f"commissioner/{verb}", body).json()

    def download(self, url: str, target: Path) -> None:
        """Fetch a bundle. The address is signed: no token goes with it."""
        size = 0
        try:
            with (
                self._http.stream("GET", self._address(url), follow_redirects=True) as response,
                target.open("wb") as file,
            ):
                _check(response)
                for chunk in response.iter_bytes(_CHUNK_BYTES):
                    size += len(chunk)
                    if size > MAX_BUNDLE_BYTES:
                        raise ValueError(f"The policy is larger than {MAX_BUNDLE_BYTES >> 20} MB")
                    file.write(chunk)
        except httpx.TransportError as problem:
            raise ServerAway(_sentence(problem)) from None

    def upload(self, lease: Lease, name: str, path: Path) -> None:
        """Send a file to its signed address."""
        headers = {"Content-Type": file_type(name), "Content-Length": str(path.stat().st_size)}
        try:
            with path.open("rb") as file:
                _check(self._http.put(self._address(lease.outputs[name]), content=file, headers=headers, timeout=600))
        except httpx.TransportError as problem:
            raise ServerAway(_sentence(problem)) from None

    def _address(self, url: str) -> str:
        """Addresses of the server's own store come without the server."""
        return self.server + url if url.startswith("/") else url

    def _job_call(self, lease: Lease, verb: str, body: object) -> httpx.Response:
        return self._call(f"/work/jobs/{lease.job_id}/{verb}", lease.job_token, body)

    def _call(self, path: str, token: str, body: object) -> httpx.Response:
        try:
            response = self._http.post(self.server + path, json=body, headers={"X-Auth-Token": token})
        except httpx.TransportError as problem:
            raise ServerAway(_sentence(problem)) from None
        _check(response)
        return response


def _check(response: httpx.Response) -> None:
    """Raise for an error response. The message never has the URL, which may be signed."""
    if response.is_success:
        return
    if response.status_code >= 500 or response.status_code in (408, 429):
        raise ServerAway(f"The server answered {response.status_code}")
    if response.status_code == 401 and response.request.url.path.endswith("/work/lease"):
        raise PermissionError("The server does not accept this worker's token; make one with `observatory admin token`")
    raise LeaseLost(f"The server answered {response.status_code}")


def _sentence(problem: httpx.TransportError) -> str:
    return f"The server does not answer: {type(problem).__name__}"
