"""Resource requests and limits of a player's pod: the manifest's, else the platform's defaults."""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field

from coworld.models.runnables import CoworldRunnableResources

_CPU = re.compile(r"([0-9]+(?:\.[0-9]+)?)(m?)")


@dataclass(frozen=True)
class PlayerDefaults:
    """The platform's defaults: `COWORLD_PLAYER_CPU_REQUEST`, `..._MEMORY_REQUEST`, `..._CPU_LIMIT`."""

    cpu_request: str = "2"
    memory_request: str = "2Gi"
    cpu_limit: str | None = None


@dataclass(frozen=True)
class PodResources:
    """The resources of one container, as a pod names them."""

    requests: Mapping[str, str]
    limits: Mapping[str, str]
    cpu_limit: float | None = None
    """cores; None without a limit"""
    node_selector: Mapping[str, str] = field(default_factory=dict)


def player_resources(resources: CoworldRunnableResources | None, defaults: PlayerDefaults) -> PodResources:
    """Return what a player's container asks for. A limit below a request would be refused, so it lowers the request."""
    asked = resources.requests if resources else None
    bounds = resources.limits if resources else None
    cpu_limit = (bounds.cpu if bounds else None) or defaults.cpu_limit
    memory_limit = bounds.memory if bounds else None
    requests = {
        "cpu": (asked.cpu if asked else None) or cpu_limit or defaults.cpu_request,
        "memory": (asked.memory if asked else None) or memory_limit or defaults.memory_request,
    }
    limits = {name: value for name, value in (("cpu", cpu_limit), ("memory", memory_limit)) if value}
    if asked and asked.ephemeral_storage:
        requests["ephemeral-storage"] = asked.ephemeral_storage
    if asked and asked.gpu:
        requests["nvidia.com/gpu"] = limits["nvidia.com/gpu"] = str(asked.gpu)
    machine = {"node.kubernetes.io/instance-type": asked.instance_type} if asked and asked.instance_type else {}
    return PodResources(requests, limits, cores(cpu_limit) if cpu_limit else None, machine)


def cores(text: str) -> float | None:
    """Return a quantity of CPU in cores: `1500m` is 1.5; None for another notation."""
    match = _CPU.fullmatch(text.strip())
    return None if match is None else float(match[1]) / (1000 if match[2] else 1)
