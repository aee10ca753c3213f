"""Launch kernels: on a GPU through the CUDA driver, or in the memory of the host through the native module."""

import ctypes
from typing import Any, Protocol

import numpy as np

from mettagrid import _native
from mettagrid.gpu.compiler import cached_kernels
from mettagrid.gpu.errors import GpuUnavailable

__all__ = ["CudaKernels", "EmulatedKernels", "Kernels", "open_kernels"]

OLDEST = (8, 0)


class Kernels(Protocol):
    """The kernels of `native/gpu/kernels.cu`, ready to be launched."""

    device: Any
    """the `torch.device` that their memory is on"""

    def launch(
        self, name: str, fields: np.ndarray, blocks: int, threads: int, number: ctypes._SimpleCData | None
    ) -> None:
        """Launch a kernel with the fields of a batch and, where it takes one, a number."""
        ...


class EmulatedKernels:
    """Runs the functions of the kernels on the CPU, one thread after the other: exact, but slow."""

    def __init__(self) -> None:
        import torch

        self.device = torch.device("cpu")

    def launch(self, name: str, fields: np.ndarray, blocks: int, threads: int, number: Any) -> None:
        value = 0 if number is None else number.value & 0xFFFFFFFFFFFFFFFF
        _native.gpu_emulate(name, fields, value)


class CudaKernels:
    """The kernels on one GPU. They run on the current stream of PyTorch, in order with its own work."""

    def __init__(self, device: str) -> None:
        torch = _torch()
        if not torch.cuda.is_available():
            raise GpuUnavailable(_why_no_cuda(torch))
        try:
            self.device = torch.device(device)
            index = torch.cuda.current_device() if self.device.index is None else self.device.index
            self.device = torch.device("cuda", index)
            capability = torch.cuda.get_device_capability(self.device)
            torch.zeros(1, device=self.device)  # makes the context that the module below is loaded into
        except (RuntimeError, AssertionError) as error:
            raise GpuUnavailable(f"The GPU {device!r} cannot be used: {str(error).splitlines()[0]}") from None
        if capability < OLDEST:
            name = torch.cuda.get_device_name(self.device)
            raise GpuUnavailable(f"{name} is too old: the kernels need compute capability 8.0 (Ampere) or newer.")
        self._torch = torch
        arch = f"sm_{capability[0]}{capability[1]}"
        code = cached_kernels(arch, cuda=torch.version.cuda)
        try:
            self._cuda = ctypes.CDLL("libcuda.so.1")
        except OSError:
            raise GpuUnavailable("There is no NVIDIA driver: libcuda.so.1 cannot be loaded.") from None
        self._module = ctypes.c_void_p()
        with torch.cuda.device(self.device):
            self._check(self._cuda.cuModuleLoadData(ctypes.byref(self._module), code), "load the kernels")
        self._functions: dict[str, ctypes.c_void_p] = {}

    def launch(self, name: str, fields: np.ndarray, blocks: int, threads: int, number: Any) -> None:
        given = [ctypes.c_void_p(fields.ctypes.data)]
        if number is not None:
            given.append(ctypes.cast(ctypes.byref(number), ctypes.c_void_p))
        arguments = (ctypes.c_void_p * len(given))(*given)
        stream = ctypes.c_void_p(self._torch.cuda.current_stream(self.device).cuda_stream)
        sizes = blocks, 1, 1, threads, 1, 1, 0
        self._check(self._cuda.cuLaunchKernel(self._function(name), *sizes, stream, arguments, None), f"start {name}")

    def _function(self, name: str) -> ctypes.c_void_p:
        if name not in self._functions:
            function = ctypes.c_void_p()
            with self._torch.cuda.device(self.device):
                status = self._cuda.cuModuleGetFunction(ctypes.byref(function), self._module, name.encode())
            self._check(status, f"find {name}")
            self._functions[name] = function
        return self._functions[name]

    def _check(self, status: int, what: str) -> None:
        if status == 0:
            return
        text = ctypes.c_char_p()
        self._cuda.cuGetErrorString(status, ctypes.byref(text))
        why = (text.value or b"unknown error").decode()
        raise GpuUnavailable(f"The NVIDIA driver could not {what}: {why} (error {status}); a newer driver may help.")


def open_kernels(device: str) -> Kernels:
    """Return the kernels for a device: "cuda", "cuda:1", ... or "emulated"."""
    if device != "emulated":
        return CudaKernels(device)
    _torch()
    return EmulatedKernels()


def _torch() -> Any:
    try:
        import torch
    except ImportError:
        raise GpuUnavailable("Playing on a GPU needs PyTorch: pip install 'mettagrid[gpu]'.") from None
    return torch


def _why_no_cuda(torch: Any) -> str:
    if torch.version.cuda is None:
        return "This PyTorch was built without CUDA; install one for your GPU (see https://pytorch.org)."
    if torch.cuda.device_count() == 0:
        return "There is no NVIDIA GPU in this machine, or its driver is not running."
    return f"The NVIDIA driver does not fit PyTorch, which needs CUDA {torch.version.cuda}; a newer driver may help."
