"""Errors of the GPU engine.

GpuUnavailable          no GPU, no driver, no PyTorch or NVRTC, or they do not fit together
    GpuOutOfMemory      the worlds do not fit in the memory of the GPU
"""

__all__ = ["GpuOutOfMemory", "GpuUnavailable"]


class GpuUnavailable(RuntimeError):
    """The worlds cannot be played on a GPU of this machine; the message is one sentence that says why."""


class GpuOutOfMemory(GpuUnavailable):
    """The worlds do not fit in the memory of the GPU."""
