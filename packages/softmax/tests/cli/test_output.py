"""What commands print: tables of any width, any encoding, small numbers, chosen fields."""

import io
import json
import os
import pty
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

from softmax.cli.errors import UsageError
from softmax.cli.fields import choose_fields
from softmax.cli.output import command_line, decimal, print_json, settings
from softmax.cli.tables import table
from softmax.cli.text import columns, survive_encoding, wrap
from softmax.wire import PolicyVersionSummary

HEADERS = ["Match ID", "Date", "Status", "Policies", "Score"]
IDS = ["01990000-1111-7222-8333-444444444444", "01990000-1111-7222-8333-555555555555"]
ROWS = [
    [IDS[0], "2026-03-01 12:00", "completed", "a long policy name:v2, 東京のポリシー:v1", 12.5],
    [IDS[1], "2026-03-01 12:01", "failed", "naïve\x1b[31m\n:v3", "—"],
]


@pytest.mark.parametrize("width", [40, 44, 60, 72, 80, 100, 140])
@pytest.mark.parametrize("ids", [[], [0]])
def test_a_table_fits_any_terminal_and_loses_nothing(width: int, ids: list[int]) -> None:
    text = table(HEADERS, ROWS, right=[4], ids=ids, width=width)
    assert max(columns(line) for line in text.splitlines()) <= width
    joined = "".join(text.split())
    for word in ("a long policy name:v2,", "東京のポリシー:v1", "completed", "12.5", "2026-03-01 12:01", "failed"):
        assert all(part in text for part in word.split()), word
    assert all((identifier if not ids else identifier[:8]) in joined for identifier in IDS)
    assert "\x1b" not in text


def test_a_pipe_gets_one_line_per_row() -> None:
    lines = table(HEADERS, ROWS, right=[4]).splitlines()
    assert len(lines) == 4 and all(identifier in line for identifier, line in zip(IDS, lines[2:], strict=True))


def test_ids_are_shortened_only_as_far_as_they_differ() -> None:
    rows = [["01990000-1111-7222-8333-444444444444", "x" * 40], ["01990000-1222-7222-8333-555555555555", "y"]]
    assert [line.split()[0] for line in table(["ID", "Name"], rows, ids=[0], width=60).splitlines()[2:]] == [
        "01990000-11",
        "01990000-12",
    ]


def test_a_narrow_terminal_shows_records() -> None:
    assert table(["ID", "Name", "Note"], [[IDS[0], "mine", ""]], width=40) == f"ID\n  {IDS[0]}\nName  mine"


def test_lines_break_at_spaces_and_keep_their_indentation() -> None:
    assert wrap("  one two three", 10) == ["  one two", "  three"]
    assert wrap("abcdefgh", 3) == ["abc", "def", "gh"]
    assert wrap("", 5) == [""]


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (0.0, "0.00"),
        (-0.0, "0.00"),
        (12.345, "12.35"),
        (0.5, "0.50"),
        (0.1, "0.10"),
        (0.05, "0.05"),
        (0.000123, "0.000123"),
        (-0.00456, "-0.00456"),
        (0.09999, "0.10"),
        (1.5e-9, "1.50e-09"),
        (float("nan"), "nan"),
    ],
)
def test_a_small_number_is_not_printed_as_nothing(value: float, text: str) -> None:
    assert decimal(value) == text


@pytest.mark.parametrize(
    ("encoding", "expected"),
    [
        ("ascii", "naive - ... x `?"),
        ("latin-1", "naïve - ... × `?"),
        ("cp1252", "naïve — … × `?"),
        ("utf-8", "naïve — … × └東"),
    ],
)
def test_characters_that_an_encoding_lacks_are_spelled(encoding: str, expected: str) -> None:
    raw = io.BytesIO()
    stream = io.TextIOWrapper(raw, encoding=encoding)
    survive_encoding(stream)
    stream.write("naïve — … × └東")
    stream.flush()
    assert raw.getvalue().decode(encoding) == expected


def test_json_stays_exact_in_any_encoding(monkeypatch: pytest.MonkeyPatch) -> None:
    raw = io.BytesIO()
    monkeypatch.setattr(sys, "stdout", io.TextIOWrapper(raw, encoding="ascii", write_through=True))
    row = PolicyVersionSummary(id=IDS[0], name="naïve 東", version=1)  # type: ignore[arg-type]
    print_json(row)
    assert json.loads(raw.getvalue())["name"] == "naïve 東"


def test_suggested_commands_can_be_pasted() -> None:
    words = ["cogames", "replay", "my games/it's.json.z"]
    assert shlex.split(command_line(*words)) == words


def test_fields_are_chosen_in_the_given_order_and_through_lists() -> None:
    document = [{"id": 1, "name": "a", "players": [{"policy": {"name": "x"}}, {"policy": {"name": "y"}}], "none": None}]
    assert choose_fields(document, ["name", "id"]) == [{"name": "a", "id": 1}]
    assert choose_fields(document, ["players.policy.name", "none.any"]) == [
        {"players.policy.name": ["x", "y"], "none.any": None}
    ]
    assert choose_fields([], ["whatever"]) == []
    with pytest.raises(UsageError, match="Unknown JSON field 'nmae'") as caught:
        choose_fields(document, ["nmae"])
    assert caught.value.hints == ["fields: id, name, players, none"]


PROGRAM = """
import json as module
from softmax.cli.output import hint, note, print_data, print_table, warn
from softmax.cli.program import Entry, Program, make_app
from typing import Annotated
import typer

Json = Annotated[bool, typer.Option("--json")]

def listed(json: Json = False):
    note("a note"); hint("a hint"); warn("a warning")
    rows = [{"id": 1, "name": "caf\\u00e9 \\u2014"}]
    if json: print_data(rows, "json")
    else: print_table(["Id", "Name", "Text"], [(1, "caf\\u00e9 \\u2014", "word " * 30)])

def shown(item: Annotated[str, typer.Argument()] = "none", json: Json = False):
    print_data({"item": item, "other": 2}, "json")

class Sample(Program):
    distribution = "softmax-cli"
    entries = [Entry(name, f"__main__:{name}", name) for name in ("listed", "shown")]

make_app("sample", "A sample.", Sample)(prog_name="sample")
"""


def sample(folder: Path, *words: str, **environment: str) -> subprocess.CompletedProcess[bytes]:
    program = folder / "sample.py"
    program.write_text(PROGRAM)
    settings = {**os.environ, "NO_COLOR": "1", "PYTHONDONTWRITEBYTECODE": "1", **environment}
    return subprocess.run([sys.executable, str(program), *words], capture_output=True, env=settings)


def test_quiet_and_verbose_are_options_of_the_whole_program(tmp_path: Path) -> None:
    assert sample(tmp_path, "listed").stderr == b"a note\nhint: a hint\nwarning: a warning\n"
    for words in (["-q", "listed"], ["--quiet", "listed"], ["listed", "--quiet"]):
        assert sample(tmp_path, *words).stderr == b"warning: a warning\n"


def test_json_takes_names_of_fields_and_stays_a_flag(tmp_path: Path) -> None:
    def out(*words: str) -> object:
        ran = sample(tmp_path, *words)
        return json.loads(ran.stdout) if ran.returncode == 0 else ran.stderr.decode()

    assert out("listed", "--json") == [{"id": 1, "name": "café —"}]
    assert out("listed", "--json", "name") == [{"name": "café —"}]
    assert out("listed", "--json=name,id") == [{"name": "café —", "id": 1}]
    assert out("shown", "--json", "x") == {"item": "x", "other": 2}  # it is the argument
    assert out("shown", "x", "--json", "item") == {"item": "x"}
    assert out("shown", "--json", "other,item", "x") == {"other": 2, "item": "x"}
    assert out("--quiet", "shown", "--json=size") == "Error: Unknown JSON field 'size'\nhint: fields: item, other\n"


def test_the_version_is_printed(tmp_path: Path) -> None:
    from importlib.metadata import version

    assert sample(tmp_path, "--version").stdout.decode() == f"sample {version('softmax-cli')}\n"


@pytest.mark.parametrize("encoding", ["ascii", "latin-1", "utf-8"])
def test_a_program_survives_its_encoding(tmp_path: Path, encoding: str) -> None:
    ran = sample(tmp_path, "listed", PYTHONIOENCODING=encoding, LC_ALL="C")
    assert ran.returncode == 0
    name = {"ascii": "cafe -", "latin-1": "café -", "utf-8": "café —"}[encoding]
    assert f"1   {name}  word" in ran.stdout.decode(encoding)


def test_a_table_on_a_terminal_is_not_wider_than_it(tmp_path: Path) -> None:
    (tmp_path / "sample.py").write_text(PROGRAM)
    parent, child = pty.openpty()
    environment = {**os.environ, "COLUMNS": "50", "NO_COLOR": "1"}
    words = [sys.executable, str(tmp_path / "sample.py"), "listed", "--quiet"]
    with subprocess.Popen(words, stdout=child, stderr=subprocess.DEVNULL, env=environment) as process:
        os.close(child)
        text = b""
        try:
            while piece := os.read(parent, 4096):
                text += piece
        except OSError:  # the terminal is closed
            pass
        process.wait()
    os.close(parent)
    lines = text.decode().split("\r\n")
    assert max(map(len, lines)) <= 50 and len(lines) > 5


def test_settings_of_a_command_do_not_outlive_it() -> None:
    assert (settings.quiet, settings.verbose, settings.fields) == (False, False, [])
