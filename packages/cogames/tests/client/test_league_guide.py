"""The commands of the guide for authors, in order, against a server."""

import shlex
from collections.abc import Callable
from pathlib import Path

import pytest

from packages.cogames.tests.cli.test_docs_examples import console_examples
from tests.league import running_league

GUIDE = Path(__file__).resolve().parents[4] / "docs" / "guides" / "league.md"


def test_commands_of_the_guide_work(cogames: Callable, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with running_league(tmp_path / "league") as league:
        monkeypatch.setenv("COGAMES_API_URL", league.url)
        cogames("auth", "set-token", league.names["token"])
        for words, shown in console_examples(GUIDE.read_text()):
            ran = cogames(*words)
            assert ran.code == 0, f"cogames {shlex.join(words)}\n{ran.err}"
            printed = iter((ran.out + ran.err).splitlines())
            for line in shown:
                begin = line.removesuffix("...").rstrip()
                assert any(one.startswith(begin) for one in printed), f"cogames {shlex.join(words)}: {line}\n{ran.out}"
