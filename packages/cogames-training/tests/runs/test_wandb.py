"""Weights & Biases: when it logs, what it is given, and that its failures do not stop a run."""

import sys
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from cogames_training.reports.wandb import WandbLogger, wandb_mode


@pytest.fixture(autouse=True)
def clean(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    for name in ("WANDB_API_KEY", "WANDB_MODE", "WANDB_DISABLED", "WANDB_BASE_URL", "WANDB_PROJECT"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("NETRC", str(tmp_path / "netrc"))


class FakeRun:
    """The part of a run that the logger uses."""

    url = "https://example.org/run"

    def __init__(self, fails: bool = False) -> None:
        self.fails = fails
        self.logged: list[tuple[dict[str, Any], int]] = []
        self.exit_code: int | None = None

    def log(self, values: dict[str, Any], step: int) -> None:
        if self.fails:
            raise ConnectionError("the service is gone\nand more")
        self.logged.append((values, step))

    def finish(self, exit_code: int) -> None:
        self.exit_code = exit_code


def install(monkeypatch: pytest.MonkeyPatch, run: FakeRun | Exception) -> dict[str, Any]:
    """Install a fake `wandb`; return the arguments that `init` receives."""
    given: dict[str, Any] = {}

    def init(**arguments: Any) -> FakeRun:
        given.update(arguments)
        if isinstance(run, Exception):
            raise run
        return run

    monkeypatch.setitem(sys.modules, "wandb", SimpleNamespace(init=init))
    return given


def netrc(tmp_path: Path, host: str) -> None:
    (tmp_path / "netrc").write_text(f"machine {host} login user password secret\ndefault login a password b\n")
    (tmp_path / "netrc").chmod(0o600)


def test_it_is_off_unless_the_user_has_set_it_up(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert wandb_mode() is None
    netrc(tmp_path, "example.org")
    assert wandb_mode() is None
    install(monkeypatch, FakeRun())
    assert WandbLogger.start(name="a", folder=tmp_path, config={}, tell=pytest.fail) is None


def test_a_key_or_a_login_turns_it_on(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    netrc(tmp_path, "api.wandb.ai")
    assert wandb_mode() == "online"
    monkeypatch.setenv("WANDB_BASE_URL", "https://wandb.mine.example")
    assert wandb_mode() is None
    monkeypatch.setenv("WANDB_API_KEY", "secret")
    assert wandb_mode() == "online"
    monkeypatch.setenv("WANDB_MODE", "offline")
    assert wandb_mode() == "offline"
    monkeypatch.setenv("WANDB_MODE", "disabled")
    assert wandb_mode() is None


def test_it_logs_the_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    run = FakeRun()
    given = install(monkeypatch, run)
    monkeypatch.setenv("WANDB_MODE", "offline")
    logger = WandbLogger.start(name="my_run", folder=tmp_path, config={"seed": 1}, tell=pytest.fail)
    assert logger is not None and logger.url == run.url
    assert (given["id"], given["mode"], given["resume"], given["project"]) == ("my_run", "offline", "allow", "cogames")
    logger.log({"SPS": 1.0}, step=10)
    logger.finish(1)
    logger.log({"SPS": 2.0}, step=20)  # after the end: ignored
    assert run.logged == [({"SPS": 1.0}, 10)] and run.exit_code == 1


def test_a_failure_is_one_warning(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    warnings: list[str] = []
    monkeypatch.setenv("WANDB_API_KEY", "secret")
    install(monkeypatch, RuntimeError("no network"))
    assert WandbLogger.start(name="a", folder=tmp_path, config={}, tell=warnings.append) is None
    install(monkeypatch, FakeRun(fails=True))
    logger = WandbLogger.start(name="a", folder=tmp_path, config={}, tell=warnings.append)
    assert logger is not None
    for step in range(3):
        logger.log({}, step=step)
    logger.finish()
    monkeypatch.setitem(sys.modules, "wandb", None)
    assert WandbLogger.start(name="a", folder=tmp_path, config={}, tell=warnings.append) is None
    assert warnings == [
        "Weights & Biases does not work and is left out: RuntimeError: no network",
        "Weights & Biases failed and is left out from now on: ConnectionError: the service is gone",
        "Weights & Biases is set up but not installed: pip install wandb",
    ]
