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


def test_the_guide_to_a_new_game_quotes_the_example() -> None:
    guide = (ROOT / "docs" / "guides" / "new-game.md").read_text()
    blocks = re.findall(r"^```python\n(.*?)^```", guide, flags=re.S | re.M)
    example = (ROOT / "examples" / "lamplighters.py").read_text().split('"""\n', 1)[1]
    assert [line for line in example.splitlines() if line] == [
        line for block in blocks for line in block.splitlines() if line
    ]


def test_the_example_game_is_playable() -> None:
    played = re.findall(r"^street (\d\.\d+)$", run("lamplighters.py"), flags=re.M)
    assert [float(paid) > 0 for paid in played] == [True, True]


def test_a_game_built_from_variants_of_cogs_vs_clips_is_playable() -> None:
    problems, *paid = run("harvest.py").splitlines()
    assert problems == "0 problems"
    assert [line.split()[0] for line in paid] == ["north", "south"]
    assert all(float(line.split()[1]) > 0 for line in paid)


def test_the_example_policy_has_no_problems() -> None:
    assert run("wanderer.py").strip() == "0 problems"
