"""Check the step on a GPU: compile it, and compare episodes with the CPU.

usage: gpu_check.py --compile                        compile it; needs nvcc, but no GPU
       gpu_check.py [--worlds N] EPISODE ...         play episode files (of `gpu_episode.py`) on both and compare
       gpu_check.py --host-only EPISODE ...          the CPU plays both parts: checks the comparison itself

Needs nvcc and Python, but no `.venv/`, so that it runs on a bare machine with a GPU.
"""

import argparse
import hashlib
import os
import shutil
import subprocess
import sys
from pathlib import Path

from workspace import CACHE, ROOT, fail, quiet

NATIVE = ROOT / "packages" / "mettagrid" / "native"
HOME = ROOT / "build" / "gpu"
STAMP = CACHE / "cuda.stamp"

# The same floats as on the CPU: no fused multiply-add on either side; division and roots are exact by default. Without
# `--expt-relaxed-constexpr`, so that unsupported parts of the standard library in a kernel are compile errors.
EXACT = ["-std=c++20", f"-I{NATIVE}"]
NVCC = [*EXACT, "--fmad=false", "-Werror", "all-warnings", "-Xcompiler", "-ffp-contract=off"]
HOST = [*EXACT, "-O2", "-ffp-contract=off", "-Wall", "-Wextra", "-Werror", "-DMETTAGRID_HOST_ONLY"]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--compile", action="store_true", help="compile only")
    parser.add_argument("--host-only", action="store_true", help="no GPU: the CPU plays both parts")
    parser.add_argument("--worlds", type=int, default=8, help="worlds per episode, each with its own seed")
    parser.add_argument("--arch", default="sm_90", help="architecture to compile for")
    parser.add_argument("episodes", nargs="*", type=Path)
    arguments = parser.parse_args()
    if arguments.compile:
        print(compile_only(arguments.arch))
        return
    if not arguments.episodes:
        parser.error("pass episode files, or --compile")
    program = build_host_only() if arguments.host_only else build(arguments.arch)
    words = [program, "--worlds", str(arguments.worlds), *arguments.episodes]
    sys.exit(subprocess.run(list(map(str, words))).returncode)


def compile_only(arch: str = "sm_90") -> str:
    """Compile the kernels unless they are up to date; return a one-line report."""
    nvcc = shutil.which("nvcc")
    if nvcc is None:
        return "CUDA: skipped, `nvcc` is not installed (it is optional, also with CI=true)"
    command: list[str | Path] = [
        nvcc,
        *NVCC,
        f"-arch={arch}",
        "-c",
        NATIVE / "cuda" / "step.cu",
        "-o",
        CACHE / "step.o",
    ]
    stamp = digest(subprocess.check_output([nvcc, "--version"], text=True), *map(str, command))
    if STAMP.exists() and STAMP.read_text() == stamp:
        return "CUDA: up to date"
    quiet("compiling for CUDA", command, log=CACHE / "cuda.log")
    STAMP.write_text(stamp)
    return f"CUDA: compiled for {arch}"


def digest(*texts: str) -> str:
    """Return a digest of texts and of the kernels' sources."""
    state = hashlib.sha256("\0".join(texts).encode())
    for path in sorted([*NATIVE.glob("core/*"), *NATIVE.glob("cuda/*"), NATIVE / "cpu" / "memory.hpp"]):
        state.update(path.name.encode() + b"\0" + path.read_bytes() + b"\0")
    return state.hexdigest()


def build(arch: str) -> Path:
    nvcc = shutil.which("nvcc") or fail("gpu_check: `nvcc` is not installed: install the CUDA toolkit")
    sources = [NATIVE / "cuda" / "step.cu", NATIVE / "cuda" / "check_episode.cpp"]
    return built(HOME / "check_episode", [nvcc, *NVCC, "-O3", f"-arch={arch}", *sources])


def build_host_only(folder: Path = HOME) -> Path:
    compiler = os.environ.get("CXX", "c++")
    return built(folder / "check_episode_host", [compiler, *HOST, NATIVE / "cuda" / "check_episode.cpp"])


def built(program: Path, command: list[str | Path]) -> Path:
    program.parent.mkdir(parents=True, exist_ok=True)
    quiet(f"building {program.name}", [*command, "-o", program], log=HOME / "build.log")
    return program


if __name__ == "__main__":
    main()
