"""`cogames tutorial play` and `cvc` without a view, and `train` without the trainer."""

import os
from pathlib import Path

import pytest
from typer.testing import CliRunner

from cogames.commands import tutorial
from cogames.commands.shared.program import make_group_app
from cogames.lessons import Progress


@pytest.fixture(autouse=True)
def state(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path))
    monkeypatch.setenv("METTASCOPE_SHOW_VALIDATION", "1")
    for name in ("DISPLAY", "WAYLAND_DISPLAY", "BROWSER"):
        monkeypatch.delenv(name, raising=False)


def test_finished_lessons_are_marked_in_the_list(cogames) -> None:
    Progress("cvc").add("territory")

    ran = cogames("tutorial", "cvc", "--list")

    assert ran.code == 0
    names = [line.split()[1] for line in ran.out.splitlines()[2:]]
    assert names == ["roles", "territory", "network", "waves", "team"]
    assert [line.split()[1] for line in ran.out.splitlines() if line.endswith("yes")] == ["territory"]


@pytest.mark.parametrize("lesson", ["junction", "0", "7"])
def test_an_unknown_lesson_is_refused_with_the_known_names(cogames, lesson: str) -> None:
    ran = cogames("tutorial", "play", "--lesson", lesson, "-r", "gui")

    assert ran.code == 1
    assert ran.error == (
        f"Error: No lesson '{lesson}'; pass a number from 1 to 6 or a name: "
        "moving, objects, mining, gear, hearts, junctions."
    )


def test_without_screen_and_terminal_lessons_are_refused(cogames) -> None:
    ran = cogames("tutorial", "play")

    assert ran.code == 1
    assert ran.error == "Error: stdin and stdout are not a terminal"
    assert ran.hints == ["use -r gui and open the URL in a browser"]


def test_a_finished_course_is_reported(cogames) -> None:
    for name in ("roles", "territory", "network", "waves", "team"):
        Progress("cvc").add(name)

    ran = cogames("tutorial", "cvc", "-r", "gui")

    assert ran.code == 0
    assert ran.out == "You have finished all 5 lessons of this course\n"
    assert "--again" in ran.hints[0]


def test_playing_a_lesson_tells_the_viewer_not_to_complain_about_replays(
    cogames, monkeypatch: pytest.MonkeyPatch
) -> None:
    seen = []
    monkeypatch.setattr(
        "cogames.lessons.play_course", lambda *_, **__: seen.append(os.environ["METTASCOPE_SHOW_VALIDATION"])
    )

    ran = cogames("tutorial", "play", "--lesson", "2", "-r", "gui")

    assert ran.code == 0
    assert "Lesson 2 of 6: Using things." in ran.out
    assert "Well done: the lesson is finished" in ran.out
    assert seen == ["0"]


def test_without_the_trainer_the_command_says_what_to_install() -> None:
    app = make_group_app("tutorial", "Get started.", tutorial.COMMANDS)

    ran = CliRunner().invoke(app, ["train", "-m", "arena", "--steps", "10"])

    assert ran.exit_code == 1
    assert "pip install cogames[neural]" in ran.stderr
