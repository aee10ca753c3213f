"""`cogames tutorial`: commands to get started."""

from __future__ import annotations

import os
import shlex
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from softmax.cli.errors import CommandError, fail
from softmax.cli.output import hint, print_table, warn
from softmax.cli.program import Entry, examples

if TYPE_CHECKING:
    from cogames.lessons import BrowserStage, TerminalStage

COMMANDS = [
    Entry("play", "cogames.commands.tutorial:play", "Learn to play: one cog, six lessons.", "Tutorial"),
    Entry("cvc", "cogames.commands.tutorial:cvc", "Learn Cogs vs Clips: roles, territory, the team.", "Tutorial"),
    Entry("make-policy", "cogames.commands.tutorial:make_policy", "Write a new policy from a template.", "Tutorial"),
    Entry(
        "train",
        "cogames.commands.tutorial:train",
        "Train a policy on one or more missions.",
        "Tutorial",
        fallback=True,
    ),
]

KIND, OUTPUT = "Policy Type", "Output"
Trainable = Annotated[bool, typer.Option("--trainable", help="A policy with a neural network.", rich_help_panel=KIND)]
Scripted = Annotated[bool, typer.Option("--scripted", help="A policy that follows rules.", rich_help_panel=KIND)]
AmongThem = Annotated[
    bool, typer.Option("--amongthem", help="A policy for the BitWorld game Among Them.", rich_help_panel=KIND)
]
Output = Annotated[Path, typer.Option("--output", "-o", metavar="FILE", help="File to write.", rich_help_panel=OUTPUT)]

Force = Annotated[bool, typer.Option("--force", help="Replace an existing file.", rich_help_panel=OUTPUT)]

LessonName = Annotated[
    str | None, typer.Option("--lesson", metavar="LESSON", help="Play only this lesson: its name or its number.")
]
ListLessons = Annotated[bool, typer.Option("--list", help="List the lessons, and which of them are finished.")]
Again = Annotated[bool, typer.Option("--again", help="Start with the first lesson, even if it is finished.")]
View = Annotated[
    Literal["auto", "gui", "unicode"],
    typer.Option("--render", "-r", help="Where to play: the browser (gui), the terminal (unicode), or auto."),
]
Seed = Annotated[int, typer.Option("--seed", metavar="N", min=0, help="Seed of the lessons.")]


@examples(
    "cogames tutorial play",
    "cogames tutorial play -r unicode              # in the terminal",
    "cogames tutorial play --list",
    "cogames tutorial play --lesson hearts",
)
def play(
    lesson: LessonName = None,
    list_lessons: ListLessons = False,
    again: Again = False,
    render: View = "auto",
    seed: Seed = 42,
) -> None:
    """Learn to play: one cog, six lessons.

    Each takes a few minutes: moving, using things, mining, gear, hearts, junctions. The course continues with the
    first unfinished lesson.
    """
    _teach("play", lesson, list_lessons, again, render, seed)


@examples(
    "cogames tutorial cvc",
    "cogames tutorial cvc --lesson waves -r unicode",
)
def cvc(
    lesson: LessonName = None,
    list_lessons: ListLessons = False,
    again: Again = False,
    render: View = "auto",
    seed: Seed = 42,
) -> None:
    """Learn Cogs vs Clips: roles, territory, the team.

    Five lessons of a few minutes: roles, territory, the network, the waves of the Clips, playing with a team. The
    course continues with the first unfinished lesson.
    """
    _teach("cvc", lesson, list_lessons, again, render, seed)


def _teach(course: str, lesson_name: str | None, list_lessons: bool, again: bool, render: str, seed: int) -> None:
    from cogames.lessons import COURSES, TERMINAL, Progress, find_lesson, play_course

    command = f"cogames tutorial {course}"
    progress = Progress(course)
    finished = progress.finished()
    if list_lessons:
        numbered = enumerate(COURSES[course].lessons(TERMINAL), 1)
        rows = [(n, lesson.name, lesson.title, "yes" if lesson.name in finished else "") for n, lesson in numbered]
        print_table(["#", "Lesson", "Title", "Finished"], rows)
        return
    stage = _stage(f"Tutorial: {course}", render)
    lessons = COURSES[course].lessons(stage.keys)
    if lesson_name is not None:
        positions = [find_lesson(lessons, lesson_name)]
    else:
        positions = [n for n, lesson in enumerate(lessons) if again or lesson.name not in finished]
    if not positions:
        print(f"You have finished all {len(lessons)} lessons of this course")
        hint(f"`{command} --again` starts over, `{command} --lesson NAME` plays one lesson")
        return

    os.environ["METTASCOPE_SHOW_VALIDATION"] = "0"
    first = lessons[positions[0]]
    print(f"{COURSES[course].title}\n")
    print(f"Lesson {positions[0] + 1} of {len(lessons)}: {first.title}. {first.briefing}")
    print(f"Move your cog with {stage.keys.move}. To leave, {stage.keys.leave}; finished lessons are saved.\n")
    with stage:
        stage.wait_for_player()
        left = play_course(lessons, stage, positions=positions, progress=progress, seed=seed)
    if left is not None:
        print(f"You left the lesson {left.title!r}")
        hint(f"`{command}` continues with the first unfinished lesson")
    else:
        print("Well done: " + ("the lesson is" if lesson_name else "all lessons of this course are") + " finished")
        next_command = {"play": "cogames tutorial cvc", "cvc": "cogames play -m arena -p starter"}[course]
        hint(f"continue with `{next_command}`")


def _stage(title: str, render: str) -> BrowserStage | TerminalStage:
    """Return the requested view; `auto` is the browser if there is a display, otherwise the terminal."""
    from cogames.lessons import BrowserStage, TerminalStage
    from mettagrid.util.display import has_display

    if render == "auto":
        render = "gui" if has_display() else "unicode"
    if render == "gui":
        return BrowserStage(title)
    if not (sys.stdin.isatty() and sys.stdout.isatty()):
        fail("stdin and stdout are not a terminal", "use -r gui and open the URL in a browser")
    return TerminalStage()


@examples(
    "cogames tutorial make-policy --scripted -o my_policy.py",
    "cogames tutorial make-policy --trainable -o my_network.py",
    "cogames tutorial make-policy --amongthem -o amongthem_policy.py",
)
def make_policy(
    trainable: Trainable = False,
    scripted: Scripted = False,
    amongthem: AmongThem = False,
    output: Output = Path("my_policy.py"),
    force: Force = False,
) -> None:
    """Write a new policy from a template.

    Pass exactly one type. The file works unchanged and is meant to be edited. An existing file is not replaced without
    --force.
    """
    given = (("trainable", trainable), ("scripted", scripted), ("amongthem", amongthem))
    kinds = [kind for kind, chosen in given if chosen]
    if len(kinds) != 1:
        fail(
            "Specify exactly one of --trainable, --scripted and --amongthem",
            "cogames tutorial make-policy --scripted -o my_policy.py",
            "cogames tutorial make-policy --trainable -o my_network.py",
            "cogames tutorial make-policy --amongthem -o amongthem_policy.py",
        )
    from cogames.policy.templates import make_policy as write

    try:
        written = write(kinds[0], output, replace=force)
    except FileExistsError as error:
        raise CommandError(f"{output} exists", ["-o writes another file; --force replaces this one"]) from error
    except ValueError as error:
        raise CommandError(str(error), ["choose another file with -o"]) from error
    if written.replaced:
        warn(f"{written.path} was replaced")
    print(f"Wrote {written.path}")
    folder = "" if written.path.parent.resolve() == Path.cwd() else f"cd {shlex.quote(str(written.path.parent))} && "
    if amongthem:
        print(f"Play with it:\n{folder}cogames run -m bitworld.among_them -p class={written.class_path}")
        hint("the game comes with `pip install cogames[bitworld]`; `cogames docs amongthem_policy` has the next steps")
        return
    print(f"Play with it:\n{folder}cogames play -m arena -p class={written.class_path}")
    if trainable:
        print(f"Train it:\n{folder}cogames tutorial train -m arena -p class={written.class_path}")
        hint("networks need PyTorch: pip install cogames[neural]")


def train() -> None:
    """Train a policy on one or more missions.

    The package cogames-training replaces this command; `pip install cogames[neural]` installs it.
    """
    fail("Training needs PyTorch and cogames-training, which are not installed", "pip install cogames[neural]")


train.__dict__["context_settings"] = {"allow_extra_args": True, "ignore_unknown_options": True}
