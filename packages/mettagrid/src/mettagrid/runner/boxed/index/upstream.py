"""Send requests to the package index, with its credentials, and to the hosts that it links to, without them."""

from __future__ import annotations

import http.client
import ipaddress
import ssl
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from http import HTTPStatus
from pathlib import Path
from urllib.parse import SplitResult, urljoin, urlsplit

from cogbox.egress import reach
from mettagrid.runner.boxed.index.settings import PackageIndex, PackageSource

__all__ = ["Upstream", "UpstreamFailed"]

_REDIRECTS = (301, 302, 303, 307, 308)
_MAX_REDIRECTS = 5
_PORTS = {"http": 80, "https": 443}


class UpstreamFailed(Exception):
    """The index, or a host that it links to, returned no file. The message omits addresses, which may contain secrets.

    `status` is the response to pip: 404 and 403 are final, after 502 it retries. `is_outage` means that the index
    itself does not work or rejects this machine, independent of the request.
    """

    def __init__(self, message: str, status: HTTPStatus = HTTPStatus.FORBIDDEN, *, is_outage: bool = False) -> None:
        super().__init__(message)
        self.status = status
        self.is_outage = is_outage


class _Connection(http.client.HTTPConnection):
    """A connection that refuses local and private addresses unless the host is allowed to have one."""

    def __init__(self, parts: SplitResult, *, private: bool, context: ssl.SSLContext) -> None:
        self._host_name = parts.hostname or ""
        super().__init__(self._host_name, parts.port or _PORTS[parts.scheme], timeout=60)
        self._context = context if parts.scheme == "https" else None
        self._private = private

    def connect(self) -> None:
        if not self._private and _is_inner_address(self._host_name):
            raise PermissionError("the host has no public address")
        self.sock = reach(self._host_name, self.port, private=self._private)
        self.sock.settimeout(60)
        if self._context is not None:
            self.sock = self._context.wrap_socket(self.sock, server_hostname=self._host_name)


class Upstream:
    """The addresses that the proxy may request: the package sources, and the files they link to."""

    def __init__(self, index: PackageIndex) -> None:
        self._sources: Sequence[PackageSource] = index.sources
        self._trusted = index.trusted_hosts
        cert = None if index.cert is None else Path(index.cert)
        self._verified = ssl.create_default_context(
            cafile=str(cert) if cert is not None and cert.is_file() else None,
            capath=str(cert) if cert is not None and cert.is_dir() else None,
        )
        self._unverified = ssl.create_default_context()
        self._unverified.check_hostname = False
        self._unverified.verify_mode = ssl.CERT_NONE
        self._own = {_origin(urlsplit(source.url)) for source in self._sources}

    @contextmanager
    def open(self, method: str, url: str, *, accept: str = "*/*") -> Iterator[tuple[http.client.HTTPResponse, str]]:
        """Yield a successful response and its final address; raises `UpstreamFailed` for anything else.

        Credentials go to the origin they are configured for. A redirect to another one is followed without them.
        """
        for _ in range(1 + _MAX_REDIRECTS):
            parts = urlsplit(url)
            if parts.scheme not in _PORTS or not parts.hostname:
                raise UpstreamFailed("the index links to an address that is not HTTP")
            connection = self._connection(parts)
            try:
                path = (parts.path or "/") + (f"?{parts.query}" if parts.query else "")
                connection.request(method, path, headers=self._headers(parts, accept))
                response = connection.getresponse()
                location = response.headers.get("Location")
                if response.status in _REDIRECTS and location:
                    url = urljoin(url, location)
                    continue
                if response.status != 200:
                    raise _refusal(response.status, own=self._is_own(parts))
                yield response, url
                return
            except (OSError, http.client.HTTPException, ValueError) as error:
                host = "the package index" if self._is_own(parts) else "a host that the package index links to"
                message = f"{host} does not answer: {type(error).__name__}"
                raise UpstreamFailed(message, HTTPStatus.BAD_GATEWAY, is_outage=self._is_own(parts)) from None
            finally:
                connection.close()
        raise UpstreamFailed(f"the index redirects more than {_MAX_REDIRECTS} times")

    def _connection(self, parts: SplitResult) -> _Connection:
        try:
            named = {parts.hostname, f"{parts.hostname}:{parts.port or _PORTS[parts.scheme]}"}
        except ValueError:
            raise UpstreamFailed("the index links to an address with a wrong port") from None
        trusted = bool(named & self._trusted)
        context = self._unverified if trusted else self._verified
        return _Connection(parts, private=trusted or self._is_own(parts), context=context)

    def _is_own(self, parts: SplitResult) -> bool:
        return _origin(parts) in self._own

    def _headers(self, parts: SplitResult, accept: str) -> dict[str, str]:
        headers = {
            "Accept": accept,
            "Accept-Encoding": "identity",
            "User-Agent": "mettagrid-setup",
            "Connection": "close",
        }
        for source in self._sources:
            if source.authorization is not None and _origin(urlsplit(source.url)) == _origin(parts):
                headers["Authorization"] = source.authorization
                break
        return headers


def _origin(parts: SplitResult) -> tuple[str, str, int]:
    return parts.scheme, (parts.hostname or "").lower(), parts.port or _PORTS[parts.scheme]


def _is_inner_address(host: str) -> bool:
    try:
        return not ipaddress.ip_address(host).is_global
    except ValueError:
        return False


def _refusal(status: int, *, own: bool) -> UpstreamFailed:
    if status == HTTPStatus.NOT_FOUND:
        return UpstreamFailed("not found", HTTPStatus.NOT_FOUND)
    if status == HTTPStatus.UNAUTHORIZED and own:
        return UpstreamFailed("the package index refuses the credentials of this machine (401)", is_outage=True)
    host = "the package index" if own else "a host that the package index links to"
    if status in (502, 503, 504):
        return UpstreamFailed(f"{host} answers {status}", HTTPStatus.BAD_GATEWAY, is_outage=own)
    return UpstreamFailed(f"{host} answers {status}")
