"""Compile the kernels for GPUs with NVRTC; needs neither a GPU nor the CUDA toolkit.

usage: gpu_compile.py [ARCHITECTURE ...]     default: sm_80 sm_90

Kernels whose sources have not changed are not compiled again.
"""

import sys
import time

from mettagrid.gpu.compiler import cached_kernels
from mettagrid.gpu.errors import GpuUnavailable
from workspace import ROOT, fail

NATIVE = ROOT / "packages" / "mettagrid" / "native"


def main(*architectures: str) -> None:
    for arch in architectures or ("sm_80", "sm_90"):
        started = time.perf_counter()
        try:
            code = cached_kernels(arch, folder=NATIVE)
        except GpuUnavailable as error:
            fail(f"gpu_compile: {error}")
        print(f"{arch}: {len(code) / 1e6:.2f} MB, {time.perf_counter() - started:.1f} s")


if __name__ == "__main__":
    main(*sys.argv[1:])
