"""Pin every package of the development environment, direct and indirect, in `constraints.txt`.

usage: python scripts/constraints.py            write the versions that `.venv/` has
       python scripts/constraints.py --check    compare; exit 1 when a package has no pin or another version

To upgrade: remove the pins to renew from the file, run `make setup`, then this script.
"""

import re
import sys
from importlib.metadata import distributions

from workspace import ROOT

FILE = ROOT / "constraints.txt"
HEADER = """\
# One version of every package for development, tests and CI; every pip call of the Makefile reads it (PIP_CONSTRAINT).
# The packages themselves accept a wider range: see packages/*/pyproject.toml. Written by scripts/constraints.py.

"""
UNPINNED = {"pip", "setuptools", "wheel"}


def normalized(name: str) -> str:
    return re.sub(r"[-_.]+", "-", name).lower()


def installed() -> dict[str, str]:
    """Return the version of each installed package that is not ours; a local label such as `+cpu` is left out."""
    own = {normalized(path.parent.name) for path in ROOT.glob("packages/*/pyproject.toml")} | {"softmax-cli"}
    versions = {normalized(each.metadata["Name"]): each.version.partition("+")[0] for each in distributions()}
    return {name: version for name, version in sorted(versions.items()) if name not in own | UNPINNED}


def pinned() -> dict[str, str]:
    pins = re.findall(r"^([\w.-]+)==(\S+)", FILE.read_text(), re.MULTILINE)
    return {normalized(name): version for name, version in pins}


def main() -> int:
    if sys.argv[1:] != ["--check"]:
        pins = {**pinned(), **installed()}
        FILE.write_text(HEADER + "".join(f"{name}=={version}\n" for name, version in sorted(pins.items())))
        return 0
    wrong = {name: version for name, version in installed().items() if pinned().get(name) != version}
    for name, version in wrong.items():
        print(f"{name} {version} is installed; constraints.txt has {pinned().get(name, 'no pin for it')}")
    if wrong:
        print("hint: python scripts/constraints.py writes the installed versions")
    return bool(wrong)


if __name__ == "__main__":
    sys.exit(main())
