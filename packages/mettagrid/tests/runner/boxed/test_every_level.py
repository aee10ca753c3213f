"""Hostile policies at every level of the sandbox, started by root and by an ordinary user.

`hostile/corpus.py` has the policies. Without `HOSTILE_LEVELS=all` (`make soak`) two of them play at one level.
"""

import json
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest

from packages.mettagrid.tests.runner.boxed.hostile.corpus import CASES
from tests.support import missing, require_tool

HOSTILE = Path(__file__).with_name("hostile")
AS_USER = Path(__file__).parents[4] / "cogbox" / "tests" / "hostile" / "as_user.py"
ALL = os.environ.get("HOSTILE_LEVELS") == "all"
LEVELS = ("container", "bubblewrap", "namespaces", "landlock")
SETTINGS = [(who, level) for who in ("root", "user") for level in LEVELS if (who, level) != ("user", "container")]
QUICK = ["four_thousand_infos", "a_child_that_prints"]
UID = 54_399


def command(who: str, level: str, folder: Path) -> list[str]:
    line = [sys.executable, "-B", str(HOSTILE / "worker.py"), level, *([] if ALL else QUICK)]
    if os.geteuid() != 0 or (who, level) in (("root", "container"), ("root", "bubblewrap"), ("root", "namespaces")):
        return line
    # For users, and at `landlock` for the boxes of root: on the way to the interpreter no folder may be closed.
    require_tool("unshare")
    uid = 0 if who == "root" else UID
    os.chown(folder, uid, uid)
    enter = ["unshare", "--mount", "--propagation", "private", sys.executable, "-B", str(AS_USER)]
    return [*enter, str(uid), str(folder), *line]


@pytest.mark.slow
@pytest.mark.parametrize(("who", "level"), SETTINGS if ALL else [("user", "namespaces")])
def test_hostile_policies_get_their_verdict_at_every_level(who: str, level: str) -> None:
    if who == "root" and os.geteuid() != 0:
        missing("boxes of root's can be tried only by root")
    folder = Path(tempfile.mkdtemp(prefix="hostile-"))
    folder.chmod(0o755)
    try:
        environment = {"PATH": os.environ["PATH"], "TMPDIR": str(folder)}
        ran = subprocess.run(
            command(who, level, folder), env=environment, cwd="/", capture_output=True, text=True, timeout=1200
        )
    finally:
        shutil.rmtree(folder, ignore_errors=True)
    told = [json.loads(line) for line in ran.stdout.splitlines()]
    if told and "missing" in told[0]:
        missing(f"{level} as {who}: {told[0]['missing']}")
    assert [outcome["name"] for outcome in told] == (list(CASES) if ALL else QUICK), ran.stderr[-2000:]
    assert {outcome["name"]: outcome["problems"] for outcome in told if outcome["problems"]} == {}
