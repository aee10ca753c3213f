"""Helpers of the tests of every package: recorded episodes, optional tools, the table of skipped tests.

A test that cannot run here calls `missing(why)`: locally that skips it, with CI=true it fails, because a green CI must
mean that everything ran. The fixtures `shared_dir` and `oracle_dir` and the function `require_tool` do it for the usual
reasons.
"""

import os
import shutil
import signal
import sys
from collections import Counter
from pathlib import Path
from typing import Any, NoReturn

import pytest

ROOT = Path(__file__).resolve().parent.parent
IN_CI = os.environ.get("CI", "").lower() in ("1", "true", "yes")


def missing(reason: str) -> NoReturn:
    """Skip the running test for want of something; in CI fail it."""
    if IN_CI:
        pytest.fail(f"{reason} (with CI set, this is a failure)", pytrace=False)
    pytest.skip(reason)


def find_shared() -> Path | None:
    """$LEAGUE_SHARED, or the folder `shared` beside the repository; None when there is none."""
    path = Path(os.environ.get("LEAGUE_SHARED") or ROOT.parent / "shared")
    return path if (path / "oracle").is_dir() else None


def require_tool(name: str) -> str:
    """Path of a program, also of one in `.venv/`; without it the test is skipped, or fails in CI."""
    ours = shutil.which(name, path=Path(sys.executable).parent)
    return shutil.which(name) or ours or missing(f"`{name}` is not installed")


@pytest.fixture(scope="session")
def shared_dir() -> Path:
    """The folder `shared` with the specification and the recorded episodes."""
    return find_shared() or missing("no folder `shared` beside the repository (set LEAGUE_SHARED to name another)")


@pytest.fixture(scope="session")
def oracle_dir(shared_dir: Path) -> Path:
    """Recorded episodes of the published engine: `cases/`, `missions/` and the scripts that compare."""
    return shared_dir / "oracle"


def pytest_configure() -> None:
    """Shells start programs in the background deaf to Ctrl-C, and tests of it would wait for ever."""
    if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
        signal.signal(signal.SIGINT, signal.default_int_handler)


# Tests that must not run beside each other, or that share something dear: one group for each row, the rest by file.
# Those of the first row count what other boxes would leave behind, and use up processors and memory on purpose.
TOGETHER = {
    "boxes": (
        "packages/cogbox/",
        "packages/mettagrid/tests/runner/",
        "packages/cogames/tests/cli/test_bundles.py",
        "packages/cogames/tests/cli/test_voices.py",
        "packages/observatory/tests/commissioner/test_boxed_season.py",
    ),
    "viewer": ("packages/mettagrid/tests/viewer/",),
    "pages": ("packages/observatory/tests/browser/",),
    "bitworld-pages": ("packages/bitworld/tests/browser/",),
    "observatory-play": tuple(
        f"packages/observatory/tests/{name}/" for name in ("access", "commissioner", "jobs", "matches")
    ),
    "observatory": ("packages/observatory/",),
    "wheels": ("tests/wheels/",),
}


# What takes minutes, in the order to begin with: nothing long may be left for the end, when others have nothing to do.
FIRST = (
    "boxes",
    "observatory",
    "wheels",
    "viewer",
    "pages",
    "tests/test_checks.py",
    "tests/test_coworld_docs.py",
    "tests/test_tutorials.py",
    "tests/trust/",
    "packages/coworld/",
    "packages/cogames/tests/cli/test_docs_examples.py",
    "packages/cogames-training/",
    "packages/cogsguard/",
    "tests/compat/",
    "tests/game/",
    "tests/soak/",
    "packages/mettagrid/tests/live",
)


def group_of(nodeid: str) -> str:
    """Tests of a group run one after the other in one process; those with PostgreSQL are a group of their own."""
    file, _, rest = nodeid.partition("::")
    group = next((group for group, places in TOGETHER.items() if file.startswith(places)), file)
    return f"{group}-postgresql" if "[postgresql" in rest else group


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    if hasattr(config, "workerinput"):  # one of several processes
        items.sort(key=lambda item: _place(group_of(item.nodeid)))


def _place(group: str) -> int:
    return next((place for place, name in enumerate(FIRST) if group.startswith(name)), len(FIRST))


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config: pytest.Config, log: Any) -> Any:
    """Let pytest-xdist keep the tests of a group, or of a file, in one process, and take them in our order."""
    from xdist.scheduler import LoadScopeScheduling  # type: ignore[import-untyped]

    class ByGroup(LoadScopeScheduling):
        def _split_scope(self, nodeid: str) -> str:
            return group_of(nodeid)

    config.option.loadscopereorder = False
    return ByGroup(config, log)


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """End every run with what was skipped and why, also when that is nothing."""
    reasons: Counter[tuple[str, str]] = Counter()
    for report in terminalreporter.stats.get("skipped", []):
        _, _, reason = report.longrepr
        reasons[report.nodeid.split("::")[0], reason.removeprefix("Skipped: ")] += 1
    if not reasons:
        terminalreporter.write_line("skipped: none")
        return
    terminalreporter.section("skipped")
    for (place, reason), count in sorted(reasons.items()):
        terminalreporter.write_line(f"{count:5}  {place}  {reason}")
