"""The commands of the guide for authors, in order, against a server; then its example of publishing from Python."""

import re
import shlex
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from cogames.client import TournamentServerClient
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
        program: dict[str, Any] = {}
        blocks = re.findall(r"^```python\n(.*?)^```", GUIDE.read_text(), flags=re.S | re.M)
        exec(compile(next(block for block in blocks if "publish(" in block), str(GUIDE), "exec"), program)
        client = TournamentServerClient.from_login()
        assert client is not None
        with client:
            assert program["release"](client, "open") == "my-policy:v3"
            version = client.lookup_policy_version("my-policy")
            assert version is not None and version.version == 3
            assert client.get_my_memberships()[str(version.id)] == ["open"]
