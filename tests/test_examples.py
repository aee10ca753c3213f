"""Programs in examples/ run unchanged and do what they claim."""

import re
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent


def run(name: str, *arguments: str) -> str:
    command = [sys.executable, "-W", "error", str(ROOT / "examples" / name), *arguments]
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout


def test_look_ahead_beats_the_same_policy_without_it() -> None:
    plain, planned = map(float, re.findall(r"(\d+\.\d)$", run("look_ahead.py", "2"), flags=re.M))
    assert planned > 2 * plain
