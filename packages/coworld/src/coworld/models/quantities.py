"""Kubernetes quantities: numbers of cores and bytes as manifests write them."""

import re

from coworld.models.runnables import CoworldRunnableResources

__all__ = ["container_resources", "parse_quantity"]

MIN_MEMORY_BYTES = 6 << 20
"""the least that container engines accept"""

_UNITS = {"": 1, "k": 10**3, "M": 10**6, "G": 10**9, "T": 10**12, "Ki": 2**10, "Mi": 2**20, "Gi": 2**30, "Ti": 2**40}


def parse_quantity(text: str) -> float:
    """Parse a quantity: `500m`, `2`, `512Mi`, `1e3`; raises ValueError."""
    match = re.fullmatch(r"([0-9]+(?:\.[0-9]*)?(?:[eE][0-9]+)?)(m|[kMGT]|[KMGT]i)?", text.strip())
    if match is None:
        raise ValueError(f"{text!r} is not a quantity such as `500m`, `2` or `512Mi`")
    number, unit = float(match[1]), match[2] or ""
    return number / 1000 if unit == "m" else number * _UNITS[unit]


def container_resources(resources: CoworldRunnableResources | None) -> tuple[float, int]:
    """Return cores and bytes of memory: the limit, else the request, else 1 core and 1 GiB; raises ValueError."""
    limits = resources.limits if resources else None
    requests = resources.requests if resources else None
    cpu = (limits.cpu if limits else None) or (requests.cpu if requests else None) or "1"
    memory = (limits.memory if limits else None) or (requests.memory if requests else None) or "1Gi"
    return parse_quantity(cpu), max(MIN_MEMORY_BYTES, int(parse_quantity(memory)))
