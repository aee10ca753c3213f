"""The calls a worker makes."""

from __future__ import annotations

import ssl
import uuid
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Protocol

import httpx

from observatory.job_states import EPISODE, Lane
from observatory.jobs.file_types import file_type
from observatory.jobs.schemas import MAX_UNPACKED, ErrorInfo, Lease
from observatory.tracing import current_traceparent
from observatory.worker.machine import Capacity

__all__ = ["Call", "HttpJobClient", "JobClient", "LeaseLost", "ServerAway", "WrongServer"]

_CHUNK_BYTES = 1 << 20
MAX_BUNDLE_BYTES = 500 << 20
MAX_FAULT_CHARACTERS = 2000


class ServerAway(Exception):
    """The server did not respond, or with a server error: the call can be retried."""


class WrongServer(Exception):
    """No retry will help: the address, the certificate or the settings have to be corrected first."""


class LeaseLost(Exception):
    """The server says that this job is no longer ours."""


@dataclass(frozen=True)
class Call:
    """What a worker says when it asks for a job: which kind of jobs, what it has, and why it takes none now."""

    lane: Lane = EPISODE
    unpacked: Sequence[uuid.UUID] = ()
    unable: str | None = None


class JobClient(Protocol):
    """The server calls that the loop needs. Each may raise `ServerAway`, all but `lease` also `LeaseLost`."""

    server: str
    """its address, for the process that runs a commissioner"""

    ca_file: Path | None
    """certificates to trust beside those of the system"""
    pause_seconds: float
    """how long the server asks a worker without a job to pause"""

    def lease(self, worker: str, *, wait_seconds: float, call: Call = ...) -> Lease | None: ...
    def heartbeat(self, lease: Lease, status: str) -> None: ...
    def secrets(self, lease: Lease) -> dict[int, dict[str, str]]: ...
    def download(self, url: str, target: Path) -> None: ...
    def upload(self, lease: Lease, name: str, path: Path) -> None: ...
    def finish(self, lease: Lease, status: str, error: ErrorInfo | None) -> None: ...
    def release(self, lease: Lease, fault: str | None = None, error_type: str | None = None) -> None: ...


_EPISODE = Call()


class HttpJobClient:
    """The calls over HTTP."""

    def __init__(
        self,
        server: str,
        token: str,
        *,
        timeout: float = 60.0,
        labels: Sequence[str] = (),
        capacity: Capacity | None = None,
        ca_file: Path | None = None,
        transport: httpx.BaseTransport | None = None,
    ) -> None:
        self.server = server.rstrip("/")
        self.ca_file = ca_file
        self.pause_seconds = 0.0
        self._about = {"labels": list(labels), **({} if capacity is None else asdict(capacity))}
        self._http = httpx.Client(
            timeout=timeout, trust_env=False, verify=trusted_certificates(ca_file), transport=transport
        )
        self._token = token
        self._has_answered = False

    def close(self) -> None:
        self._http.close()

    def lease(self, worker: str, *, wait_seconds: float, call: Call = _EPISODE) -> Lease | None:
        """Ask for a job; raise `WrongServer` if the first response shows that this server will never give one."""
        body = {
            "worker": worker,
            "wait_seconds": wait_seconds,
            "lane": call.lane,
            "unpacked": [str(version) for version in call.unpacked][-MAX_UNPACKED:],
            "unable": None if call.unable is None else call.unable[:500],
            **self._about,
        }
        try:
            response = self._call("/work/lease", self._token, body)
        except (WrongServer, LeaseLost) as problem:
            if self._has_answered:  # a fault of a proxy, perhaps, which will be corrected
                raise ServerAway(str(problem)) from None
            raise WrongServer(str(problem)) from None
        self._has_answered = True
        self.pause_seconds = float(response.headers.get("Retry-After") or 0) if response.status_code == 204 else 0.0
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
            raise self._failure(problem) from None

    def upload(self, lease: Lease, name: str, path: Path) -> None:
        """Send a file to its signed address."""
        headers = {"Content-Type": file_type(name), "Content-Length": str(path.stat().st_size)}
        try:
            with path.open("rb") as file:
                _check(self._http.put(self._address(lease.outputs[name]), content=file, headers=headers, timeout=600))
        except httpx.TransportError as problem:
            raise self._failure(problem) from None

    def _address(self, url: str) -> str:
        """Addresses of the server's own store come without the server."""
        return self.server + url if url.startswith("/") else url

    def _job_call(self, lease: Lease, verb: str, body: object) -> httpx.Response:
        return self._call(f"/work/jobs/{lease.job_id}/{verb}", lease.job_token, body)

    def _call(self, path: str, token: str, body: object) -> httpx.Response:
        try:
            response = self._http.post(self.server + path, json=body, headers={"X-Auth-Token": token, **_trace()})
        except httpx.TransportError as problem:
            raise self._failure(problem) from None
        except httpx.InvalidURL as problem:
            raise WrongServer(f"{self.server!r} is not an address: {problem}") from None
        _check(response)
        return response

    def _failure(self, problem: httpx.TransportError) -> ServerAway | WrongServer:
        if isinstance(problem, httpx.UnsupportedProtocol):
            return WrongServer(f"{self.server!r} is not an address; it begins with https:// or http://")
        cause: BaseException | None = problem
        while cause is not None and not isinstance(cause, ssl.SSLError):
            cause = cause.__cause__ or cause.__context__
        if isinstance(cause, ssl.SSLCertVerificationError):
            return WrongServer(
                f"The certificate of {self.server} is not trusted: {cause.verify_message}; "
                "name the file of its authority with --ca-file"
            )
        if isinstance(cause, ssl.SSLError):
            return WrongServer(f"{self.server} does not speak TLS ({cause.reason}); is its address http://?")
        return ServerAway(f"{self.server} does not answer: {str(problem) or type(problem).__name__}")


def trusted_certificates(ca_file: Path | None) -> ssl.SSLContext:
    """Return the certificates to trust: the usual ones, and those in a file. Raise `WrongServer` for a bad file."""
    context = httpx.create_ssl_context(trust_env=False)
    if ca_file is not None:
        try:
            context.load_verify_locations(ca_file)
        except OSError as problem:  # includes a file without certificates
            reason = problem.strerror or "it has no certificate"
            raise WrongServer(f"{ca_file} cannot be read as certificates: {reason}") from None
    return context


def _check(response: httpx.Response) -> None:
    """Raise for an error response. The message never has the URL, which may be signed."""
    if response.is_success:
        return
    if response.status_code >= 500 or response.status_code in (408, 429):
        raise ServerAway(f"The server answered {response.status_code}")
    if not response.request.url.path.endswith("/work/lease"):
        raise LeaseLost(f"The server answered {response.status_code}")
    if response.status_code == 401:
        raise PermissionError(
            "The server does not accept this worker's token: it was revoked, has expired, or is not a worker's; "
            "create one with `observatory admin token create NAME`"
        )
    if response.is_redirect:
        target = response.headers.get("Location", "").removesuffix("/work/lease")
        raise WrongServer(f"The server redirects to {target}; use that address")
    raise WrongServer(
        f"The server answered {response.status_code} to a worker: its address is wrong, or its version differs"
    )


def _trace() -> dict[str, str]:
    """Return the header with which the server's spans join the trace; none when tracing is off."""
    traceparent = current_traceparent()
    return {} if traceparent is None else {"traceparent": traceparent}
