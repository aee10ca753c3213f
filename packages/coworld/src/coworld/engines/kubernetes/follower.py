"""Follow the pods of one episode: list them once, then watch from the list's resource version."""

import contextlib
import json
import threading
import time
from typing import Any, Self

from coworld.engines.kubernetes.cluster import ApiError, Cluster, Document, transport_errors

WATCH_SECONDS = 30
"""length of one watch request; the next one continues where it ended"""
POLL_SECONDS = 1.0
"""pause between lists where the service account may not watch"""
FIRST_PAUSE, LONGEST_PAUSE = 0.2, 5.0
"""seconds between attempts while the API does not answer"""


class PodFollower:
    """A cache of pods that a thread keeps current until `close`."""

    def __init__(self, cluster: Cluster, selector: str) -> None:
        self._cluster, self._selector = cluster, selector
        self._lock = threading.Lock()
        self._pods: dict[str, Document] = {}
        self._deleted: dict[str, Document] = {}
        self._listed = threading.Event()
        self._closed = threading.Event()
        self._may_watch = True
        self._stream: Any = None
        self._silent_since = 0.0
        self._problem = ""
        self._thread = threading.Thread(target=self._run, daemon=True, name="coworld-pods")

    def start(self) -> Self:
        self._thread.start()
        return self

    def close(self) -> None:
        """Stop following; a second call does nothing."""
        self._closed.set()
        stream = self._stream
        if stream is not None:
            with contextlib.suppress(Exception):  # it may just have ended
                getattr(stream, "shutdown", stream.close)()
        if self._thread.is_alive():
            self._thread.join(timeout=5.0)

    def pod(self, name: str) -> Document | None:
        """Return a pod as last seen; None when it is unknown or deleted."""
        with self._lock:
            return self._pods.get(name)

    def deleted(self, name: str) -> Document | None:
        """Return the last state of a deleted pod."""
        with self._lock:
            return self._deleted.get(name)

    def pods(self) -> list[Document]:
        with self._lock:
            return list(self._pods.values())

    def deleted_pods(self) -> list[Document]:
        with self._lock:
            return list(self._deleted.values())

    @property
    def silence(self) -> float:
        """Return the seconds since the API has stopped answering; 0 while it answers."""
        return time.monotonic() - self._silent_since if self._problem else 0.0

    @property
    def problem(self) -> str:
        """Return why the API does not answer; "" while it does."""
        return self._problem

    def wait_listed(self, seconds: float) -> bool:
        """Wait for the first list."""
        return self._listed.wait(seconds)

    def _run(self) -> None:
        version: str | None = None
        pause = FIRST_PAUSE
        while not self._closed.is_set():
            try:
                if version is None or not self._may_watch:
                    version = self._list()
                if self._may_watch:
                    version = self._watch(version)
                else:
                    self._closed.wait(POLL_SECONDS)
                pause = FIRST_PAUSE
            except ApiError as error:
                if error.status == 410:  # the version is too old: list again
                    version = None
                    continue
                if error.status == 403 and version is not None and self._may_watch:
                    self._may_watch = False
                    continue
                if not self._problem:
                    self._silent_since = time.monotonic()
                self._problem = str(error)
                self._closed.wait(pause if error.retry_after is None else min(error.retry_after, LONGEST_PAUSE))
                pause = min(2 * pause, LONGEST_PAUSE)

    def _list(self) -> str:
        pods, version = self._cluster.list("pods", self._selector)
        self._heard()
        with self._lock:
            current = {pod["metadata"]["name"]: pod for pod in pods}
            for name in [name for name in self._pods if name not in current]:
                self._deleted[name] = self._pods.pop(name)
            self._pods = current
        self._listed.set()
        return version

    def _watch(self, version: str) -> str | None:
        """Apply changes until the stream ends; return the version to continue from, None to list again."""
        stream = self._cluster.watch("pods", self._selector, version, seconds=WATCH_SECONDS)
        self._stream = stream
        self._heard()
        pending = b""
        try:
            for block in stream.stream(decode_content=False):
                if self._closed.is_set():
                    break
                *lines, pending = (pending + block).split(b"\n")
                for line in filter(None, lines):
                    event = json.loads(line)
                    if event["type"] == "ERROR":
                        if event["object"].get("code") == 410:
                            return None
                        raise ApiError(str(event["object"].get("message")), int(event["object"].get("code") or 500))
                    self._apply(event["type"], event["object"])
                    version = event["object"]["metadata"]["resourceVersion"]
                self._heard()
        except transport_errors() as error:
            if not self._closed.is_set():
                raise ApiError(f"the watch broke: {error}", 0) from None
        except ValueError:
            return None  # cut in the middle of a line
        finally:
            self._stream = None
            with contextlib.suppress(Exception):
                stream.close()
        return version

    def _apply(self, change: str, pod: Document) -> None:
        name = pod["metadata"].get("name")
        with self._lock:
            if change == "DELETED":
                self._pods.pop(name, None)
                self._deleted[name] = pod
            elif change in ("ADDED", "MODIFIED"):
                self._pods[name] = pod

    def _heard(self) -> None:
        self._problem = ""
