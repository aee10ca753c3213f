"""A tiny node and Job controller for the stand-in of the API: it runs the containers of pods.

Each pod has its own loopback address, so all of them listen on the real ports. A container is a Python function in a
thread, or a local process; names of Services and mount paths in its variables are replaced by real ones. `Fate`s script
what machines do to pods.
"""

import base64
import contextlib
import copy
import functools
import io
import re
import secrets
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from coworld.runner import kubernetes_runner
from packages.coworld.tests.kubernetes.api_server import ApiServer, Object

RUNNER = ["python", "-m", "coworld.runner.kubernetes_runner"]


class ThreadStderr(io.TextIOBase):
    """Standard error of this process, which goes to a container's log in the thread that runs the container."""

    def __init__(self) -> None:
        self._target = threading.local()

    @contextlib.contextmanager
    def to(self, log: list[bytes]) -> Iterator[None]:
        self._target.log = log
        with contextlib.ExitStack() as undo:
            undo.callback(delattr, self._target, "log")
            yield

    def write(self, text: str) -> int:
        log = getattr(self._target, "log", None)
        if log is None:
            return sys.__stderr__.write(text) if sys.__stderr__ else 0
        log.append(text.encode())
        return len(text)


STDERR = ThreadStderr()


@dataclass
class Container:
    """A running container, as its program sees it."""

    env: dict[str, str]
    log: list[bytes]
    stop: threading.Event
    command: list[str] = field(default_factory=list)
    address: str = ""
    """of its pod"""
    reason: str = ""
    """reason of its end that a program sets; else Completed or Error"""

    def print(self, text: str) -> None:
        self.log.append(text.encode() + b"\n")


@dataclass(frozen=True)
class Fate:
    """What happens to the pod or container of an image instead of, or during, its program."""

    waiting: tuple[str, str] | None = None
    """the container never starts: reason and message"""
    unschedulable: str = ""
    terminated: tuple[str, int] | None = None
    """the container is ended once it has started: reason and exit code"""
    pod_reason: str = ""
    """the whole pod fails once the container has started: Evicted, DeadlineExceeded, ..."""
    condition: str = ""
    """reason of a DisruptionTarget condition that comes with it"""
    job_deadline: bool = False
    """the Job's deadline passes once the container has started: the Job fails and deletes the pod"""
    deleted: bool = False
    """the pod object vanishes once the container has started"""
    after: Callable[[], bool] = lambda: True
    """the fate waits until this is true"""


def _set_status(status: Object, document: Object) -> None:
    document["status"] = status


Program = Callable[[Container], int] | Fate | list[str]


class Kubelet:
    """Runs pods until `close`."""

    def __init__(
        self, api: ApiServer, programs: Mapping[str, Program], folder: Path, namespace: str = "coworld"
    ) -> None:
        self.api, self.programs, self.folder, self.namespace = api, dict(programs), folder, namespace
        self.as_processes = False
        self.fates: dict[str, Fate] = {}
        """by the name of a container; wins over `programs`"""
        self.kubeconfig = folder / "worker-kubeconfig"
        self.kubeconfig.write_text(api.kubeconfig(namespace, "worker"))
        self._running: dict[str, threading.Event] = {}
        self._closed = threading.Event()
        self._threads: list[threading.Thread] = []
        self._processes: list[subprocess.Popen[bytes]] = []
        self._next_address = secrets.randbelow(1 << 20) * 16 + 2
        api.on_delete = self._delete
        self._spawn(self._follow)

    def close(self) -> None:
        self._closed.set()
        for stop in list(self._running.values()):
            stop.set()
        with self.api.lock:
            self.api.changed.notify_all()
        for process in self._processes:
            process.kill()
            process.wait()
        for thread in self._threads:
            thread.join(timeout=10)
            assert not thread.is_alive(), f"{thread} is left"

    def _spawn(self, work: Callable[..., None], *arguments: Any) -> None:
        thread = threading.Thread(target=work, args=arguments, daemon=True, name=f"kubelet-{work.__name__}")
        self._threads.append(thread)
        thread.start()

    def _follow(self) -> None:
        seen: set[str] = set()
        while not self._closed.is_set():
            with self.api.lock:
                fresh = [
                    (kind, copy.deepcopy(one))
                    for (kind, _, _), one in self.api.objects.items()
                    if kind in ("pods", "jobs") and one["metadata"]["uid"] not in seen
                ]
                if not fresh:
                    self.api.changed.wait(0.2)
            for kind, one in fresh:
                seen.add(one["metadata"]["uid"])
                if kind == "pods":
                    self._running[one["metadata"]["name"]] = threading.Event()
                    self._spawn(self._run_pod, one)
                else:
                    self._start_job(one)

    def _delete(self, pod: Object, grace: int | None) -> bool:
        stop = self._running.get(pod["metadata"]["name"])
        if stop is None:
            return False
        stop.set()
        return True

    # Jobs

    def _start_job(self, job: Object) -> None:
        template, metadata = job["spec"]["template"], job["metadata"]
        owner = {"apiVersion": "batch/v1", "kind": "Job", "controller": True}
        pod = {
            "apiVersion": "v1",
            "kind": "Pod",
            "metadata": {
                "name": f"{metadata['name']}-{secrets.token_hex(3)}",
                "labels": {**template["metadata"]["labels"], "job-name": metadata["name"]},
                "ownerReferences": [{**owner, "name": metadata["name"], "uid": metadata["uid"]}],
            },
            "spec": template["spec"],
        }
        self.api.create("pods", self.namespace, pod)

    def _finish_job(self, pod: Object, phase: str) -> None:
        for owner in pod["metadata"].get("ownerReferences") or ():
            if owner["kind"] == "Job":
                kind = "Complete" if phase == "Succeeded" else "Failed"
                status = {"conditions": [{"type": kind, "status": "True"}]}
                self._change("jobs", owner["name"], functools.partial(_set_status, status))

    # Pods

    def _change(self, plural: str, name: str, edit: Callable[[Object], None]) -> None:
        self.api.change(plural, self.namespace, name, edit)

    def _status(self, pod: Object, **fields: Any) -> None:
        self._change("pods", pod["metadata"]["name"], lambda one: one["status"].update(fields))

    def _state(self, pod: Object, container: str, state: Object, init: bool) -> None:
        key = "initContainerStatuses" if init else "containerStatuses"

        def edit(one: Object) -> None:
            states = {entry["name"]: entry for entry in one["status"].get(key, [])}
            states[container] = {"name": container, "state": state, "image": "", "ready": "running" in state}
            one["status"][key] = list(states.values())

        self._change("pods", pod["metadata"]["name"], edit)

    def _run_pod(self, pod: Object) -> None:
        name = pod["metadata"]["name"]
        stop = self._running[name]
        try:
            phase = self._play_pod(pod, stop)
            if phase:
                self._status(pod, phase=phase)
                self._finish_job(pod, phase)
        finally:
            with self.api.lock:
                self._running.pop(name, None)
                current = self.api.objects.get(("pods", self.namespace, name))
                if current is not None and (current["metadata"].get("deletionTimestamp") or stop.is_set()):
                    self.api.remove("pods", self.namespace, name)

    def _play_pod(self, pod: Object, stop: threading.Event) -> str:
        spec = pod["spec"]
        for container in spec["containers"]:
            fate = self.fates.get(container["name"]) or self.programs.get(container["image"])
            if isinstance(fate, Fate) and fate.unschedulable:
                words = {"reason": "Unschedulable", "message": fate.unschedulable}
                self._status(pod, conditions=[{"type": "PodScheduled", "status": "False", **words}])
                stop.wait()
                return ""
        self._next_address += 1
        address = f"127.{self._next_address >> 16 & 127}.{self._next_address >> 8 & 255}.{self._next_address & 255}"
        folders = self._volumes(pod, stop)
        if stop.is_set():
            return ""
        self._status(pod, podIP=address)
        pod["status"] = {"podIP": address}
        for container in spec.get("initContainers") or ():
            if self._run_container(pod, container, folders, stop, init=True) != 0:
                return "Failed"
            if stop.is_set():
                return ""
        codes: dict[str, int] = {}

        stops = {container["name"]: threading.Event() for container in spec["containers"]}

        def run(container: Object) -> None:
            name = container["name"]
            codes[name] = self._run_container(pod, container, folders, stops[name], init=False)

        self._status(pod, phase="Running")
        threads = [threading.Thread(target=run, args=(container,), daemon=True) for container in spec["containers"]]
        for thread in threads:
            thread.start()
        while any(thread.is_alive() for thread in threads) and not stop.is_set():
            time.sleep(0.01)
            if "worker" in codes:  # its port, which liveness probes look at, is closed
                for container in spec["containers"]:
                    if "livenessProbe" in container:
                        stops[container["name"]].set()
        for own in stops.values():  # a deleted pod goes at once: its containers are killed
            own.set()
        self._threads += threads
        return "" if stop.is_set() else "Succeeded" if not any(codes.values()) else "Failed"

    def _volumes(self, pod: Object, stop: threading.Event) -> dict[str, Path]:
        folders: dict[str, Path] = {}
        for volume in pod["spec"].get("volumes") or ():
            folder = self.folder / pod["metadata"]["name"] / volume["name"]
            folder.mkdir(parents=True)
            folders[volume["name"]] = folder
            if "secret" in volume:
                key = ("secrets", self.namespace, volume["secret"]["secretName"])
                while key not in self.api.objects and not stop.is_set():
                    time.sleep(0.01)
                for name, text in self.api.objects.get(key, {}).get("data", {}).items():
                    (folder / name).write_bytes(base64.b64decode(text))
        return folders

    def _stopped(self, pod: Object) -> bool:
        stop = self._running.get(pod["metadata"]["name"])
        return stop is None or stop.is_set()

    # Containers

    def _run_container(
        self, pod: Object, container: Object, folders: dict[str, Path], stop: threading.Event, *, init: bool
    ) -> int:
        name = container["name"]
        program: Any = self.fates.get(name) or self.programs.get(container["image"])
        if container.get("command", [])[:3] == RUNNER and not isinstance(program, Fate):
            program = self._runner
        if isinstance(program, Fate) and program.waiting:
            reason, message = program.waiting
            self._state(pod, name, {"waiting": {"reason": reason, "message": message}}, init)
            stop.wait()
            return 1
        env = self._env(pod, container, folders)
        log = self.api.logs.setdefault((pod["metadata"]["name"], name), [])
        self._state(pod, name, {"running": {}}, init)
        if isinstance(program, Fate):
            return self._meet(pod, name, program, stop, init)
        running = Container(env, log, stop, [*(container.get("command") or ()), *(container.get("args") or ())])
        running.address = pod["status"]["podIP"]
        code = self._execute(program, running)
        if not self._stopped(pod):
            ended = {"exitCode": code, "reason": running.reason or ("Completed" if code == 0 else "Error")}
            self._state(pod, name, {"terminated": ended}, init)
        return code

    def _meet(self, pod: Object, name: str, fate: Fate, stop: threading.Event, init: bool) -> int:
        while not fate.after() and not stop.is_set():
            time.sleep(0.01)
        if fate.job_deadline:
            failed = {"type": "Failed", "status": "True", "reason": "DeadlineExceeded"}
            owner = pod["metadata"]["ownerReferences"][0]["name"]
            self._change("jobs", owner, functools.partial(_set_status, {"conditions": [failed]}))
        if fate.deleted or fate.job_deadline:
            self.api.remove("pods", self.namespace, pod["metadata"]["name"])
            self._running[pod["metadata"]["name"]].set()
        elif fate.terminated:
            reason, code = fate.terminated
            self._state(pod, name, {"terminated": {"exitCode": code, "reason": reason}}, init)
            return code
        elif fate.pod_reason or fate.condition:
            if fate.condition:
                words = {"type": "DisruptionTarget", "status": "True", "reason": fate.condition}
                self._status(pod, conditions=[words])
            self._status(pod, phase="Failed", reason=fate.pod_reason)  # before its containers end, as a node does
            self._state(pod, name, {"terminated": {"exitCode": 137, "reason": "Error"}}, init)
            return 137
        stop.wait()
        return 1

    def _execute(self, program: Any, container: Container) -> int:
        if isinstance(program, list):
            return self._process(program, container)
        try:
            return int(program(container))
        except Exception as error:
            container.print(f"{type(error).__name__}: {error}")
            return 1

    def _process(self, words: list[str], container: Container) -> int:
        env = {"PATH": "/usr/bin:/bin", **container.env}
        words = words or [sys.executable, *container.command[1:]]  # an image of ours runs its `python` commands
        process = subprocess.Popen(words, env=env, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
        self._processes.append(process)

        def end() -> None:
            container.stop.wait()
            process.kill()

        threading.Thread(target=end, daemon=True).start()
        assert process.stdout is not None
        with process.stdout as lines:
            for line in lines:
                container.log.append(line)
        return process.wait()

    def _runner(self, container: Container) -> int:
        container.env["KUBECONFIG"] = str(self.kubeconfig)
        if self.as_processes:
            return self._process([sys.executable, *container.command[1:]], container)
        if container.command[3:] == ["wait-for-game"]:
            kubernetes_runner.wait_for_game(container.env, container.stop.is_set)
            return 0
        with STDERR.to(container.log):
            return kubernetes_runner.main(container.command[3:], container.env)

    def _env(self, pod: Object, container: Object, folders: dict[str, Path]) -> dict[str, str]:
        fields = {
            "metadata.name": pod["metadata"]["name"],
            "metadata.uid": pod["metadata"]["uid"],
            "status.podIP": pod["status"]["podIP"],
        }
        env: dict[str, str] = {}
        for entry in container.get("env") or ():
            source = entry.get("valueFrom") or {}
            if "fieldRef" in source:
                env[entry["name"]] = fields[source["fieldRef"]["fieldPath"]]
            elif "secretKeyRef" in source:
                secret = self.api.objects["secrets", self.namespace, source["secretKeyRef"]["name"]]
                env[entry["name"]] = base64.b64decode(secret["data"][source["secretKeyRef"]["key"]]).decode()
            else:
                env[entry["name"]] = self._located(entry.get("value", ""), container, folders)
        if env.get("COGAME_HOST") == "0.0.0.0":
            env["COGAME_HOST"] = pod["status"]["podIP"]
        return env

    def _located(self, value: str, container: Object, folders: dict[str, Path]) -> str:
        mounts = {mount["mountPath"]: folders[mount["name"]] for mount in container.get("volumeMounts") or ()}
        for path, folder in mounts.items():
            value = re.sub(rf"(?<![\w/]){re.escape(path)}(?=/|$)", str(folder), value.replace("file://", "file:\0"))
            value = value.replace("file:\0", "file://")
        return re.sub(r"(?<=://)([a-z0-9-]+)(?=:\d+)", lambda match: self._resolve(match[1]), value)

    def _resolve(self, name: str) -> str:
        """Return the address of the pod behind a Service."""
        with self.api.lock:
            service = self.api.objects.get(("services", self.namespace, name))
            labels = (service or {"spec": {"selector": {"-": "-"}}})["spec"]["selector"]
            selector = ",".join(f"{key}={value}" for key, value in labels.items())
            pods = self.api.select("pods", self.namespace, selector)
        return next((pod["status"]["podIP"] for pod in pods if pod["status"].get("podIP")), name)
