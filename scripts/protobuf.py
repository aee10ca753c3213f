"""Generate `policy_pb2.py` and its stub from `policy.proto`, with a compiler in a separate environment.

usage: protobuf.py [--check]     --check: compare with the existing files and change nothing

The compiler's version is pinned: generated code runs with the same or a later runtime, but not with an earlier one, so
the lower bound on `protobuf` in packages/mettagrid/pyproject.toml follows it.
"""

import subprocess
import sys
import tempfile
from pathlib import Path

from workspace import CACHE, ROOT, fail, locked, pip, say

COMPILER = "grpcio-tools==1.66.2"  # protobuf 5.27.2
SOURCE = ROOT / "packages" / "mettagrid" / "src"
PROTO = "mettagrid/protobuf/sim/policy_v1/policy.proto"
GENERATED = [PROTO.replace(".proto", "_pb2.py"), PROTO.replace(".proto", "_pb2.pyi")]


def compiler() -> Path:
    """Return an interpreter that has the compiler; create its environment on first use."""
    home = CACHE / COMPILER
    with locked("protobuf"):
        if not (home / "complete").exists():
            say(f"installing {COMPILER} (once)")
            subprocess.run([sys.executable, "-m", "venv", "--clear", "--without-pip", str(home)], check=True)
            words = ("--python", home / "bin" / "python", "install", COMPILER, "setuptools<81")
            pip("installing it", *words, log=home / "setup.log", constrained=False)
            (home / "complete").touch()
    return home / "bin" / "python"


def main() -> None:
    with tempfile.TemporaryDirectory() as folder:
        out = [f"--python_out={folder}", f"--pyi_out={folder}"]
        subprocess.run([str(compiler()), "-m", "grpc_tools.protoc", f"-I{SOURCE}", *out, PROTO], check=True)
        generated = {name: (Path(folder) / name).read_bytes() for name in GENERATED}
    stale = [name for name, content in generated.items() if not _holds(SOURCE / name, content)]
    if "--check" in sys.argv[1:]:
        if stale:
            fail(f"stale: {', '.join(stale)}: run scripts/protobuf.py")
        return
    for name in stale:
        (SOURCE / name).write_bytes(generated[name])
        say(f"wrote {name}")


def _holds(path: Path, content: bytes) -> bool:
    return path.exists() and path.read_bytes() == content


if __name__ == "__main__":
    main()
