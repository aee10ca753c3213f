"""Collect our packages and what they need in one folder, for a GPU machine on which nothing can be installed.

usage: gpu_site.py [--python PYTHON]     PYTHON: an interpreter of the version that the GPU machine has (default 3.12)

Writes `build/gpu/site`; there, `PYTHONPATH=build/gpu/site python3 -m cogames tutorial train ...` runs the trainer.
PyTorch, Triton and NumPy are left out: the GPU machine has its own.
"""

import argparse
import shutil
import subprocess
import sys
from pathlib import Path

from workspace import ROOT, fail

SITE = ROOT / "build" / "gpu" / "site"
OURS = ["softmax", "cogbox", "mettagrid", "cogsguard", "cogames", "cogames-agents", "cogames-training"]
NEEDED = ["pydantic", "PyYAML", "protobuf", "websockets", "typer", "httpx", "rich", "safetensors"]
LEFT_OUT = ["numpy", "numpy.libs", "pygments", "bin"]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--python", default="python3.12", help="interpreter of the GPU machine's version")
    python = shutil.which(parser.parse_args().python)
    if python is None:
        fail("gpu_site: there is no such Python: pass --python")
    wheels = SITE.parent / "wheels"
    for folder in (SITE, wheels):
        shutil.rmtree(folder, ignore_errors=True)
    pip = [python, "-m", "pip", "--quiet", "--disable-pip-version-check"]
    run([*pip, "wheel", "--no-deps", "--wheel-dir", wheels, *(ROOT / "packages" / name for name in OURS)])
    run([*pip, "install", "--target", SITE, *NEEDED])
    run([*pip, "install", "--no-deps", "--target", SITE, *sorted(wheels.glob("*.whl"))])
    shutil.rmtree(wheels)
    for name in LEFT_OUT:
        shutil.rmtree(SITE / name, ignore_errors=True)
    for cache in SITE.rglob("__pycache__"):
        shutil.rmtree(cache)
    size = sum(path.stat().st_size for path in SITE.rglob("*") if path.is_file())
    print(f"{SITE.relative_to(ROOT)}: {size / 1e6:.0f} MB", file=sys.stderr)


def run(command: list[str | Path]) -> None:
    if subprocess.run(list(map(str, command))).returncode:
        fail("gpu_site: pip failed")


if __name__ == "__main__":
    main()
