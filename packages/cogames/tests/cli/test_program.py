"""The frame of the program: help, unknown words, exit codes, what is imported."""

import importlib
import io
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from cogames.commands import assay, auth, episode, player, season, tutorial
from cogames.main import COMMANDS
from softmax.cli.output import styled, table

GROUPS = {
    "": COMMANDS,
    "tutorial": tutorial.COMMANDS,
    "auth": auth.COMMANDS,
    "auth player": player.COMMANDS,
    "auth player credentials": player.CREDENTIALS,
    "season": season.COMMANDS,
    "episode": episode.COMMANDS,
    "assay": assay.COMMANDS,
}
ENTRIES = [entry for entries in GROUPS.values() for entry in entries]
NAMES = [[*group.split(), entry.name] for group, entries in GROUPS.items() for entry in entries]
PANELS = {
    "Play": ["play", "replay"],
    "Evaluate": ["scrimmage", "run", "pickup", "ladder", "diagnose", "explain"],
    "Info": ["missions", "version", "docs"],
    "Policies": ["policies", "create-bundle", "validate-bundle", "cache"],
    "Tournament": [
        "submissions",
        "leaderboard",
        "matches",
        "match-artifacts",
        "reproduce",
        "upload",
        "submit",
        "ship",
        "download-policy",
        "withdraw",
        "delete-policy",
        "auth",
        "season",
        "episode",
        "assay",
    ],
    "Tutorials": ["tutorial"],
}


@pytest.mark.parametrize("words", NAMES, ids=" ".join)
def test_every_command_explains_itself(cogames: Any, words: list[str]) -> None:
    long, short = cogames(*words, "--help"), cogames(*words, "-h")
    assert long == short
    assert (long.code, long.err) == (0, "")
    assert long.out.startswith(f"Usage: cogames {' '.join(words)} ")
    assert "-h, --help" in long.out


def test_help_groups_commands_into_panels(cogames: Any) -> None:
    text = cogames("--help").out
    for panel, names in PANELS.items():
        section = text.partition(f"\n{panel}:\n")[2].partition("\n\n")[0]
        assert [line.split()[0] for line in section.splitlines()] == names
    assert "--install-completion" in text and "--show-completion" in text


@pytest.mark.parametrize("entry", [e for e in ENTRIES if e.summary], ids=lambda e: e.target)
def test_the_line_in_the_list_is_the_first_line_of_the_help(entry: Any) -> None:
    module, _, name = entry.target.partition(":")
    loaded = getattr(importlib.import_module(module), name)
    if callable(loaded):
        assert (loaded.__doc__ or "").splitlines()[0] == entry.summary


@pytest.mark.parametrize("words", [group.split() for group in GROUPS], ids=[f"cogames {group}" for group in GROUPS])
def test_a_group_without_arguments_shows_help_and_is_wrong_usage(cogames: Any, words: list[str]) -> None:
    ran = cogames(*words)
    assert (ran.code, ran.out) == (2, "")
    assert ran.err.startswith("Usage: cogames")


def test_an_unknown_command_is_met_with_close_ones(cogames: Any) -> None:
    ran = cogames("plya")
    assert (ran.code, ran.out) == (2, "")
    assert ran.error == "Error: No such command 'plya'. Did you mean 'play', 'upload', 'replay'?"
    assert cogames("xyzzy").error == "Error: No such command 'xyzzy'."


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["run", "--nonsense"], "No such option: --nonsense"),
        (["run", "-m", "arena", "-p", "noop", "-e", "0"], "Invalid value for '--episodes' / '-e'"),
        (["run", "-m", "arena", "-p", "noop", "--seed", "-1"], "Invalid value for '--seed'"),
        (["run", "-m", "arena", "-p", "noop", "--format", "xml"], "Invalid value for '--format'"),
        (["pickup", "-c", "0", "-p", "noop", "--pool", "noop"], "Invalid value for '--cogs' / '-c'"),
        (["play", "-m", "arena", "-r", "hologram"], "Invalid value for '--render' / '-r'"),
        (["play", "-m", "arena", "-s", "soon"], "Invalid value for '--steps' / '-s'"),
        (["play", "-m", "arena", "--action-timeout-ms", "0"], "Invalid value for '--action-timeout-ms'"),
        (["create-bundle"], "Missing option '--policy' / '-p'."),
        (["create-bundle", "-p", "noop", "-k", "x"], "Invalid value for --init-kwarg / -k: 'x' is not KEY=VAL"),
        (["validate-bundle"], "Missing option '--policy' / '-p'."),
        (["diagnose"], "Missing argument 'POLICY'"),
        (["diagnose", "noop", "--stability-reruns", "-1"], "Invalid value for '--stability-reruns'"),
        (["replay"], "Missing argument 'FILE'"),
        (["version", "now"], "Got unexpected extra argument"),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, list) else "",
)  # fmt: skip
def test_wrong_usage_is_one_line_and_exit_code_2(cogames: Any, words: list[str], message: str) -> None:
    ran = cogames(*words)
    assert (ran.code, ran.out) == (2, "")
    assert message in ran.error
    assert ran.hints == [f"see `cogames {words[0]} --help`"]


def test_help_imports_neither_the_engine_nor_its_dependencies() -> None:
    program = "import sys, cogames.main\nsys.argv = ['cogames', '--help']\n"
    program += "try: cogames.main.main()\nfinally: print(*sys.modules)"
    ran = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    heavy = {"numpy", "pydantic", "yaml", "rich", "torch", "mettagrid", "cogsguard"}
    assert "Usage: cogames" in ran.stdout
    assert not heavy & set(ran.stdout.split())


def test_the_program_can_be_called_in_two_ways() -> None:
    executable = Path(sys.executable).with_name("cogames")
    for command in ([str(executable)], [sys.executable, "-m", "cogames"]):
        ran = subprocess.run([*command, "version"], capture_output=True, text=True, check=True)
        assert [line.split()[0] for line in ran.stdout.splitlines()] == ["mettagrid", "cogames"]
        assert ran.stderr == ""


def test_versions_stand_under_each_other(cogames: Any) -> None:
    lines = cogames("version").out.splitlines()
    assert len({len(line) for line in lines}) == 1
    assert lines[1].startswith("  cogames  ")


def test_shells_can_complete_commands_and_options() -> None:
    def complete(words: str, place: int) -> list[str]:
        asked = {"_COGAMES_COMPLETE": "complete_bash", "COMP_WORDS": words, "COMP_CWORD": str(place)}
        ran = subprocess.run(
            [sys.executable, "-c", "from cogames.main import main; main()"],
            env={**os.environ, **asked},
            capture_output=True,
            text=True,
        )
        return ran.stdout.split()

    assert complete("cogames pl", 1) == ["play"]
    assert complete("cogames play --ren", 2) == ["--render"]
    assert complete("cogames play --render u", 3) == ["unicode"]


def test_a_mistake_of_ours_shows_where_only_when_asked(cogames: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(*arguments: object) -> None:
        raise RuntimeError("the moon is in the wrong place")

    monkeypatch.setattr("cogames.docs.read_document", broken)
    ran = cogames("docs", "mission")
    assert (ran.code, ran.error) == (1, "Error: RuntimeError: the moon is in the wrong place")
    assert ran.hints == ["run it again with --debug to see where this happened"]
    from typer.testing import CliRunner

    from cogames.main import app

    for words in (["--debug", "docs", "mission"], ["docs", "mission", "--debug"]):
        shown = CliRunner().invoke(app, words)
        assert shown.exit_code == 1
        assert "Traceback" in shown.stderr and shown.stderr.endswith("RuntimeError: the moon is in the wrong place\n")


def test_a_reader_may_go_away() -> None:
    program = f"{sys.executable} -m cogames docs mission | head -1"
    ran = subprocess.run(["bash", "-c", program], capture_output=True, text=True)
    assert (ran.stdout, ran.stderr) == ("# Mission briefing: Cogs vs Clips\n", "")


def test_colour_is_for_terminals(monkeypatch: pytest.MonkeyPatch) -> None:
    class Terminal(io.StringIO):
        def isatty(self) -> bool:
            return True

    monkeypatch.delenv("NO_COLOR", raising=False)
    assert styled("text", "red", Terminal()) == "\x1b[31mtext\x1b[0m"
    assert styled("text", "red", io.StringIO()) == "text"
    monkeypatch.setenv("NO_COLOR", "1")
    assert styled("text", "red", Terminal()) == "text"


def test_tables_align_text_left_and_numbers_right() -> None:
    assert table(["Name", "Score"], [("é", 1.5), ("漢字", 12)], right=[1]).splitlines() == [
        "Name  Score",
        "----  -----",
        "é       1.5",
        "漢字     12",
    ]


@pytest.mark.parametrize("closed", [">&-", "2>&-", "<&- >&- 2>&-"])
def test_a_closed_stream_is_not_an_error(closed: str) -> None:
    words = "play -m arena -c 1 -p noop -s 1 -r log"
    command = f'exec "$0" -c "from cogames.main import main; main()" {words} {closed}'
    ran = subprocess.run(["bash", "-c", command, sys.executable], capture_output=True, text=True)
    assert ran.returncode == 0, ran.stderr
    assert "Error" not in ran.stderr
    assert ("Steps: 1" in ran.stdout) == (closed == "2>&-")
