"""`observatory admin league`, as an operator runs it."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path
from typing import Any

import pytest

from observatory.database.tables.leagues import LadderRating
from packages.observatory.tests.leagues.field import Field, raw
from packages.observatory.tests.requests.conftest import Arena
from packages.observatory.tests.rounds.conftest import Yard
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


SEED = """
coworld_name: paint
league_key: cup
league_name: {name}
divisions:
  - {{ name: Gold, level: 2, rules: {{ minimum_rating: 1490 }} }}
  - {{ name: Silver, level: 1, rules: {{ maximum_rating: 1510 }} }}
settings:
  round_interval_minutes: 5
  ladder: {{ enabled: true, ranking: {{ algorithm: elo, k_factor: 24 }} }}
"""


@pytest.mark.any_database
def test_an_operator_seeds_a_league_by_a_file(
    server: Any, field: Field, ada: Any, admin: Any, tmp_path: Path, observatory_program: WarmProgram
) -> None:
    field.coworld(ada)
    (tmp_path / "token").write_text(admin.token)
    (tmp_path / "cup.yaml").write_text(SEED.format(name="Cup"))
    where = ["admin", "--server", server.url, "--token-file", str(tmp_path / "token"), "league"]

    def seed(name: str) -> subprocess.CompletedProcess[str]:
        return observatory_program.run(*where, "seed", str(tmp_path / name))

    def read(path: str) -> Any:
        return field.client.get(path, headers=ada.headers).json()

    created = seed("cup.yaml")
    assert created.returncode == 0, created.stderr
    name, league = created.stdout.strip().split(": ")
    assert name == "Cup"
    assert [row["name"] for row in read(f"/v2/divisions?league_id={league}")] == ["Gold", "Silver"]
    settings = read(f"/v2/leagues/{league}/settings")
    ids = {row["id"]: row["name"] for row in read(f"/v2/divisions?league_id={league}")}
    rules = {ids[row["division_id"]]: row for row in settings["effective_ladder_config"]["divisions"]}
    assert (rules["Gold"]["minimum_rating"], rules["Silver"]["maximum_rating"]) == (1490, 1510)
    assert settings["effective_ladder_config"]["ranking"]["k_factor"] == 24
    assert seed("cup.yaml").stdout == created.stdout
    assert read(f"/v2/leagues/{league}/settings") == settings  # the same file changes nothing
    (tmp_path / "cup.yaml").write_text(SEED.format(name="Great cup"))
    assert seed("cup.yaml").stdout == f"Great cup: {league}\n"
    (tmp_path / "bad.yaml").write_text(SEED.format(name="Bad").replace("level: 2", "level: two"))
    (tmp_path / "list.yaml").write_text("- 1")
    assert "level" in seed("bad.yaml").stderr
    assert "must be an object with `coworld_name`" in seed("list.yaml").stderr
    assert "cannot be read" in seed("missing.yaml").stderr
    assert read(f"/v2/leagues/{league}")["name"] == "Great cup"


@pytest.mark.any_database
def test_an_operator_triggers_cancels_and_recomputes(
    field: Field,
    server: Any,
    account: Any,
    admin: Any,
    clock: Any,
    tmp_path: Path,
    observatory_program: WarmProgram,
) -> None:
    worker = field.client.post("/admin/tokens", json={"name": "worker"}, headers=admin.headers).json()["token"]
    arena = Arena(field.world, field.client)
    yard = Yard(field.world, field.client, arena, account("owner"), worker, account)
    yard.start(round_interval_minutes=5)
    yard.enter("ada", "bob")
    (tmp_path / "token").write_text(admin.token)
    where = ["admin", "--server", server.url, "--token-file", str(tmp_path / "token"), "league"]

    def run(*words: str, code: int = 0) -> subprocess.CompletedProcess[str]:
        done = observatory_program.run(*where, *words)
        assert done.returncode == code, done.stderr
        return done

    yard.round()
    clock.advance(1)
    assert run("trigger", "Main").stdout == "The next round of Main starts now\n"
    yard.check()
    round_id = yard.rounds()[0]["id"]
    assert run("cancel-round", round_id, "--reason", "wrong map").stdout == "Cancelled round 2 of Competition\n"
    assert yard.rounds()[0]["error"] == "wrong map"
    assert "cancelled already" in run("cancel-round", round_id, code=1).stderr
    member = yard.member("ada")["id"]
    out = run("disqualify", member, "--reason", "it leaks memory").stdout
    assert out.endswith(" is disqualified in Main\n")
    assert run("restore", member, "--reason", "fixed").stdout == out.replace("disqualified", "competing")
    assert "not disqualified" in run("restore", member, "--reason", "fixed", code=1).stderr
    assert run("recompute", "Main").stdout == "Checked 1 rounds, 2 results and 2 players: no differences\n"
    with yard.world.database.transaction() as session:
        player = yard.member("ada")["player"]["id"]
        row = session.get_one(LadderRating, (raw(yard.league), player))
        row.standing = {**row.standing, "rating": 9000.0}
    wrong = run("recompute", "Main", code=1).stdout
    assert "rating is 9000.0, not 1516.0" in wrong and "1 differences" in wrong
    assert "corrected 1 ratings" in run("recompute", "Main", "--fix").stdout
    run("recompute", "Main")
