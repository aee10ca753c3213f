"""A stateful stand-in of the Kubernetes API server, over real HTTP.

It has resource versions, list pages, watches with bookmarks, 410 Gone for expired versions, 409 for names and
preconditions, cascading deletion by owner references, pod logs and the pod proxy. `faults` inject refusals.
"""

import copy
import json
import secrets
import threading
import time
import uuid
from collections.abc import Callable
from http.client import HTTPConnection
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import parse_qs, unquote, urlsplit

Object = dict[str, Any]
Fault = Callable[[str, str, dict[str, str]], "tuple[int, dict[str, str], str] | None"]
"""takes method, path and query; returns status, headers and message, or None; status 0 cuts the connection"""

KINDS = {
    "pods": "Pod",
    "services": "Service",
    "secrets": "Secret",
    "jobs": "Job",
    "networkpolicies": "NetworkPolicy",
}
GROUPS = {"pods": "", "services": "", "secrets": "", "jobs": "batch", "networkpolicies": "networking.k8s.io"}
VERBS = {"POST": "create", "DELETE": "delete", "PATCH": "patch", "PUT": "update"}


class ApiServer:
    """The server and its objects."""

    def __init__(self) -> None:
        self.lock = threading.RLock()
        self.changed = threading.Condition(self.lock)
        self.objects: dict[tuple[str, str, str], Object] = {}
        self.events: list[tuple[int, str, str, Object]] = []
        self.version = 100
        self.oldest = 0
        """watches from before this version are gone"""
        self.faults: list[Fault] = []
        self.lost_responses: list[str] = []
        """resources whose next created object is not confirmed: the connection breaks"""
        self.down = False
        self.created: list[Object] = []
        self.users = {"let-me-in": "client", "let-the-worker-in": "worker"}
        """by token"""
        self.calls: set[tuple[str, str, str, str]] = set()
        """user, API group, resource and verb of every request"""
        self.requests: list[tuple[str, str]] = []
        self.logs: dict[tuple[str, str], list[bytes]] = {}
        self.on_delete: Callable[[Object, int | None], bool] = lambda pod, grace: False
        """asks the kubelet whether it ends a pod itself"""
        self.page_size = 500
        self._server = _Server(self)
        self.url = f"http://127.0.0.1:{self._server.server_port}"

    def close(self) -> None:
        with self.lock:
            self.down = True
            self.changed.notify_all()
        self._server.shutdown()
        self._server.server_close()

    def kubeconfig(self, namespace: str = "coworld", user: str = "client") -> str:
        """Return a kubeconfig for this server."""
        token = next(token for token, name in self.users.items() if name == user)
        return json.dumps(
            {
                "apiVersion": "v1",
                "kind": "Config",
                "current-context": "here",
                "clusters": [{"name": "here", "cluster": {"server": self.url}}],
                "users": [{"name": "me", "user": {"token": token}}],
                "contexts": [{"name": "here", "context": {"cluster": "here", "user": "me", "namespace": namespace}}],
            }
        )

    # Objects

    def create(self, plural: str, namespace: str, document: Object) -> Object:
        with self.lock:
            key = (plural, namespace, document["metadata"]["name"])
            if key in self.objects:
                raise Refused(409, f'{plural} "{key[2]}" already exists')
            stored = copy.deepcopy(document)
            stored["metadata"] |= {
                "namespace": namespace,
                "uid": str(uuid.uuid4()),
                "creationTimestamp": time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime()),
            }
            if plural == "pods":
                stored["status"] = {"phase": "Pending"}
            self.created.append(copy.deepcopy(document))
            self.objects[key] = stored
            return self._record("ADDED", plural, stored)

    def change(self, plural: str, namespace: str, name: str, edit: Callable[[Object], None]) -> Object | None:
        """Edit an object in place, as a controller does; None when it is gone."""
        with self.lock:
            stored = self.objects.get((plural, namespace, name))
            if stored is None:
                return None
            edit(stored)
            return self._record("MODIFIED", plural, stored)

    def remove(self, plural: str, namespace: str, name: str) -> None:
        """Remove an object and everything it alone owns."""
        with self.lock:
            stored = self.objects.pop((plural, namespace, name), None)
            if stored is None:
                return
            self._record("DELETED", plural, stored)
            alive = {one["metadata"]["uid"] for one in self.objects.values()}
            for kind, space, other in list(self.objects):
                one = self.objects.get((kind, space, other))
                owners = (one or {}).get("metadata", {}).get("ownerReferences")
                if one and owners and not any(owner["uid"] in alive for owner in owners):
                    self.delete(kind, space, other, None)

    def delete(self, plural: str, namespace: str, name: str, grace: int | None) -> None:
        with self.lock:
            stored = self.objects[plural, namespace, name]
            if plural == "pods" and self.on_delete(stored, grace):
                if not stored["metadata"].get("deletionTimestamp"):
                    stored["metadata"]["deletionTimestamp"] = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime())
                    self._record("MODIFIED", plural, stored)
                return
            self.remove(plural, namespace, name)

    def select(self, plural: str, namespace: str, selector: str = "") -> list[Object]:
        with self.lock:
            return [
                copy.deepcopy(one)
                for (kind, space, _), one in sorted(self.objects.items())
                if kind == plural and space == namespace and matches(one, selector)
            ]

    def _record(self, change: str, plural: str, stored: Object) -> Object:
        self.version += 1
        stored["metadata"]["resourceVersion"] = str(self.version)
        stored.setdefault("kind", KINDS[plural])
        self.events.append((self.version, change, plural, copy.deepcopy(stored)))
        self.changed.notify_all()
        return copy.deepcopy(stored)

    def expire(self) -> None:
        """Forget the history: a watch from an older version gets 410 Gone."""
        with self.lock:
            self.version += 1
            self.oldest = self.version
            self.events.clear()
            self.changed.notify_all()


class Refused(Exception):
    def __init__(self, status: int, message: str, headers: dict[str, str] | None = None) -> None:
        super().__init__(message)
        self.status, self.headers = status, headers or {}


def matches(document: Object, selector: str) -> bool:
    labels = document["metadata"].get("labels") or {}
    pairs = [pair.split("=", 1) for pair in selector.split(",") if pair]
    return all(labels.get(name) == value for name, value in pairs)


class _Server(ThreadingHTTPServer):
    daemon_threads = True
    block_on_close = False
    request_queue_size = 512

    def __init__(self, api: ApiServer) -> None:
        self.api = api
        super().__init__(("127.0.0.1", 0), _Handler)
        threading.Thread(target=self.serve_forever, args=(0.02,), daemon=True).start()

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Clients may cut their connections."""


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    server: _Server

    def log_message(self, format: str, *args: Any) -> None:
        return

    def _serve(self) -> None:
        api = self.server.api
        parts = urlsplit(self.path)
        query = {name: values[0] for name, values in parse_qs(parts.query).items()}
        body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
        if api.down:
            self.close_connection = True
            return
        api.requests.append((self.command, self.path))
        try:
            for fault in list(api.faults):
                answer = fault(self.command, parts.path, query)
                if answer is not None:
                    if answer[0] == 0:
                        self.close_connection = True
                        return
                    raise Refused(answer[0], answer[2], answer[1])
            user = api.users.get(self.headers.get("Authorization", "").removeprefix("Bearer "))
            if user is None:
                raise Refused(401, "Unauthorized")
            self._route(user, parts.path, query, json.loads(body) if body else {})
        except Refused as refused:
            status = {"kind": "Status", "apiVersion": "v1", "status": "Failure", "code": refused.status}
            self._send(refused.status, {**status, "message": str(refused)}, refused.headers)

    do_GET = do_POST = do_DELETE = do_PUT = do_PATCH = _serve

    def _route(self, user: str, path: str, query: dict[str, str], body: Object) -> None:
        api = self.server.api
        words = [unquote(word) for word in path.strip("/").split("/")]
        group = "" if words[0] == "api" else words[1]
        rest = words[2:] if words[0] == "api" else words[3:]
        if len(rest) < 3 or rest[0] != "namespaces" or GROUPS.get(rest[2]) != group:
            raise Refused(404, f"the server could not find the requested resource {path}")
        namespace, plural, name = rest[1], rest[2], rest[3] if len(rest) > 3 else None
        below = "/".join(rest[4:])
        verb = VERBS.get(self.command) or ("get" if name else "watch" if query.get("watch") else "list")
        resource = f"{plural}/{rest[4]}" if len(rest) > 4 else plural
        api.calls.add((user, group, resource, verb))
        if below.startswith("proxy/"):
            self._proxy(namespace, str(name), below.removeprefix("proxy"))
        elif below == "log":
            self._log(namespace, str(name), query)
        elif self.command == "POST" and name is None:
            created = api.create(plural, namespace, body)
            if plural in api.lost_responses:
                api.lost_responses.remove(plural)
                self.close_connection = True
                return
            self._send(201, created)
        elif verb == "watch":
            self._watch(plural, namespace, query)
        elif verb == "list":
            self._list(plural, namespace, query)
        elif verb == "get":
            with api.lock:
                self._send(200, copy.deepcopy(self._stored(plural, namespace, str(name))))
        elif verb == "delete":
            with api.lock:
                stored = self._stored(plural, namespace, str(name))
                wanted = (body.get("preconditions") or {}).get("uid")
                if wanted not in (None, stored["metadata"]["uid"]):
                    raise Refused(409, "the UID in the precondition does not match")
                api.delete(plural, namespace, str(name), body.get("gracePeriodSeconds"))
            self._send(200, {"kind": "Status", "apiVersion": "v1", "status": "Success"})
        else:
            raise Refused(405, "the server does not allow this method on the requested resource")

    def _stored(self, plural: str, namespace: str, name: str) -> Object:
        stored = self.server.api.objects.get((plural, namespace, name))
        if stored is None:
            raise Refused(404, f'{plural} "{name}" not found')
        return stored

    def _list(self, plural: str, namespace: str, query: dict[str, str]) -> None:
        api = self.server.api
        with api.lock:
            items = api.select(plural, namespace, query.get("labelSelector", ""))
            begin = 0
            if "continue" in query:
                version, begin = (int(part) for part in query["continue"].split(":"))
                if version < api.oldest:
                    raise Refused(410, "The provided continue parameter is too old")
            end = begin + min(api.page_size, int(query.get("limit") or api.page_size))
            metadata = {"resourceVersion": str(api.version)}
            if end < len(items):
                metadata["continue"] = f"{api.version}:{end}"
        kind = f"{KINDS[plural]}List"
        self._send(200, {"kind": kind, "apiVersion": "v1", "metadata": metadata, "items": items[begin:end]})

    def _watch(self, plural: str, namespace: str, query: dict[str, str]) -> None:
        api, position = self.server.api, int(query["resourceVersion"])
        until = time.monotonic() + float(query.get("timeoutSeconds") or 60)
        with api.lock:
            if position < api.oldest and secrets.randbelow(2):  # a real server answers in both ways
                raise Refused(410, f"too old resource version: {position} ({api.oldest})")
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Transfer-Encoding", "chunked")
        self.end_headers()
        self.close_connection = True
        last_bookmark = time.monotonic()
        while not api.down and time.monotonic() < until:
            with api.lock:
                if position < api.oldest:
                    status = {"kind": "Status", "code": 410, "reason": "Expired", "message": "too old"}
                    self._chunk({"type": "ERROR", "object": status})
                    break
                fresh = [event for event in api.events if event[0] > position]
                if not fresh:
                    api.changed.wait(0.2)
            for version, change, kind, document in fresh:
                position = version
                same = kind == plural and document["metadata"]["namespace"] == namespace
                if same and matches(document, query.get("labelSelector", "")):
                    self._chunk({"type": change, "object": document})
            if query.get("allowWatchBookmarks") and time.monotonic() - last_bookmark > 0.3:
                last_bookmark = time.monotonic()
                bare = {"kind": KINDS[plural], "metadata": {"resourceVersion": str(position)}}
                self._chunk({"type": "BOOKMARK", "object": bare})
        if not api.down:
            self.wfile.write(b"0\r\n\r\n")

    def _chunk(self, event: Object) -> None:
        data = json.dumps(event).encode() + b"\n"
        self.wfile.write(f"{len(data):x}\r\n".encode() + data + b"\r\n")
        self.wfile.flush()

    def _log(self, namespace: str, name: str, query: dict[str, str]) -> None:
        api = self.server.api
        with api.lock:
            self._stored("pods", namespace, name)
            data = b"".join(api.logs.get((name, query["container"]), []))
        lines = data.splitlines(keepends=True)[-int(query["tailLines"]) :]
        self._send_bytes(200, b"".join(lines)[: int(query["limitBytes"])], "text/plain", {})

    def _proxy(self, namespace: str, name: str, path: str) -> None:
        pod_name, _, port = name.partition(":")
        with self.server.api.lock:
            address = self._stored("pods", namespace, pod_name)["status"].get("podIP")
        connection = HTTPConnection(address or "127.0.0.1", int(port), timeout=10)
        forwarded = {key: value for key, value in self.headers.items() if key.lower().startswith("x-")}
        try:
            connection.request("GET", path, headers=forwarded)
            answer = connection.getresponse()
            data = answer.read()
        except OSError as error:
            raise Refused(503, f"error trying to reach service: {error}") from None
        finally:
            connection.close()
        self._send_bytes(answer.status, data, answer.getheader("Content-Type", ""), {})

    def _send(self, status: int, document: Object, headers: dict[str, str] | None = None) -> None:
        self._send_bytes(status, json.dumps(document).encode(), "application/json", headers or {})

    def _send_bytes(self, status: int, data: bytes, content_type: str, headers: dict[str, str]) -> None:
        self.send_response(status)
        for name, value in {"Content-Type": content_type, "Content-Length": str(len(data)), **headers}.items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(data)
