"""`observatory admin league`, as an operator runs it."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path
from typing import Any

import pytest

from packages.observatory.tests.leagues.field import Field
from tests.warm import WarmProgram


@pytest.mark.any_database
def test_an_operator_creates_lists_pauses_and_resumes_leagues(
    server: Any, field: Field, ada: Any, admin: Any, tmp_path: Path, observatory_program: WarmProgram
) -> None:
    field.coworld(ada)
    (tmp_path / "token").write_text(admin.token)
    where = ["admin", "--server", server.url, "--token-file", str(tmp_path / "token"), "league"]

    def run(*words: str) -> subprocess.CompletedProcess[str]:
        return observatory_program.run(*where, *words)

    created = run("create", "paint", "--name", "Arena", "--variant", "small", "--private", "--json")
    assert created.returncode == 0, created.stderr
    league = json.loads(created.stdout)["league_id"]
    for command, state in (("pause", "paused"), ("resume", "open")):
        assert run(command, "Arena").returncode == 0
        [row] = [line for line in run("list").stdout.splitlines() if league in line]
        assert row.split()[-2:] == ["private", state]
    refused = run("pause", "nothing")
    assert (refused.returncode, refused.stderr) == (1, "Error: There is no league 'nothing'\n")
    missing = run("create", "chess")
    assert missing.returncode == 1 and "There is no Coworld named 'chess'" in missing.stderr
