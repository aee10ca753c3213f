"""Collect wheels of our packages and of everything they need in one folder, for machines without network or compiler.

usage: python scripts/wheelhouse.py [--without-neural] [FOLDER]     FOLDER is `dist/wheelhouse` by default

    pip install --no-index --find-links dist/wheelhouse 'cogames[agents,neural]' 'coworld[auth]' observatory

The wheels are for the Python version and the platform this script runs on.
"""

import argparse
import shutil
from pathlib import Path

from workspace import CACHE, ROOT, pip, say

LOG = CACHE / "wheelhouse.log"
FOLDER = ROOT / "dist" / "wheelhouse"
PACKAGES = sorted(path.parent for path in ROOT.glob("packages/*/pyproject.toml"))
EXTRAS = {
    "cogsguard": "[coworld]",
    "cogames": "[agents,neural]",
    "coworld": "[auth,examples,kubernetes,reporters,reports]",
    "observatory": "[postgres,s3,tracing]",
}


def collect(folder: Path, *, neural: bool = True) -> None:
    """Fill a folder with the wheels; what was in it is removed."""
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    for package in PACKAGES:
        say(f"wheelhouse: building {package.name}")
        options = ["--no-deps", "--no-build-isolation", f"--wheel-dir={folder}"]
        pip(f"building {package.name}", "wheel", *options, package, log=LOG)
    say("wheelhouse: downloading dependencies")
    extras = EXTRAS if neural else {**EXTRAS, "cogames": "[agents]"}
    # By path: registries hold published packages of the same names.
    wheels = sorted(folder.glob("*.whl"))
    ours: list[str | Path] = [*wheels]
    ours += [f"{wheel}{extra}" for wheel in wheels if (extra := extras.get(wheel.name.partition("-")[0]))]
    pip("downloading dependencies", "download", "--only-binary=:all:", f"--dest={folder}", *ours, log=LOG)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", nargs="?", type=Path, default=FOLDER)
    parser.add_argument("--without-neural", action="store_true", help="leave PyTorch out")
    arguments = parser.parse_args()
    collect(arguments.folder.resolve(), neural=not arguments.without_neural)
    cogames = "cogames[agents]" if arguments.without_neural else "cogames[agents,neural]"
    names = [cogames, "coworld[auth]", "observatory"]
    quoted = " ".join(f"'{name}'" for name in names)
    print(f"pip install --no-index --find-links {arguments.folder} {quoted}")


if __name__ == "__main__":
    main()
