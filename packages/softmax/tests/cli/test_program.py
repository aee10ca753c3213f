"""The frame of command-line programs: exit codes, errors as JSON, and commands that other distributions add."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

PROGRAM = """
from softmax.cli.errors import CommandError, UsageError
from softmax.cli.program import Entry, Program, make_app

def refuse(json: bool = False): raise CommandError("The box is full", ["empty the box"], kind="full")
def misuse(): raise UsageError("--a and --b exclude each other")
def interrupt(): raise KeyboardInterrupt
def defect(): raise ZeroDivisionError("division by zero")
def good(): print("fine")

class Sample(Program):
    entries = [Entry(name, f"__main__:{name}", name) for name in ("refuse", "misuse", "interrupt", "defect", "good")]
    entry_point_group = "sample.commands"
    json_errors = True

make_app("sample", "A sample.", Sample)(prog_name="sample")
"""


def sample(folder: Path, *words: str) -> subprocess.CompletedProcess[str]:
    program = folder / "sample.py"
    program.write_text(PROGRAM)
    environment = {**os.environ, "PYTHONPATH": str(folder), "NO_COLOR": "1"}
    return subprocess.run([sys.executable, str(program), *words], capture_output=True, text=True, env=environment)


@pytest.mark.parametrize(
    ("word", "code", "err"),
    [
        ("good", 0, ""),
        ("refuse", 1, "Error: The box is full\nhint: empty the box\n"),
        ("misuse", 2, "Error: --a and --b exclude each other\n"),
        ("interrupt", 130, "Error: Interrupted\n"),
        ("unknown", 2, "Error: No such command 'unknown'.\nhint: see `sample --help`\n"),
        (
            "defect",
            1,
            "Error: ZeroDivisionError: division by zero\nhint: run it again with --debug to see where this happened\n",
        ),
    ],
)
def test_exit_codes_and_messages(tmp_path: Path, word: str, code: int, err: str) -> None:
    ran = sample(tmp_path, word)
    assert (ran.returncode, ran.stderr) == (code, err)


def test_debug_shows_where_an_error_comes_from(tmp_path: Path) -> None:
    ran = sample(tmp_path, "defect", "--debug")
    assert ran.returncode == 1 and ran.stderr.endswith("ZeroDivisionError: division by zero\n")
    assert "in defect" in ran.stderr


def test_errors_are_a_json_document_too(tmp_path: Path) -> None:
    ran = sample(tmp_path, "refuse", "--json")
    assert json.loads(ran.stdout) == {"error": {"type": "full", "message": "The box is full", "hint": "empty the box"}}


def install(folder: Path, name: str, module: str) -> None:
    """Write a distribution with one entry point of the sample program."""
    (folder / f"{name}.py").write_text(module)
    metadata = folder / f"{name}-1.0.dist-info"
    metadata.mkdir()
    (metadata / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {name}\nVersion: 1.0\n")
    (metadata / "entry_points.txt").write_text(f"[sample.commands]\n{name} = {name}:ENTRIES\n")


def test_another_distribution_adds_a_command(tmp_path: Path) -> None:
    install(
        tmp_path,
        "extension",
        "from softmax.cli.program import Entry\n"
        "ENTRIES = [Entry('extra', 'extension:extra', 'From elsewhere.', 'More'), Entry('good', 'extension:extra')]\n"
        "def extra(): print('from elsewhere')\n",
    )
    assert sample(tmp_path, "extra").stdout == "from elsewhere\n"
    assert sample(tmp_path, "good").stdout == "fine\n"  # a program's own commands win
    assert "More:\n  extra      From elsewhere." in sample(tmp_path, "--help").stdout


def test_a_broken_distribution_does_not_break_the_program(tmp_path: Path) -> None:
    install(tmp_path, "broken", "import a_module_that_is_missing\n")
    ran = sample(tmp_path, "good")
    assert (ran.returncode, ran.stdout) == (0, "fine\n")
    assert ran.stderr.startswith("warning: the commands of broken:ENTRIES are not available: ModuleNotFoundError:")


def test_a_group_can_be_a_command_too(tmp_path: Path) -> None:
    install(
        tmp_path,
        "boxes",
        "import typer\n"
        "from softmax.cli.program import CommandGroup, Entry\n"
        "ENTRIES = [Entry('boxes', 'boxes:GROUP', 'List boxes.')]\n"
        "def show(): print('one box')\n"
        "def boxes(ctx: typer.Context, full: bool = False):\n"
        "    if ctx.invoked_subcommand is None: print('full boxes' if full else 'all boxes')\n"
        "GROUP = CommandGroup([Entry('show', 'boxes:show', 'Show one.')], options=boxes, works_alone=True)\n",
    )
    assert sample(tmp_path, "boxes").stdout == "all boxes\n"
    assert sample(tmp_path, "boxes", "--full").stdout == "full boxes\n"
    assert sample(tmp_path, "boxes", "show").stdout == "one box\n"
    assert "show  Show one." in sample(tmp_path, "boxes", "--help").stdout


def test_another_distribution_extends_a_group_and_replaces_a_fallback(tmp_path: Path) -> None:
    install(
        tmp_path,
        "boxes",
        "from softmax.cli.errors import fail\n"
        "from softmax.cli.program import Entry\n"
        "def show(): print('one box')\n"
        "def paint(): fail('Paint is not installed', 'pip install paint')\n"
        "paint.context_settings = {'allow_extra_args': True, 'ignore_unknown_options': True}\n"
        "GROUP = [Entry('show', 'boxes:show', 'Show one.')]\n"
        "GROUP += [Entry('paint', 'boxes:paint', 'Paint one.', fallback=True)]\n"
        "ENTRIES = [Entry('boxes', 'boxes:GROUP', 'Boxes.')]\n",
    )
    ran = sample(tmp_path, "boxes", "paint", "--colour", "red")
    assert (ran.returncode, ran.stderr) == (1, "Error: Paint is not installed\nhint: pip install paint\n")
    install(
        tmp_path,
        "artist",
        "from softmax.cli.program import Entry\n"
        "ENTRIES = [Entry(f'boxes {name}', 'artist:paint', 'Paint one.') for name in ('paint', 'show', 'varnish')]\n"
        "def paint(): print('painted')\n",
    )
    assert sample(tmp_path, "boxes", "paint").stdout == sample(tmp_path, "boxes", "varnish").stdout == "painted\n"
    assert sample(tmp_path, "boxes", "show").stdout == "one box\n"
    assert sample(tmp_path, "boxes", "--help").stdout.count("Paint one.") == 2
