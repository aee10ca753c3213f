"""Call the API of a Kubernetes cluster, in one namespace. Objects are plain JSON documents.

The `kubernetes` library provides credentials, TLS and connections. Requests are our own: its generated models refuse
fields of other server versions. 429, 5xx and lost connections are retried with a growing pause, or after `Retry-After`.
"""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Mapping
from typing import Any
from urllib.parse import quote, urlencode

from coworld.engines.base import EngineError

RETRIES = 5
FIRST_PAUSE, LONGEST_PAUSE = 0.5, 30.0
"""seconds"""
CONNECT_SECONDS, READ_SECONDS = 10.0, 30.0

Document = dict[str, Any]


class ApiError(EngineError):
    """The API server refused a request, or did not answer (`status` 0)."""

    def __init__(self, message: str, status: int, *, retry_after: float | None = None) -> None:
        super().__init__(message)
        self.status, self.retry_after = status, retry_after


class Cluster:
    """One namespace of a cluster."""

    def __init__(
        self, api: Any, namespace: str, *, retries: int = RETRIES, sleep: Callable[[float], None] = time.sleep
    ) -> None:
        """Take an `ApiClient` of the `kubernetes` library."""
        self.namespace = namespace
        self._configuration, self._pool = api.configuration, api.rest_client.pool_manager
        self._retries, self._sleep = retries, sleep

    # Objects

    def create(self, kind: str, document: Mapping[str, Any]) -> Document:
        """Create an object; ApiError with status 409 when one of its name exists."""
        return self._json("POST", self.path(kind), body=document)

    def get(self, kind: str, name: str) -> Document | None:
        """Return an object; None when there is none of that name."""
        try:
            return self._json("GET", self.path(kind, name))
        except ApiError as error:
            if error.status == 404:
                return None
            raise

    def list(self, kind: str, selector: str) -> tuple[list[Document], str]:
        """Return the objects that match a label selector, and the resource version of the list."""
        objects: list[Document] = []
        query = {"labelSelector": selector, "limit": "500"}
        while True:
            try:
                page = self._json("GET", self.path(kind), query=query)
            except ApiError as error:
                if error.status != 410 or "continue" not in query:
                    raise
                # The snapshot that `continue` names has expired.
                objects, query = [], {name: value for name, value in query.items() if name != "continue"}
                continue
            objects += page.get("items") or []
            more = page["metadata"].get("continue")
            if not more:
                return objects, page["metadata"]["resourceVersion"]
            query["continue"] = more

    def delete(self, kind: str, name: str, *, uid: str | None = None, grace_seconds: int | None = None) -> bool:
        """Delete an object and everything it owns; False when it is gone already. With `uid`, only that object."""
        options: Document = {"apiVersion": "v1", "kind": "DeleteOptions", "propagationPolicy": "Background"}
        if uid is not None:
            options["preconditions"] = {"uid": uid}
        if grace_seconds is not None:
            options["gracePeriodSeconds"] = grace_seconds
        try:
            self._json("DELETE", self.path(kind, name), body=options)
        except ApiError as error:
            if error.status == 404 or (error.status == 409 and uid is not None):
                return False
            raise
        return True

    def watch(self, kind: str, selector: str, version: str, *, seconds: int) -> Any:
        """Open a stream of changes since a resource version; one JSON document per line. ApiError, never retried."""
        query = {
            "watch": "true",
            "allowWatchBookmarks": "true",
            "labelSelector": selector,
            "resourceVersion": version,
            "timeoutSeconds": str(seconds),
        }
        return self._send("GET", self.path(kind), query=query, read_seconds=seconds + 15.0)

    def log(self, pod: str, container: str, *, lines: int, max_bytes: int) -> bytes:
        """Return the end of a container's output."""
        query = {"container": container, "tailLines": str(lines), "limitBytes": str(max_bytes)}
        return self._bytes("GET", f"{self.path('pods', pod)}/log", query=query)

    def get_from_pod(self, pod: str, port: int, path: str, headers: Mapping[str, str]) -> Any:
        """Send a GET request to a port of a pod through the API server; returns the response stream. Never retried."""
        return self._send("GET", f"{self.path('pods', f'{pod}:{port}')}/proxy/{path}", headers=headers)

    def path(self, kind: str, name: str | None = None) -> str:
        """Return the path of a resource: `pods`, `batch/v1/jobs`."""
        group, _, plural = kind.rpartition("/")
        root = f"/apis/{group}" if group else "/api/v1"
        path = f"{root}/namespaces/{quote(self.namespace, safe='')}/{plural}"
        return path if name is None else f"{path}/{quote(name, safe=':')}"

    # Requests

    def _json(self, method: str, path: str, **options: Any) -> Document:
        document: Document = json.loads(self._bytes(method, path, **options))
        return document

    def _bytes(self, method: str, path: str, **options: Any) -> bytes:
        """Send a request and read its response; temporary refusals are retried."""
        pause = FIRST_PAUSE
        for left in reversed(range(self._retries + 1)):
            try:
                response = self._send(method, path, **options)
                try:
                    return bytes(response.read())
                finally:
                    response.release_conn()
            except ApiError as error:
                if not left or not is_temporary(error):
                    raise
                wait = pause if error.retry_after is None else error.retry_after
            except transport_errors() as error:
                if not left:
                    raise ApiError(f"the Kubernetes API stopped answering {method} {path}: {error}", 0) from None
                wait = pause
            self._sleep(min(wait, LONGEST_PAUSE))
            pause = min(2 * pause, LONGEST_PAUSE)
        raise AssertionError("unreachable")

    def _send(
        self,
        method: str,
        path: str,
        *,
        query: Mapping[str, str] | None = None,
        body: Mapping[str, Any] | None = None,
        headers: Mapping[str, str] | None = None,
        read_seconds: float = READ_SECONDS,
    ) -> Any:
        """Send a request once and return the open response."""
        import urllib3

        url = self._configuration.host.rstrip("/") + path + (f"?{urlencode(query)}" if query else "")
        sent = {"Accept": "application/json, */*", "User-Agent": "coworld", **(headers or {}), **self._credentials()}
        if body is not None:
            sent["Content-Type"] = "application/json"
        try:
            response = self._pool.request(
                method,
                url,
                body=None if body is None else json.dumps(body).encode(),
                headers=sent,
                preload_content=False,
                retries=False,
                timeout=urllib3.Timeout(connect=CONNECT_SECONDS, read=read_seconds),
            )
        except transport_errors() as error:
            raise ApiError(f"the Kubernetes API at {self._configuration.host} does not answer: {error}", 0) from None
        if response.status < 300:
            return response
        try:
            data = response.read()
        except transport_errors():
            data = b""
        finally:
            response.release_conn()
        raise _refusal(method, path, response, data)

    def _credentials(self) -> dict[str, str]:
        settings = self._configuration.auth_settings().values()
        return {auth["key"]: auth["value"] for auth in settings if auth["in"] == "header" and auth["value"]}


def transport_errors() -> tuple[type[Exception], ...]:
    """Return the exceptions of a connection that fails."""
    from urllib3.exceptions import HTTPError

    return (HTTPError, OSError)


def is_temporary(error: ApiError) -> bool:
    """Return whether the same request may succeed later."""
    return error.status in (0, 429) or error.status >= 500


def _refusal(method: str, path: str, response: Any, data: bytes) -> ApiError:
    """Return the error for a refused request, with the server's own words."""
    try:
        message = str(json.loads(data)["message"])
    except (ValueError, KeyError, TypeError):
        message = data.decode(errors="replace")[:300].strip() or response.reason or ""
    text = f"the Kubernetes API answered {response.status} to {method} {path}: {message}"
    if response.status in (401, 403):
        text += "; see docs/guides/kubernetes.md for the permissions that are needed"
    after = response.headers.get("Retry-After", "")
    return ApiError(text, response.status, retry_after=float(after) if after.isdigit() else None)
