"""Play recorded episodes, tests of engine and pixel games, and the planner with address and undefined-behaviour checks.

Uses the build of `sanitized.py`. A finding ends its process and is listed at the end. Leak detection is off: Python
itself leaks memory at exit.
"""

import os
import re
import shutil
import subprocess
from collections import Counter
from pathlib import Path

from sanitized import FINDING, HOME, add_bitworld, add_planner, sanitized_engine
from workspace import ROOT, fail, locked, say, shared_dir

ERRORS = HOME / "stderr.log"
PLANNER = ROOT / "scripts" / "sanitize_planner.py"
ENGINE_TESTS = ROOT / "packages" / "mettagrid" / "tests"
STARTS_PROGRAMS = ("gpu", "live", "live_page", "runner", "terminal", "viewer")
"""folders of tests that start browsers, terminals, servers or a compiler: these cannot run with preloaded sanitizers"""
PIXEL_GAMES = [f"packages/bitworld/tests/{name}" for name in ("among_them", "games", "wire", "test_core.py")]


def main() -> None:
    with locked("sanitize"):
        shared = shared_dir()
        if shared is None:
            fail("sanitize: no recorded episodes: put `shared` beside the repository or set LEAGUE_SHARED")
        say("sanitize: building")
        python, env = sanitized_engine("sanitize", HOME / "site")
        ERRORS.write_text("")
        env |= {"LEAGUE_SHARED": str(shared)}
        problems = [name for name in ("cases", "missions") if not episodes_equal(shared / "oracle", name, python, env)]
        say("sanitize: tests of the engine")
        ignored = [f"--ignore={ENGINE_TESTS / name}" for name in STARTS_PROGRAMS]
        words = ["--capture=sys", "-m", "not slow", "-rf", str(ENGINE_TESTS), *ignored]
        if not run(python, "-m", "pytest", *words, env=with_sources(env)):
            problems.append("tests")
        say("sanitize: games of the planner")
        add_planner("sanitize", HOME / "site")
        if not run(python, PLANNER, env=with_sources(env)):
            problems.append("planner")
        say("sanitize: pixel games")
        add_bitworld("sanitize", HOME / "site")
        # A test of allocations compiles a program with its own allocator.
        words = ["--capture=sys", "-m", "not slow", "-k", "not allocates", *PIXEL_GAMES]
        if not run(python, "-m", "pytest", *words, env=with_sources(env)):
            problems.append("pixel games")
        findings = Counter(
            re.sub(r"0x[0-9a-f]+|\b[0-9]+\b(?!:)", "N", line) for line in FINDING.findall(ERRORS.read_text())
        )
        for finding, count in findings.most_common():
            print(f"{count:5}  {finding}")
        if findings or problems:
            say(f"sanitize: the output of the processes is in {ERRORS.relative_to(ROOT)}")
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


def with_sources(env: dict[str, str]) -> dict[str, str]:
    """Return the environment in which the packages that were not built can be imported too, from their sources."""
    sources = [str(ROOT / "packages" / name / "src") for name in ("cogames", "cogbox", "cogsguard", "softmax")]
    return env | {"PYTHONPATH": os.pathsep.join([env["PYTHONPATH"], *sources])}


def run(*command: str | Path, env: dict[str, str]) -> bool:
    words = [str(word) for word in command]
    with open(ERRORS, "a") as errors:
        return subprocess.run(words, cwd=ROOT, env={**os.environ, **env}, stderr=errors).returncode == 0


if __name__ == "__main__":
    main()
