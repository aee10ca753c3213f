"""Compiling the kernels: with NVRTC alone, once for each content of the sources."""

from pathlib import Path

import pytest

from mettagrid.gpu.compiler import Compiler, cached_kernels
from mettagrid.gpu.errors import GpuUnavailable
from workspace import CACHE, ROOT

SMALL = 'extern "C" __global__ void small_kernel(int* x) { x[threadIdx.x] = %d; }\n'


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return a folder of sources with one small kernel; the cache is empty."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    for room in ("core", "gpu"):
        (tmp_path / room).mkdir()
    (tmp_path / "gpu" / "kernels.cu").write_text(SMALL % 1)
    return tmp_path


def cached(folder: Path) -> list[Path]:
    return sorted((folder / "cache" / "mettagrid" / "gpu").iterdir())


def test_the_kernels_compile_for_a_gpu(monkeypatch: pytest.MonkeyPatch) -> None:
    # In the workspace's cache, so that only changed sources cost time; `make soak` also compiles for sm_80.
    monkeypatch.setenv("XDG_CACHE_HOME", str(CACHE))
    code = cached_kernels("sm_90", folder=ROOT / "packages" / "mettagrid" / "native")
    assert code.startswith(b"\x7fELF")
    for name in (b"begin_kernel", b"rules_kernel", b"observe_kernel", b"draw_kernel", b"sum_kernel", b"hash_kernel"):
        assert name in code


def test_unchanged_sources_are_compiled_once(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    first = cached_kernels("sm_90", folder=folder)
    with monkeypatch.context() as patched:
        patched.setattr(Compiler, "compile", None)
        assert cached_kernels("sm_90", folder=folder) == first
    (folder / "core" / "new.hpp").write_text("// unused, but part of the sources\n")
    (folder / "gpu" / "kernels.cu").write_text(SMALL % 2)
    assert cached_kernels("sm_90", folder=folder) != first
    assert cached_kernels("sm_80", folder=folder) != first
    assert len(cached(folder)) == 3


def test_a_cache_that_cannot_be_written_costs_time_only(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (folder / "file").write_text("")
    monkeypatch.setenv("XDG_CACHE_HOME", str(folder / "file"))
    assert cached_kernels("sm_90", folder=folder).startswith(b"\x7fELF")


def test_sources_that_do_not_compile_say_where(folder: Path) -> None:
    (folder / "gpu" / "kernels.cu").write_text("__global__ void broken( {}\n")
    with pytest.raises(
        GpuUnavailable, match=r"^NVRTC .* cannot compile the kernels for sm_90: gpu/kernels\.cu\(1\): error"
    ):
        cached_kernels("sm_90", folder=folder)


def test_an_unknown_architecture_is_one_sentence(folder: Path) -> None:
    with pytest.raises(GpuUnavailable, match=r"^NVRTC .* cannot compile the kernels for sm_12345: .*$"):
        cached_kernels("sm_12345", folder=folder)


def test_without_nvrtc_one_sentence_says_what_to_install(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("mettagrid.gpu.compiler._libraries", lambda cuda: iter([folder / "no library"]))
    with pytest.raises(GpuUnavailable, match="pip install nvidia-cuda-nvrtc"):
        cached_kernels("sm_90", folder=folder)
