"""Load of CUDA GPUs, as PyTorch reports it; nothing where PyTorch is not installed or sees no GPU."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

_MB = 1024 * 1024


def collectors() -> dict[str, Callable[[], Any]]:
    """Functions that read one number each: averages over all GPUs, and each GPU of several."""
    try:
        import torch
    except ImportError:
        return {}
    if not torch.cuda.is_available():
        return {}
    count = torch.cuda.device_count()

    def mean(read: Callable[[int], float]) -> float:
        return sum(map(read, range(count))) / count

    readers: dict[str, Callable[[], Any]] = {
        "gpu_count": lambda: count,
        "gpu_utilization_avg": lambda: mean(torch.cuda.utilization),
        "gpu_memory_percent_avg": lambda: mean(memory_percent),
        "gpu_memory_used_mb_avg": lambda: mean(memory_used_mb),
    }
    if count > 1:
        for gpu in range(count):
            readers[f"gpu{gpu}_utilization"] = lambda gpu=gpu: float(torch.cuda.utilization(gpu))  # type: ignore[misc]
            readers[f"gpu{gpu}_memory_percent"] = lambda gpu=gpu: memory_percent(gpu)  # type: ignore[misc]
            readers[f"gpu{gpu}_memory_used_mb"] = lambda gpu=gpu: memory_used_mb(gpu)  # type: ignore[misc]
    return readers


def memory_used_mb(gpu: int) -> float:
    import torch

    free, total = torch.cuda.mem_get_info(gpu)
    return (total - free) / _MB


def memory_percent(gpu: int) -> float:
    import torch

    free, total = torch.cuda.mem_get_info(gpu)
    return 100 * (total - free) / total
