"""Check the sources: format, lint, types, import arrows, dependencies, generated files and words.

usage: python scripts/check.py [NAME ...]      run all checks, or those named; exit status 1 when one fails
       python scripts/check.py --list-native   print the C++ files that the format check reads

`make test` runs the same checks (`tests/test_checks.py`).
"""

import os
import subprocess
import sys

from workspace import ROOT, VENV

PACKAGES = sorted(path.parent for path in ROOT.glob("packages/*/pyproject.toml"))


def native_sources() -> list[str]:
    """Return the C++ files of the packages."""
    endings = {".hpp", ".cpp", ".cu", ".c"}
    files = [path.relative_to(ROOT) for path in ROOT.glob("packages/*/**/*") if path.suffix in endings]
    return sorted(str(path) for path in files if "build" not in path.parts)


CHECKS: dict[str, list[list[str]]] = {
    "format": [["ruff", "format", "--check"]],
    "lint": [["ruff", "check"]],
    "types": [["mypy"]],
    "import-arrows": [["lint-imports", "--no-logo"]],
    "dependencies": [
        ["deptry", str(package / "src"), "--config", str(package / "pyproject.toml"), "--no-ansi"]
        for package in PACKAGES
    ],
    "constraints": [["python", "scripts/constraints.py", "--check"]],
    "native-format": [["clang-format", "--dry-run", "--Werror", *native_sources()]],
    "api-types": [["python", "scripts/api_types.py", "--check"]],
    "protobuf": [["python", "scripts/protobuf.py", "--check"]],
    "words": [["python", "scripts/words.py"]],
    "web": [["python", "scripts/web.py", "check"]],
}


def run(name: str) -> bool:
    """Run a check with its output on ours; return whether it passed."""
    path = f"{VENV / 'bin'}{os.pathsep}{os.environ['PATH']}"
    passed = True
    for tool, *arguments in CHECKS[name]:
        command = [str(VENV / "bin" / tool), *arguments]
        passed &= subprocess.run(command, cwd=ROOT, env={**os.environ, "PATH": path}).returncode == 0
    return passed


def main(names: list[str]) -> int:
    if names == ["--list-native"]:
        print("\n".join(native_sources()))
        return 0
    unknown = [name for name in names if name not in CHECKS]
    if unknown:
        print(f"check: unknown: {', '.join(unknown)}; known: {', '.join(CHECKS)}")
        return 2
    failed = []
    for name in names or CHECKS:
        print(f"== {name}", flush=True)
        if not run(name):
            failed.append(name)
    print(f"check: {', '.join(failed)} failed" if failed else "check: all passed")
    return bool(failed)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
