"""The page about leagues and the examples of `--help`, run as they are printed against a server."""

from __future__ import annotations

import json
import os
import shlex
import subprocess
from pathlib import Path

import pytest

from packages.coworld.tests.cli.conftest import coworld
from packages.coworld.tests.cli.test_examples import functions
from softmax.client.credentials import save_user_token
from tests.league import League
from tests.support import ROOT
from tests.test_coworld_docs import commands

VARIABLES = ("league", "division", "coworld", "request", "episode")


@pytest.fixture
def signed_in(league: League, monkeypatch: pytest.MonkeyPatch) -> dict[str, str]:
    monkeypatch.setenv("COGAMES_API_URL", league.url)
    save_user_token(f"{league.url}/api", league.names["token"])
    for name in VARIABLES:
        monkeypatch.setenv(name.upper(), league.names[name])
    return league.names


def test_every_command_of_the_page_about_leagues_works(signed_in: dict[str, str]) -> None:
    lines = commands(ROOT / "docs" / "coworld" / "leagues.md")
    assert len(lines) > 20
    for line in lines:
        if not line.startswith("coworld "):
            subprocess.run(["bash", "-c", line], check=True)
            continue
        said = coworld(*shlex.split(os.path.expandvars(line))[1:])
        assert said.code == 0, (line, said.err, said.out)


IDS = {
    "league_...": "league",
    "div_...": "division",
    "round_...": "round",
    "cow_...": "coworld",
    "xreq_...": "request",
    "ereq_...": "episode",
    "lseed_...": "seed",
    "ply_...": "player",
    "POLICY_VERSION": "version",
}
ELSEWHERE = {
    "champion": "test_flow",
    "hosted-game": "the server does not host games yet",
    "lobby": "test_lobbies",
    "images": "it shows an image that only an upload makes",
    "league": "test_flow and test_administration",
    "patch-commissioner": "it needs an image",
    "player": "test_administration",
    "replay-open": "it serves until Ctrl-C",
    "reproduce": "test_flow",
    "retire-membership": "test_flow",
    "retry-certification": "test_administration",
    "secret": "test_flow",
    "submit": "test_flow",
    "upload-coworld": "test_flow",
    "upload-policy": "test_flow",
    "visibility": "test_administration",
    "episode-annotations": "the players of this league write none",
}
CODES = {"coworld xp-request watch": 2, "coworld xp-request cancel": 1}
"""the request has a failed episode, and has ended"""


def test_every_example_of_a_command_that_reads_a_server_works(signed_in: dict[str, str]) -> None:
    from coworld.cli.server_json_output import SERVER_DOCUMENTS

    roster = [{"player": {"policy_ref": "mine"}}] * 2
    Path("request.json").write_text(json.dumps({"coworld_id": signed_in["coworld"], "roster": roster}))
    ran = 0
    for words, function in functions():
        if words[0] not in SERVER_DOCUMENTS or words[0] in ELSEWHERE:
            continue
        for example in function.__dict__["epilog"].splitlines():
            line = example
            for placeholder, name in IDS.items():
                line = line.replace(placeholder, signed_in[name])
            if " - " in line:  # it reads standard input
                continue
            said = coworld(*shlex.split(line)[1:])
            code = next((code for start, code in CODES.items() if line.startswith(start)), 0)
            assert said.code == code, (line, said.err, said.out)
            ran += 1
    assert ran > 40
