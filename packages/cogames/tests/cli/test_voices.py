"""The output of `run` and `scrimmage` for policies that print or end in every way, without paths of this machine."""

import functools
import os
import sys
import sysconfig
from pathlib import Path
from typing import Any

import pytest

from mettagrid.runner.boxed.policy import BoxPolicyOptions
from packages.mettagrid.tests.runner.boxed.hostile.corpus import VOICES


@pytest.fixture
def small(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let boxes end where tests can afford it."""
    options = functools.partial(BoxPolicyOptions, memory=400 << 20)
    monkeypatch.setattr("mettagrid.runner.boxed.BoxPolicyOptions", options)


def check_hidden(shown: str, tmp_path: Path) -> None:
    folders = [sys.prefix, sys.base_prefix, sysconfig.get_paths()["stdlib"], str(Path.home()), str(tmp_path)]
    hidden = [*folders, str(Path(__file__).parents[4]), os.uname().nodename, "/var/lib/cogbox"]
    assert [text for text in hidden if text in shown] == []


@pytest.mark.slow
def test_run_shows_the_output_and_the_end_of_every_policy(cogames: Any, tmp_path: Path, small: None) -> None:
    words: list[str] = []
    for name, case in VOICES.items():
        words += ["-p", str(case.write(tmp_path / f"{name}.zip").relative_to(tmp_path))]
    run = ["run", "-m", "arena", "-c", str(len(VOICES)), "-e", "1", "-s", "1", "--workers", "1", "--isolate"]
    ran = cogames(*run, *words, "--action-timeout-ms", "8000")
    assert ran.code == 1
    for name, case in VOICES.items():
        assert case.log.splitlines()[0] in ran.err, name
        if case.status != "ok" and name != "hangs":
            assert case.message in ran.err, name
    # Those that failed, in the table, and the one that missed its deadline; and where in their code.
    rows = [line.split()[-2:] for line in ran.out.splitlines() if line.startswith("arena ")]
    wanted = [["1" if name == "hangs" else "0"] for name in VOICES]
    assert [row[1:] for row in rows[: len(VOICES)]] == wanted, ran.out
    ended = [row[0] for row in rows[: len(VOICES)]]
    assert [row for row in ended if row in ("killed", "crashed")] == ["killed", "killed", "crashed"], ran.out
    for last in ("Segmentation fault", "ValueError: no idea None"):
        assert last in ran.err
    assert ran.err.count('my_policy.py", line') >= 3
    check_hidden(ran.out + ran.err, tmp_path)


@pytest.mark.slow
@pytest.mark.parametrize("name", ["native", "thread"])
def test_scrimmage_shows_them_too(cogames: Any, tmp_path: Path, name: str) -> None:
    case = VOICES[name]
    bundle = case.write(tmp_path / "mine.zip").name
    ran = cogames("scrimmage", "-m", "arena", "-e", "1", "-s", "3", "-p", bundle, "--isolate")
    assert ran.code == (0 if case.status == "ok" else 1)
    assert case.log.splitlines()[0] in ran.err and case.message in ran.err
    assert ("killed" in ran.out) is (case.status == "killed")
    check_hidden(ran.out + ran.err, tmp_path)
