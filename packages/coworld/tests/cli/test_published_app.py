"""`coworld.cli:app` and the helpers for command lines around it."""

import pytest
import typer
from typer.testing import CliRunner

import coworld.cli
from coworld.cli import app
from coworld.cli_support import console, emit_json, observatory_web_url, validate_run_argv


def test_the_application_runs_through_typers_runner() -> None:
    assert isinstance(app, typer.Typer)
    shown = CliRunner().invoke(app, ["--help"])
    assert (shown.exit_code, "run-episode" in shown.stdout) == (0, True)
    assert CliRunner().invoke(app, ["no-such-command"]).exit_code == 2


def test_the_application_can_be_part_of_another_one() -> None:
    outer = typer.Typer()
    outer.add_typer(app, name="coworld")
    assert CliRunner().invoke(outer, ["coworld", "docs", "--help"]).exit_code == 0


@pytest.mark.parametrize("name", ["certify", "play", "replay", "run_episode", "scrimmage"])
def test_commands_are_functions_under_their_published_names(name: str) -> None:
    words = name.replace("_", "-")
    assert callable(getattr(coworld.cli, name))
    assert CliRunner().invoke(app, [words, "--help"]).exit_code == 0


def test_an_unknown_name_is_an_attribute_error() -> None:
    with pytest.raises(AttributeError, match="upload_coworld"):
        _ = coworld.cli.upload_coworld


def test_json_goes_to_stdout_indented(capsys: pytest.CaptureFixture[str]) -> None:
    emit_json({"b": 1, "a": [2]})
    assert capsys.readouterr().out == '{\n  "b": 1,\n  "a": [\n    2\n  ]\n}\n'
    with console.capture() as captured:
        console.print("[bold]hello[/bold]")
    assert "hello" in captured.get()


@pytest.mark.parametrize(
    ("server", "path", "page"),
    [
        ("https://league.example.org/api", "/observatory/foo", "https://league.example.org/observatory/foo"),
        ("http://localhost:3000/api/", "observatory/foo", "http://localhost:3000/observatory/foo"),
        ("https://league.example.org/api/observatory", "/a", "https://league.example.org/a"),
        ("http://localhost:8000", "/a", "http://localhost:8000/a"),
        ("https://league.example.org/api", "https://elsewhere.example.org/x", "https://elsewhere.example.org/x"),
    ],
)
def test_the_web_page_of_a_server(server: str, path: str, page: str) -> None:
    assert observatory_web_url(server, path) == page


def test_a_run_word_that_is_a_whole_command_is_refused() -> None:
    for words in (None, [], ["node", "server.js"], ["python", "-c", "print('a b')"], ["serve"]):
        validate_run_argv(words)
    with pytest.raises(typer.BadParameter, match=r"--run node --run server\.js --run config\.json"):
        validate_run_argv(["node server.js", "config.json"])
