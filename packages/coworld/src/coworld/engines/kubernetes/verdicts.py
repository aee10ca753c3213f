"""Read from the status of a pod how one of its containers ended, and which party that concerns."""

import signal
from collections.abc import Iterable

from coworld.engines.base import Exit
from coworld.engines.kubernetes.cluster import Document

REFUSALS = frozenset(
    {
        "CrashLoopBackOff",
        "CreateContainerConfigError",
        "CreateContainerError",
        "ErrImageNeverPull",
        "ErrImagePull",
        "ImageInspectError",
        "ImagePullBackOff",
        "InvalidImageName",
        "RunContainerError",
    }
)
"""reasons of a waiting container that the author of its image has to act on"""
DISRUPTIONS = frozenset(
    {
        "ContainerStatusUnknown",
        "DeletionByPodGC",
        "DeletionByTaintManager",
        "Evicted",
        "EvictionByEvictionAPI",
        "NodeAffinity",
        "NodeLost",
        "NodeShutdown",
        "OutOfcpu",
        "OutOfmemory",
        "OutOfpods",
        "Preempting",
        "PreemptionByScheduler",
        "Shutdown",
        "Terminated",
        "TerminationByKubelet",
        "UnexpectedAdmissionError",
    }
)
"""reasons of a pod that its machine or the scheduler has ended"""
START_FAILURES = frozenset({"ContainerCannotRun", "StartError"})


def container_exit(pod: Document, container: str, *, deleted: bool = False) -> Exit | None:
    """Return how a container ended or that it cannot start; None while it runs or waits."""
    status = pod.get("status") or {}
    terminated = _state(status, container, "terminated")
    disruption = _disruption(status)
    if terminated is not None and terminated.get("exitCode") == 0:
        return Exit(0, "ended with exit code 0")
    if disruption and (terminated is not None or status.get("phase") == "Failed" or deleted):
        return Exit(None, f"lost its pod: {disruption}", cause="lost")
    if status.get("reason") == "DeadlineExceeded":
        limit = (pod.get("spec") or {}).get("activeDeadlineSeconds")
        return Exit(None, f"ran past the deadline of its pod, {limit} s")
    if terminated is not None:
        return _terminated(pod, container, terminated)
    if deleted:
        return Exit(None, "lost its pod: it was deleted", cause="lost")
    waiting = _state(status, container, "waiting")
    if waiting is not None and waiting.get("reason") in REFUSALS:
        return Exit(None, f"could not be started: {_words(waiting)}", cause="refused")
    if status.get("phase") == "Failed":
        failed = _failed_init(status)
        if failed:
            return Exit(None, f"was not started: {failed}", cause="unplaced")
        return Exit(None, f"lost its pod: {_words(status) or 'it failed'}", cause="lost")
    return None


def has_started(pod: Document, container: str) -> bool:
    """Return whether a container runs or has run."""
    status = pod.get("status") or {}
    return any(_state(status, container, state) is not None for state in ("running", "terminated"))


def pending_reason(pod: Document | None) -> str:
    """Say why a pod has not started yet."""
    status = (pod or {}).get("status") or {}
    for condition in status.get("conditions") or ():
        if condition.get("type") == "PodScheduled" and condition.get("status") == "False":
            return _words(condition)
    for container in _containers(status):
        waiting = (container.get("state") or {}).get("waiting")
        if waiting and waiting.get("reason") not in (None, "PodInitializing", "ContainerCreating"):
            return f"{container['name']}: {_words(waiting)}"
    return _words(status) or "it is still pending"


def _containers(status: Document) -> Iterable[Document]:
    yield from status.get("initContainerStatuses") or ()
    yield from status.get("containerStatuses") or ()


def _state(status: Document, container: str, name: str) -> Document | None:
    for candidate in _containers(status):
        if candidate.get("name") == container:
            state: Document | None = (candidate.get("state") or {}).get(name)
            return state
    return None


def _disruption(status: Document) -> str:
    """Return the words for an eviction, a preemption or a lost node; "" when there was none."""
    for condition in status.get("conditions") or ():
        if condition.get("type") == "DisruptionTarget" and condition.get("status") == "True":
            return _words(condition)
    return _words(status) if status.get("reason") in DISRUPTIONS else ""


def _failed_init(status: Document) -> str:
    for container in status.get("initContainerStatuses") or ():
        ended = (container.get("state") or {}).get("terminated")
        if ended and ended.get("exitCode"):
            return f"{container['name']} ended with exit code {ended['exitCode']}"
    return ""


def _terminated(pod: Document, container: str, ended: Document) -> Exit:
    reason, code = ended.get("reason"), int(ended.get("exitCode", 1))
    if reason == "OOMKilled":
        return Exit(None, f"used more memory than its limit{_memory_limit(pod, container)} (OOMKilled)")
    if reason in START_FAILURES:
        return Exit(code, f"could not be started: {_words(ended)}", cause="refused")
    if reason in DISRUPTIONS:
        return Exit(None, f"lost its pod: {_words(ended)}", cause="lost")
    number = int(ended.get("signal") or (code - 128 if 128 < code < 160 else 0))
    if number:
        return Exit(None, f"was ended by {_signal_name(number)}")
    return Exit(code, f"ended with exit code {code}")


def _signal_name(number: int) -> str:
    try:
        return signal.Signals(number).name
    except ValueError:
        return f"signal {number}"


def _memory_limit(pod: Document, container: str) -> str:
    for candidate in (pod.get("spec") or {}).get("containers") or ():
        if candidate.get("name") == container:
            limit = ((candidate.get("resources") or {}).get("limits") or {}).get("memory")
            return f" of {limit}" if limit else ""
    return ""


def _words(document: Document) -> str:
    return ": ".join(" ".join(str(document[key]).split()) for key in ("reason", "message") if document.get(key))
