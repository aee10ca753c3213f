"""Compile the kernels with NVRTC, NVIDIA's compiler library, and cache the result.

NVRTC is part of PyTorch for GPUs and of the package `nvidia-cuda-nvrtc`; it needs neither a GPU nor a driver nor the
CUDA toolkit. The cache is keyed by everything that the result depends on: sources, options, architecture, NVRTC.
"""

import ctypes
import hashlib
import os
import re
import sys
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path

from mettagrid import _native
from mettagrid.gpu.errors import GpuUnavailable

__all__ = ["Compiler", "cached_kernels", "sources_digest"]

# The same floats as on the CPU: no fused multiply-add; division and roots are exact by default.
OPTIONS = ("--std=c++20", "--fmad=false", "--prec-div=true", "--prec-sqrt=true", "-default-device")
MAIN = "gpu/kernels.cu"
MORE_OPTIONS = "METTAGRID_GPU_OPTIONS"  # of the environment: to measure other settings of the kernels


def native_folder() -> Path:
    """Return the folder with the sources of the native module in use."""
    return Path(_native.__file__).parent / "gpu" / "native"


def sources_digest(folder: Path) -> str:
    """Return a digest of all files that the kernels are compiled from."""
    state = hashlib.sha256()
    for path in sorted(path for room in ("core", "gpu") for path in (folder / room).rglob("*") if path.is_file()):
        state.update(f"{path.relative_to(folder)}\0".encode() + path.read_bytes() + b"\0")
    return state.hexdigest()


def cache_folder() -> Path:
    base = os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache"
    return Path(base) / "mettagrid" / "gpu"


def cached_kernels(arch: str, *, cuda: str | None = None, folder: Path | None = None) -> bytes:
    """Return the kernels for an architecture like "sm_90", as machine code; compile them unless they are cached.

    `cuda` is the CUDA version of the PyTorch in use, like "13.0": a library of this version is preferred.
    """
    folder = folder or native_folder()
    compiler = Compiler(cuda)
    options = [*OPTIONS, *os.environ.get(MORE_OPTIONS, "").split()]
    key = hashlib.sha256("\0".join([sources_digest(folder), arch, compiler.version, *options]).encode()).hexdigest()
    path = cache_folder() / f"{arch}-{key[:32]}.cubin"
    try:
        return path.read_bytes()
    except OSError:
        code = compiler.compile(folder, arch, options)
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.NamedTemporaryFile(dir=path.parent, delete=False) as file:
            file.write(code)
        Path(file.name).replace(path)
    except OSError:
        pass  # a home that cannot be written to: compile again next time
    return code


class Compiler:
    """The NVRTC library."""

    def __init__(self, cuda: str | None = None) -> None:
        self._library = _load(cuda)
        major, minor = ctypes.c_int(), ctypes.c_int()
        self._check(self._library.nvrtcVersion(ctypes.byref(major), ctypes.byref(minor)))
        self.version = f"{major.value}.{minor.value}"

    def compile(self, folder: Path, arch: str, given: Sequence[str] = OPTIONS) -> bytes:
        """Compile the kernels in a folder of sources. Raises GpuUnavailable with the first error of the compiler."""
        library, program = self._library, ctypes.c_void_p()
        source = (folder / MAIN).read_bytes()
        self._check(library.nvrtcCreateProgram(ctypes.byref(program), source, MAIN.encode(), 0, None, None))
        try:
            words = [*given, f"-arch={arch}", f"-I{folder}", f"-I{folder / 'gpu' / 'nvrtc'}"]
            options = (ctypes.c_char_p * len(words))(*(word.encode() for word in words))
            if library.nvrtcCompileProgram(program, len(words), options):
                log = self._text(program, "ProgramLog").decode(errors="replace")
                found = next((line for line in log.splitlines() if "error" in line), log.strip())
                raise GpuUnavailable(f"NVRTC {self.version} cannot compile the kernels for {arch}: {found}")
            return self._text(program, "CUBIN")
        finally:
            library.nvrtcDestroyProgram(ctypes.byref(program))

    def _text(self, program: ctypes.c_void_p, what: str) -> bytes:
        size = ctypes.c_size_t()
        self._check(getattr(self._library, f"nvrtcGet{what}Size")(program, ctypes.byref(size)))
        buffer = ctypes.create_string_buffer(size.value)
        self._check(getattr(self._library, f"nvrtcGet{what}")(program, buffer))
        return buffer.raw

    def _check(self, status: int) -> None:
        if status:
            raise GpuUnavailable(f"NVRTC failed with status {status}.")


def _load(cuda: str | None) -> ctypes.CDLL:
    for path in _libraries(cuda):
        try:
            library = ctypes.CDLL(str(path))
        except OSError:
            continue
        library.nvrtcGetErrorString.restype = ctypes.c_char_p
        return library
    raise GpuUnavailable(
        "Compiling for a GPU needs NVRTC, which is not installed: pip install nvidia-cuda-nvrtc (or PyTorch for CUDA)."
    )


def _libraries(cuda: str | None) -> Iterator[Path | str]:
    """Yield libraries to try: those of Python packages, the wanted version first, then those of the system."""
    found: list[Path] = []
    for base in sys.path:
        found += Path(base or ".").glob("nvidia/*/lib/libnvrtc.so.*")
    major = (cuda or "").split(".")[0]

    def preference(path: Path) -> tuple[bool, int]:
        version = re.search(r"\.so\.(\d+)", path.name)
        number = version.group(1) if version else "0"
        return number != major, -int(number)

    yield from sorted(found, key=preference)
    yield from (f"libnvrtc.so.{major}",) if major else ()
    yield "libnvrtc.so"
    yield from sorted(Path("/usr/local/cuda/lib64").glob("libnvrtc.so*"))
