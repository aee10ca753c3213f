"""Every lesson can be done, and none by doing nothing."""

from __future__ import annotations

import textwrap
from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from cogames.lessons import BROWSER, COURSES, TERMINAL, Ending, Lesson, Progress, play_course, play_lesson
from cogames.lessons.drawing import Drawing, LessonMission
from cogames.lessons.play import hearts
from cogames.lessons.rules import read_rules
from cogsguard.game.cargo import CargoLimitVariant
from mettagrid.config.mettagrid_config import MettaGridConfig
from mettagrid.renderer.renderer import NoRenderer, Renderer
from packages.cogames.tests.lessons import scripts
from packages.cogames.tests.lessons.player import ScriptedPlayer

LESSONS = [lesson for course in COURSES.values() for lesson in course.lessons(TERMINAL)]
each_lesson = pytest.mark.parametrize("lesson", LESSONS, ids=lambda lesson: lesson.name)
LONGER_THAN_A_WAVE = 90


class Nobody(NoRenderer):
    """Records the goals and lets the policies play."""

    def __init__(self) -> None:
        super().__init__()
        self.goals: set[int] = set()

    def show_lesson(self, message: Mapping[str, Any]) -> None:
        self.goals.add(message["goal"]["number"])


@each_lesson
def test_a_player_who_knows_how_finishes_the_lesson_and_resting_reaches_no_goal_of_it(lesson: Lesson) -> None:
    player = ScriptedPlayer(lesson, getattr(scripts, lesson.name), rests=LONGER_THAN_A_WAVE)

    ending, reason = play_lesson(lesson, player)

    assert (ending, reason) == (Ending.FINISHED, ""), player.messages[-1]
    assert player.passed_while_resting == []
    done = [message["goal"]["title"] for message in player.messages if message["goal"]["done"]]
    assert done == [goal.title for goal in lesson.goals]
    assert player.messages[-1]["finished"]


@each_lesson
def test_without_a_player_no_goal_is_reached_however_long_the_policies_play(lesson: Lesson) -> None:
    nobody = Nobody()

    ending, reason = play_lesson(lesson, nobody)

    assert (ending, reason) == (Ending.AGAIN, "You have used all 2000 steps of this lesson.")
    assert nobody.goals == {1}


@each_lesson
def test_a_player_who_only_presses_enter_reaches_no_goal(lesson: Lesson) -> None:
    player = ScriptedPlayer(lesson, scripts.moving, rests=10_000)

    ending, _ = play_lesson(lesson, player)

    assert ending is Ending.AGAIN
    assert {message["goal"]["number"] for message in player.messages} == {1}


def test_in_the_team_lesson_only_cogs_that_the_player_drives_count() -> None:
    (lesson,) = (lesson for lesson in LESSONS if lesson.name == "team")

    def drive_only_the_own_cog(player: ScriptedPlayer) -> Iterator[None]:
        for _ in range(100):
            yield player.press("move_north")
            yield player.press("move_south")

    player = ScriptedPlayer(lesson, drive_only_the_own_cog)
    ending, _ = play_lesson(lesson, player)

    assert ending is Ending.LEFT
    assert player.goal == 1
    assert player.messages[-1]["goal"]["progress"] == 0


class Stage:
    """Plays with one renderer after another."""

    keys = TERMINAL

    def __init__(self, renderers: list[ScriptedPlayer]) -> None:
        self._renderers = iter(renderers)

    def next(self) -> Renderer:
        return next(self._renderers)

    def pause(self) -> None: ...


def test_a_lesson_that_cannot_be_finished_says_so_and_starts_again(tmp_path: Path) -> None:
    lesson = hearts(TERMINAL)
    attempts = iter([_with_little_carbon(lesson.make_env()), lesson.make_env()])
    lesson = replace(lesson, make_env=lambda: next(attempts))
    first, second = (ScriptedPlayer(lesson, scripts.hearts) for _ in range(2))

    left = play_course([lesson], Stage([first, second]), positions=[0], progress=Progress("play", tmp_path))

    sentence = "There is not enough carbon left on this map. The lesson starts again."
    assert first.messages[-1]["note"] == sentence
    assert second.messages[0]["note"] == sentence
    assert not first.messages[-1]["finished"]
    assert second.messages[-1]["finished"]
    assert left is None
    assert Progress("play", tmp_path).finished() == {"hearts"}


def test_a_lesson_that_the_player_leaves_is_not_finished(tmp_path: Path) -> None:
    lesson = hearts(TERMINAL)
    player = ScriptedPlayer(lesson, lambda player: iter(()))

    left = play_course([lesson], Stage([player]), positions=[0], progress=Progress("play", tmp_path))

    assert left is lesson
    assert Progress("play", tmp_path).finished() == set()


def _with_little_carbon(env: MettaGridConfig) -> MettaGridConfig:
    env.game.objects["carbon_extractor"].inventory.initial = {"carbon": 3}
    return env


@pytest.mark.parametrize("content", ["", "no json", "[1]", '{"play": 3}', '{"play": [1, null]}'])
def test_a_damaged_progress_file_counts_as_empty_and_is_replaced(tmp_path: Path, content: str) -> None:
    (tmp_path / "lessons.json").write_text(content)
    progress = Progress("play", tmp_path)

    assert progress.finished() == set()
    progress.add("moving")
    Progress("cvc", tmp_path).add("roles")
    assert progress.finished() == {"moving"}


def test_the_numbers_in_the_texts_are_those_of_the_rules() -> None:
    mission = LessonMission.draw("small", Drawing("#####\n#@&.#\n#####"))

    assert read_rules(mission).cargo == 4
    assert read_rules(mission.with_variants([CargoLimitVariant(limit=9)])).cargo == 9


@each_lesson
def test_goal_texts_fit_next_to_the_map_of_a_small_terminal(lesson: Lesson) -> None:
    width, height = 28, 20  # what a screen of 80x24 leaves for it
    notes = [lesson.briefing, *(f"Done: {goal.title}." for goal in lesson.goals)]
    for goal, note in zip(lesson.goals, notes, strict=False):
        lines = [
            line for text in (note, goal.title, goal.text, goal.hint, "bar") for line in textwrap.wrap(text, width)
        ]
        assert len(lines) <= height, (goal.title, len(lines))


def test_the_texts_for_the_browser_tell_other_keys() -> None:
    for course in COURSES.values():
        ours, others = course.lessons(TERMINAL), course.lessons(BROWSER)
        assert [lesson.name for lesson in ours] == [lesson.name for lesson in others]
    assert "w a s d" not in "".join(goal.text for lesson in COURSES["play"].lessons(BROWSER) for goal in lesson.goals)
