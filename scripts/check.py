"""Format, lint, types, import arrows and what the native core may use; runs all of them and names those that failed."""

import subprocess
import sys

from workspace import ROOT, VENV

CHECKS = {
    "format": ["ruff", "format", "--check"],
    "lint": ["ruff", "check"],
    "types": ["mypy"],
    "import arrows": ["lint-imports", "--no-logo"],
    "types of the server's answers": ["python", "scripts/api_types.py", "--check"],
    "web types": ["python", "scripts/web.py", "check"],
    "native core": ["pytest", "tests/test_architecture.py"],
    "CUDA": ["python", "scripts/gpu_check.py", "--compile"],
}


def main() -> None:
    failed = []
    for name, (tool, *arguments) in CHECKS.items():
        print(f"== {name}", flush=True)
        if subprocess.run([str(VENV / "bin" / tool), *arguments], cwd=ROOT).returncode:
            failed.append(name)
    print(f"check: {', '.join(failed)} failed" if failed else "check: all fine")
    sys.exit(bool(failed))


if __name__ == "__main__":
    main()
