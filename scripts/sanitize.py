"""Every recorded episode and the engine's tests under the address and undefined-behaviour sanitizers.

Builds the extension once more in build/sanitize/, with the checks of METTAGRID_DEBUG_CHECKS, and leaves `.venv/` alone.
A finding ends the process it happens in and is listed at the end. Leaks are not looked for: Python itself leaves memory
at exit.
"""

import os
import re
import shutil
import subprocess
from collections import Counter
from pathlib import Path

from workspace import ROOT, build_wheel, fail, locked, overlay, say, shared_dir

HOME = ROOT / "build" / "sanitize"
ERRORS = HOME / "stderr.log"
FINDING = re.compile(r"ERROR: AddressSanitizer: .*|\S*: runtime error: .*")


def runtime_libraries() -> str:
    """For LD_PRELOAD: the sanitizer comes first, and the C++ library early enough for it to see exceptions."""
    compiler = os.environ.get("CXX", "c++")
    names = ["libasan.so", "libstdc++.so"]
    found = [subprocess.check_output([compiler, f"-print-file-name={name}"], text=True).strip() for name in names]
    absent = [name for name, path in zip(names, found, strict=True) if not Path(path).is_absolute()]
    if absent:
        fail(f"sanitize: {compiler} has no {' and no '.join(absent)}: install g++ (Debian: g++) and set CXX=g++")
    return " ".join(str(Path(path).resolve()) for path in found)


def is_instrumented(site: Path) -> bool:
    (extension,) = (site / "mettagrid").glob("_native*.so")
    code = extension.read_bytes()
    return b"__asan_report" in code and b"__ubsan_handle" in code


def main() -> None:
    with locked("sanitize"):
        shared = shared_dir()
        if shared is None:
            fail("sanitize: no recorded episodes: put `shared` beside the repository or set LEAGUE_SHARED")
        say("sanitize: building")
        site = HOME / "site"
        python, env = overlay(build_wheel(HOME, defines={"METTAGRID_SANITIZE": "ON"}), site)
        if not is_instrumented(site):
            fail("sanitize: the build has no sanitizers in it")
        ERRORS.write_text("")
        env |= {
            "LD_PRELOAD": runtime_libraries(),
            "ASAN_OPTIONS": "detect_leaks=0",
            "UBSAN_OPTIONS": "print_stacktrace=1",
            "PYTHONMALLOC": "malloc",  # buffers of Python objects are then seen one by one
            "LEAGUE_SHARED": str(shared),
        }
        problems = [name for name in ("cases", "missions") if not episodes_equal(shared / "oracle", name, python, env)]
        say("sanitize: tests of the engine")
        if not run(python, "-m", "pytest", "--capture=sys", "-m", "not slow", "packages/mettagrid/tests", env=env):
            problems.append("tests")
        findings = Counter(
            re.sub(r"0x[0-9a-f]+|\b[0-9]+\b(?!:)", "N", line) for line in FINDING.findall(ERRORS.read_text())
        )
        for finding, count in findings.most_common():
            print(f"{count:5}  {finding}")
        if findings or problems:
            say(f"sanitize: what the processes wrote is in {ERRORS.relative_to(ROOT)}")
            fail(f"sanitize: {findings.total()} findings; failed: {', '.join(problems) or 'nothing else'}")
        print("sanitize: clean, 0 findings")


def episodes_equal(oracle: Path, name: str, python: str, env: dict[str, str]) -> bool:
    """Play a folder of recorded episodes with the sanitized engine and compare."""
    say(f"sanitize: {name}")
    traces = HOME / name
    shutil.rmtree(traces, ignore_errors=True)
    env = env | {"PYTHONWARNINGS": "ignore"}  # some recorded games have settings without effect, on purpose
    played = run(python, oracle / "trace_episode.py", "--dir", oracle / name, traces, env=env)
    return run(python, oracle / "compare_traces.py", oracle / name, "--traces", traces, env=env) and played


def run(*command: str | Path, env: dict[str, str]) -> bool:
    words = [str(word) for word in command]
    with open(ERRORS, "a") as errors:
        return subprocess.run(words, cwd=ROOT, env={**os.environ, **env}, stderr=errors).returncode == 0


if __name__ == "__main__":
    main()
