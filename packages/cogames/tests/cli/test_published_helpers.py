"""`cogames.cli.base`, `cogames.cli.policy` and `cogames.cli.utils`: what commands of others are made with."""

import json
import logging
import warnings
from pathlib import Path

import httpx
import pytest
import typer
from typer.testing import CliRunner

from cogames.cli import base, policy, utils
from cogames.client import NotAuthenticated
from mettagrid.cogame.variants import VariantRegistry
from mettagrid.policy.policy_spec import PolicySpec

REQUEST = httpx.Request("GET", "http://league.example.org/seasons/a")


def refused(status: int, detail: object = None) -> httpx.HTTPStatusError:
    response = httpx.Response(status, json={"detail": detail}, request=REQUEST)
    return httpx.HTTPStatusError("refused", request=REQUEST, response=response)


@pytest.mark.parametrize(
    ("error", "sentence"),
    [
        (refused(401), "Authentication failed (token expired or invalid)."),
        (refused(404), "Season 'a' not found"),
        (refused(409, "closed"), "Request failed: closed"),
        (refused(422, [{"loc": ["body"]}]), "Request failed: status 422"),
        (httpx.ConnectError("connection refused"), "Failed to reach server: connection refused"),
        (NotAuthenticated(), "Not authenticated."),
    ],
)
def test_server_errors_are_printed_and_end_the_command(
    error: Exception, sentence: str, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(typer.Exit) as end, base.cli_http_errors("Season 'a'"):
        raise error
    assert end.value.exit_code == 1
    assert capsys.readouterr().out.splitlines()[0] == sentence


def test_other_errors_pass_and_success_is_silent(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(KeyError), base.cli_http_errors("x"):
        raise KeyError
    with base.cli_http_errors("x"):
        base.emit_json({"status": "ok"})
    assert json.loads(capsys.readouterr().out) == {"status": "ok"}


@pytest.fixture
def command() -> typer.Typer:
    app = typer.Typer()

    @app.command()
    def one(ctx: typer.Context, text: str | None = None, device: str | None = None) -> None:
        spec = policy.get_policy_spec(ctx, text, device)
        assert type(spec) is PolicySpec
        print(spec.class_path, spec.init_kwargs)

    @app.command()
    def many(ctx: typer.Context, texts: list[str] | None = None) -> None:
        specs = policy.get_policy_specs_with_proportions(ctx, texts)
        print([(spec.name, spec.proportion) for spec in specs])

    return app


@pytest.mark.parametrize(
    ("words", "code", "text"),
    [
        (["one", "--text", "class=noop"], 0, "mettagrid.policy.noop.NoopPolicy {}"),
        (["one", "--text", "noop", "--device", "cpu"], 0, "{'device': 'cpu'}"),
        (["one"], 1, "Missing: --policy / -p"),
        (["one", "--text", "class=noop,colour=red"], 1, "Unsupported policy field 'colour'"),
        (["many", "--texts", "noop,proportion=2", "--texts", "random"], 0, "[('NoopPolicy', 2.0), ('Random"),
        (["many"], 1, "Supply at least one: --policy / -p"),
    ],
)
def test_commands_get_their_policies_or_exit(command: typer.Typer, words: list[str], code: int, text: str) -> None:
    result = CliRunner().invoke(command, words)
    assert (result.exit_code, text in result.output) == (code, True), result.output


def test_checkpoints_and_forms_are_printed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    policy.list_checkpoints()
    assert capsys.readouterr().out == ""
    bundle = tmp_path / policy.default_checkpoint_dir / "run:v5"
    bundle.mkdir(parents=True)
    (bundle / "policy_spec.json").write_text('{"class_path": "noop"}')
    policy.list_checkpoints()
    policy.describe_policy_arg(with_proportion=True)
    out = capsys.readouterr().out
    assert "run:v5" in out and "proportion=N" in out


def test_variants_by_name_are_those_of_the_registry() -> None:
    from packages.cogames.tests.cli.test_mission_names import ToyBase, ToyDark

    dark = ToyDark()
    registry = VariantRegistry([dark, ToyBase()])
    assert utils.parse_variants(registry, None) == []
    assert utils.parse_variants(registry, ["toy_dark"])[0] is dark
    with pytest.raises(ValueError, match="Unknown variant 'toy_dark,toy_base'"):
        utils.parse_variants(registry, ["toy_dark,toy_base"])


def test_noisy_libraries_are_made_quiet(monkeypatch: pytest.MonkeyPatch) -> None:
    logger = logging.getLogger("httpx")
    monkeypatch.setattr(logger, "level", logging.INFO)
    with warnings.catch_warnings():
        utils.suppress_noisy_logs()
        warnings.warn("old", DeprecationWarning, stacklevel=1)
    assert logger.level == logging.WARNING
