"""The programs of an episode in a cluster: the game's container, and a player's pod."""

from __future__ import annotations

import asyncio
import contextlib
import threading
import time
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from coworld.engines.base import Address, EngineError, Exit, Place, RunnableSpec
from coworld.engines.folders import copy_inside, list_inside, open_inside, read_inside
from coworld.engines.kubernetes.cluster import ApiError, Cluster
from coworld.engines.kubernetes.follower import PodFollower
from coworld.engines.kubernetes.player_pods import PLAYER_CONTAINER
from coworld.engines.kubernetes.verdicts import container_exit, has_started, pending_reason

if TYPE_CHECKING:
    from coworld.engines.kubernetes.engine import Patience

LOG_LINES, LOG_BYTES = 10_000, 10 << 20
LOOK_SECONDS = 0.1
"""pause between looks at the follower's cache; costs no request"""
GRACE_SECONDS = 1
"""for a player that is stopped"""
GAME_CONTAINER = "game"


class _Container:
    """One container of a pod that a follower watches."""

    startup_endpoint: Address | None = None
    endpoint: Address | None = None

    def __init__(
        self,
        cluster: Cluster,
        follower: PodFollower,
        pod: str,
        container: str,
        spec: RunnableSpec,
        place: Place,
        folder: Path,
        outage_seconds: float,
    ) -> None:
        self.spec, self.place = spec, place
        self._cluster, self._follower, self._pod, self._container = cluster, follower, pod, container
        self._folder, self._outage_seconds = folder, outage_seconds
        self._exit: Exit | None = None
        self._log: bytes | None = None
        self._ending = False

    def poll(self) -> Exit | None:
        if self._exit is None:
            self._exit = self._look()
        return self._exit

    def _look(self) -> Exit | None:
        pod = self._follower.pod(self._pod)
        if pod is not None:
            ended = container_exit(pod, self._container)
        else:
            last = self._follower.deleted(self._pod)
            ended = container_exit(last, self._container, deleted=True) if last is not None else None
        if ended is None and self._follower.silence > self._outage_seconds:
            problem = self._follower.problem
            ended = Exit(
                None,
                f"could not be watched: no answer for {self._outage_seconds:g} s: {problem}",
                cause="unreachable",
            )
        return ended

    def wait(self, timeout: float | None = None) -> Exit:
        deadline = None if timeout is None else time.monotonic() + timeout
        while (ended := self.poll()) is None:
            if deadline is not None and time.monotonic() > deadline:
                raise TimeoutError
            time.sleep(LOOK_SECONDS)
        return ended

    async def finished(self) -> Exit:
        while (ended := self.poll()) is None:
            await asyncio.sleep(LOOK_SECONDS)
        return ended

    def has(self, name: str) -> bool:
        file = open_inside(self._folder, name)
        if file is not None:
            file.close()
        return file is not None

    def names(self, folder: str, max_files: int) -> list[str] | None:
        return list_inside(self._folder, folder, max_files)

    def read(self, name: str, max_bytes: int) -> bytes | None:
        return read_inside(self._folder, name, max_bytes)

    def collect(self, name: str, target: Path, max_bytes: int) -> bool:
        return copy_inside(self._folder, name, target, max_bytes)

    def log(self, stream: Literal["stdout", "stderr"]) -> bytes:
        """Return the end of its output; the API does not separate the streams."""
        if stream == "stderr":
            return b""
        return self._log if self._log is not None else self._read_log()

    def _read_log(self) -> bytes:
        pod = self._follower.pod(self._pod)
        if pod is not None and not has_started(pod, self._container):
            return f"[no log: the container has not started; {pending_reason(pod)}]\n".encode()
        try:
            data = self._cluster.log(self._pod, self._container, lines=LOG_LINES, max_bytes=LOG_BYTES)
        except ApiError as error:
            return f"[no log: {error}]\n".encode()
        return data + b"\n[truncated by the runner at 10 MiB]\n" if len(data) >= LOG_BYTES else data

    def receipt(self) -> Mapping[str, object]:
        pod = self._follower.pod(self._pod) or self._follower.deleted(self._pod) or {}
        return {
            "name": self.spec.name,
            "role": self.spec.role,
            "image": self.spec.image,
            "level": "pod",
            "pod": self._pod,
            "node": (pod.get("spec") or {}).get("nodeName"),
            "reaches": "the game" if self.spec.role == "player" else "as the cluster's policies say",
        }


class GameContainer(_Container):
    """The game: a container of the worker's own pod. It ends by itself or with its Job."""

    def __init__(
        self,
        cluster: Cluster,
        follower: PodFollower,
        pod: str,
        spec: RunnableSpec,
        place: Place,
        address: Address,
        folder: Path,
        outage_seconds: float,
    ) -> None:
        super().__init__(cluster, follower, pod, GAME_CONTAINER, spec, place, folder, outage_seconds)
        self.endpoint = address

    def end(self) -> None:
        self._exit = self.poll() or Exit(None, "was left to its Job", stopped=True)

    def close(self) -> None:
        self.end()
        if self._log is None:
            self._log = self._read_log()


class PlayerPodRunning(_Container):
    """A player: a pod with one container."""

    def __init__(
        self,
        cluster: Cluster,
        follower: PodFollower,
        pod: str,
        spec: RunnableSpec,
        place: Place,
        folder: Path,
        patience: Patience,
    ) -> None:
        super().__init__(cluster, follower, pod, PLAYER_CONTAINER, spec, place, folder, patience.outage)
        self._start_seconds = patience.start
        self._start_by = time.monotonic() + patience.start
        self._started = self._deleted = False
        self._lock = threading.Lock()

    def startup_address(self) -> Address | None:
        """Return the address of its start-up page, once its pod has one."""
        pod = self._follower.pod(self._pod)
        address = ((pod or {}).get("status") or {}).get("podIP")
        port = self.spec.startup_port
        return (address, port) if address and port is not None else None

    def pending_reason(self) -> str:
        """Say why it has not started."""
        return pending_reason(self._follower.pod(self._pod))

    def restart_clock(self) -> None:
        """Measure the time to start from now: players wait for the game before."""
        self._start_by = time.monotonic() + self._start_seconds

    @property
    def started(self) -> bool:
        pod = self._follower.pod(self._pod) or self._follower.deleted(self._pod)
        self._started = self._started or (pod is not None and has_started(pod, PLAYER_CONTAINER))
        return self._started

    def confirm_started(self) -> bool:
        """Return whether it has started, by asking the API: the follower's cache may lag. Raises ApiError."""
        if not self.started:
            pod = self._cluster.get("pods", self._pod)
            self._started = pod is not None and has_started(pod, PLAYER_CONTAINER)
        return self._started

    def _look(self) -> Exit | None:
        ended = super()._look()
        if ended is not None and ended.cause == "lost" and self._ending:
            return Exit(None, "was ended by the runner", stopped=True)
        late = time.monotonic() > self._start_by and not self._ending and not self._follower.problem
        if ended is None and late and not self.started:
            text = f"was not started within {self._start_seconds:g} s: {self.pending_reason()}"
            ended = Exit(None, text, cause="unplaced")
        return ended

    def end(self) -> None:
        """Save the log and delete the pod, in a thread; `finished` returns when that is done."""
        if self._ending:
            return
        self._ending = True
        if self.poll() is None:
            threading.Thread(target=self._end, daemon=True, name="coworld-end-pod").start()

    def _end(self) -> None:
        try:
            self._delete()
        except EngineError as error:
            self._exit = self._exit or Exit(None, f"could not be deleted: {error}", stopped=True)
        self._exit = self._exit or Exit(None, "was ended by the runner", stopped=True)

    def _delete(self) -> None:
        with self._lock:
            if self._deleted:
                return
            if self._log is None:
                self._log = self._read_log()
            self._cluster.delete("pods", self._pod, grace_seconds=GRACE_SECONDS)
            self._deleted = True

    def close(self) -> None:
        """Delete the pod. When the API does not answer, `KubernetesEngine.close` tries once more."""
        self._ending = True
        with contextlib.suppress(EngineError):
            self._delete()
        self._exit = self._exit or Exit(None, "was ended by the runner", stopped=True)
