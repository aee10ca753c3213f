"""The training guide names settings, metrics and options that exist."""

import re
from pathlib import Path
from typing import Any, get_args

from cogames_training.args import TeacherMode
from cogames_training.recipes.binding import describe
from cogames_training.recipes.tools import TrainTool

GUIDE = (Path(__file__).parents[4] / "docs" / "guides" / "training.md").read_text()


def table(heading: str) -> list[list[str]]:
    """Return the rows of the first table below a heading, cell by cell."""
    lines = GUIDE.partition(f"# {heading}\n")[2].splitlines()
    start = next(number for number, line in enumerate(lines) if line.startswith("|"))
    rows = []
    for line in lines[start + 2 :]:
        if not line.startswith("|"):
            break
        rows.append([cell.strip() for cell in line.strip("|").split(" | ")])
    return rows


def test_every_key_of_the_recipes_is_a_setting() -> None:
    known = {name for name, _ in describe(TrainTool)}
    named = {key for row in table("Recipes") for key in re.findall(r"`([\w.]+)`", row[0])}
    assert len(named) > 30
    assert named <= known


def test_every_teacher_mode_is_explained() -> None:
    below = GUIDE.partition("| mode | |")[2].partition("\n\n")[0]
    assert set(re.findall(r"`(\w+)`", below)) == set(get_args(TeacherMode))


def test_every_option_in_the_guide_exists(cogames: Any) -> None:
    helps = {name: cogames(*name.split(), "--help").out for name in ("tutorial train", "sweep", "scrimmage", "upload")}
    for line in re.findall(r"cogames (?:tutorial train|sweep|scrimmage|upload) [^\n`]*", GUIDE):
        name = next(name for name in helps if line.startswith(f"cogames {name}"))
        for option in re.findall(r" (--[a-z-]+)", line):
            assert option in helps[name], line


def test_the_losses_of_a_run_are_explained(small_run: Any) -> None:
    run = small_run(policy="class=sparse", teacher="miner", teacher_led_proportion=0.5, total_steps=1)
    explained = {name for row in table("What the numbers mean") for name in re.findall(r"losses/(\w+)", row[0])}
    assert explained <= {*run.last.losses}
