"""Seasons as operators make and change them: over the calls that commands and pages make."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import yaml
from fastapi.testclient import TestClient

from observatory.errors import Unprocessable
from observatory.seasons.sources import PRESETS, parse_preset, preset_text, read_preset
from packages.observatory.tests.world import World
from tests.warm import WarmProgram

SEASONS = "/observatory/api/admin/seasons"
MINE = """
# Kept as it was written.
name: mine
display_name: Mine
summary: My own season
tournament_type: freeplay
compat_version: "0.26"
freeplay:
  game: { mission: tutorial, num_agents: 2, max_steps: 50 }
  splits: [[1, 1]]
"""
TEAM = """
name: together
display_name: Together
summary: Teams
tournament_type: team
team:
  game: { mission: tutorial, num_agents: 2 }
  stages:
    - { kind: policy_eval, policies_per_team: 1, matches_per_combo: 1 }
    - { kind: sample_teams, team_size: 2, num_teams: 2 }
    - { kind: team_eval, matches_per_team: 1, cull_fraction: 0.5 }
    - { kind: score_policies, top_k: 1 }
"""


@pytest.fixture
def call(client: TestClient, admin: Any) -> Callable[..., Any]:
    """A call of an administrator; the document, or the sentence of a refusal with its status."""

    def send(method: str, path: str, body: Any = None) -> Any:
        answer = client.request(method, SEASONS + path, json=body, headers=admin.headers)
        return answer.json() if answer.is_success else (answer.status_code, answer.json()["detail"])

    return send


def test_a_season_is_created_from_yaml_and_returned_as_written(call: Any, client: TestClient) -> None:
    created = call("POST", "", {"yaml": MINE})
    assert (created["name"], created["version"], created["change"]) == ("mine", 1, "created")
    assert call("GET", "/mine/yaml") == {"name": "mine", "version": 1, "yaml": MINE}
    config = client.get("/tournament/seasons/mine/pools/qualifying/config").json()["config"]
    assert (config["game"]["num_agents"], config["game"]["max_steps"]) == (2, 50)
    assert call("POST", "", {"yaml": MINE})[0] == 409


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        (("splits", "splitz"), "freeplay.splitz: there is no such field; did you mean `splits`?"),
        (("[[1, 1]]", "[[1, 2]]"), "freeplay: the split (1, 2) does not divide 2 agents between two policies"),
        (
            ("num_agents: 2", "num_agents: 0"),
            "freeplay.game.num_agents: input should be greater than or equal to 1, not 0",
        ),
        (
            ("mission: tutorial", "mission: tutorail"),
            "game.mission: Mission 'tutorail' not found. Did you mean 'tutorial'",
        ),
        (("mission: tutorial", "mission: /tmp/x.py"), "game.mission: a season plays a mission by its name"),
        (("name: mine", "name: Mine!"), "name: string should match pattern"),
        (("summary: My own season", ""), "summary: this field is missing"),
        (("tournament_type: freeplay", "tournament_type: team"), "a freeplay season has the part `freeplay`"),
        (("name: mine", "name: [mine"), "is not valid YAML: line "),
    ],
)
def test_a_mistake_is_reported_with_its_place_and_the_next_step(
    call: Any, change: tuple[str, str], sentence: str
) -> None:
    text = MINE.replace(*change, 1)
    status, message = call("POST", "", {"yaml": text})
    assert status == 422 and sentence in message
    checked = call("POST", "/check", {"yaml": text})
    assert checked["good"] is False and sentence in checked["sentence"]


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        (("name: mine", "name: mine\nname: other"), "is not valid YAML: line 4, column 1: duplicate key `name`"),
        (("name: mine", "x: &x [*x, *x]\nname: mine"), "is not valid YAML: it holds more than 20000 values"),
        (("num_agents: 2", f"num_agents: {10**30}"), "freeplay.game.num_agents: input should be less than"),
        (("splits", "repetitions: 1000000\n  splits"), "freeplay.repetitions: input should be less than"),
        (("splits", "qualifying_threshold: .nan\n  splits"), "qualifying_threshold: input should be a finite number"),
        (("summary: My own season", 'summary: "a\\0b"'), "summary: control characters cannot be shown"),
        (("display_name: Mine", 'display_name: " "'), "display_name: must be one line"),
    ],
)
def test_values_that_cannot_be_stored_shown_or_played_are_refused(change: tuple[str, str], sentence: str) -> None:
    with pytest.raises(Unprocessable) as refused:
        parse_preset(MINE.replace(*change, 1))
    assert sentence in refused.value.message


def test_texts_change_in_place_and_changed_rules_create_a_new_version(call: Any, client: TestClient) -> None:
    call("POST", "", {"yaml": MINE})
    texts = MINE.replace("My own season", "Another text")
    assert call("POST", "/check", {"yaml": texts})["change"] == "edit"
    assert call("PUT", "/mine/yaml", {"yaml": texts})["change"] == "edited"
    assert client.get("/tournament/seasons/mine").json()["summary"] == "Another text"
    rolling = texts.replace("  splits", "  rolling: { after_minutes: 5 }\n  splits")
    assert call("PUT", "/mine/yaml", {"yaml": rolling})["version"] == 1
    assert call("PUT", "/mine/yaml", {"yaml": rolling})["change"] == "unchanged"
    longer = rolling.replace("max_steps: 50", "max_steps: 60")
    assert call("POST", "/check", {"yaml": longer})["change"] == "new_version"
    changed = call("PUT", "/mine/yaml", {"yaml": longer})
    assert (changed["version"], changed["change"]) == (2, "new_version")
    versions = client.get("/tournament/seasons/mine/versions").json()
    assert [(row["version"], row["canonical"]) for row in versions] == [(2, True), (1, False)]
    assert client.get("/tournament/seasons/mine:v1").json()["status"] == "complete"
    assert call("PUT", "/mine:v1/yaml", {"yaml": longer})[0] == 409
    assert call("PUT", "/mine/yaml", {"yaml": longer.replace("name: mine", "name: other")})[0] == 422


def test_rolling_creates_new_pools_and_a_new_seed_and_reveals_the_old_one(
    call: Any, client: TestClient, world: World, ada: Any, admin: Any
) -> None:
    call("POST", "", {"yaml": MINE})
    version = world.version(ada)
    submit = {"policy_version_id": str(version)}
    assert client.post("/tournament/seasons/mine/submissions", json=submit, headers=ada.headers).status_code == 200
    waiting = world.match("mine", "qualifying", [(version, 4)])
    assert client.get("/tournament/seasons/mine").json()["seed"] is None
    rolled = call("POST", "/mine/roll")
    assert (rolled["version"], rolled["change"]) == (2, "new_version")
    old, new = (client.get(f"/tournament/seasons/mine{suffix}").json() for suffix in (":v1", ""))
    assert old["seed"].isdigit() and new["seed"] is None and old["seed"] != str(seed_of(world, "mine"))
    assert (new["entrant_count"], new["match_count"], old["entrant_count"]) == (0, 0, 1)
    # Matches that had not started are not played.
    match = client.get(f"/tournament/matches/{waiting}").json()
    assert match["status"] == "failed" and "ended before" in match["error"]
    assert client.get("/observatory/api/admin/failures", headers=admin.headers).json() == []  # nothing to mend
    # The same version enters the new one.
    assert client.post("/tournament/seasons/mine/submissions", json=submit, headers=ada.headers).status_code == 200


def seed_of(world: World, name: str) -> int:
    from sqlalchemy import select

    from observatory.database.tables.seasons import Season

    with world.database.read() as session:
        return session.scalars(select(Season.seed).where(Season.name == name, Season.canonical)).one()


def test_a_season_can_keep_the_last_version_of_each_policy(
    call: Any, client: TestClient, world: World, ada: Any
) -> None:
    call("POST", "", {"yaml": TEAM.replace("  stages", "  rolling: { keep_entrants: true, start: true }\n  stages")})
    assert client.get("/tournament/seasons/together").json()["status"] == "in_progress"
    older, newer = world.version(ada), world.version(ada)
    world.enter("together", "stage-1", [older, newer])
    call("POST", "/together/roll")
    entered = client.get("/tournament/seasons/together/policies").json()
    assert [row["policy"]["id"] for row in entered] == [str(newer)]


def test_a_closed_season_can_be_reopened_and_an_ended_one_cannot(
    call: Any, client: TestClient, world: World, ada: Any
) -> None:
    call("POST", "", {"yaml": MINE})
    body = {"policy_version_id": str(world.version(ada))}
    assert call("POST", "/mine/close")["change"] == "closed"
    assert client.post("/tournament/seasons/mine/submissions", json=body, headers=ada.headers).status_code == 409
    assert client.get("/tournament/seasons/mine").json()["seed"] is None
    assert call("POST", "/mine/close")[0] == 409
    assert call("POST", "/mine/open")["change"] == "opened"
    assert client.post("/tournament/seasons/mine/submissions", json=body, headers=ada.headers).status_code == 200
    assert call("POST", "/mine/close", {"final": True})["change"] == "closed"
    assert client.get("/tournament/seasons/mine").json()["seed"] is not None
    status, sentence = call("POST", "/mine/open")
    assert status == 409 and "roll it" in sentence


def test_a_team_season_is_started_once(call: Any) -> None:
    call("POST", "", {"yaml": TEAM})
    assert call("POST", "/together/start")["change"] == "started"
    assert call("POST", "/together/start")[0] == 409


def test_a_bundle_built_for_another_version_of_the_game_is_refused(
    call: Any, client: TestClient, world: World, ada: Any
) -> None:
    from observatory.database.tables.policies import PolicyVersion

    call("POST", "", {"yaml": MINE})
    for built_for, status in (("0.26.22", 200), ("0.25", 400), (None, 200)):
        version = world.version(ada)
        with world.database.transaction() as session:
            row = session.get_one(PolicyVersion, version)
            row.spec = {**row.spec, "compat_version": built_for}
        body = {"policy_version_id": str(version)}
        answer = client.post("/tournament/seasons/mine/submissions", json=body, headers=ada.headers)
        assert answer.status_code == status, answer.text
        if status == 400:
            assert "plays version 0.26 and this bundle was built for 0.25" in answer.json()["detail"]


def test_a_season_edited_to_private_is_hidden_from_other_users(call: Any, client: TestClient, ada: Any) -> None:
    call("POST", "", {"yaml": MINE})
    call("PUT", "/mine/yaml", {"yaml": MINE + "public: false\n"})
    for headers in ({}, ada.headers):
        assert client.get("/tournament/seasons/mine", headers=headers).status_code == 404
    assert [row["public"] for row in call("GET", "")] == [False]


def test_one_season_of_each_type_is_the_default(call: Any, client: TestClient) -> None:
    call("POST", "", {"yaml": MINE + "is_default: true\n"})
    call("POST", "", {"yaml": MINE.replace("name: mine", "name: other") + "is_default: true\n"})
    assert {row["name"]: row["is_default"] for row in call("GET", "")} == {"mine": False, "other": True}
    call("PUT", "/mine/yaml", {"yaml": MINE + "is_default: true\n"})
    assert {row["name"]: row["is_default"] for row in call("GET", "")} == {"mine": True, "other": False}
    call("POST", "/mine/roll")
    assert [row["name"] for row in client.get("/tournament/seasons").json() if row["is_default"]] == ["mine"]


@pytest.mark.parametrize("path", sorted(PRESETS.glob("*.yaml")), ids=lambda path: path.stem)
def test_a_preset_round_trips_through_generated_yaml(path: Path) -> None:
    preset = read_preset(path)
    assert parse_preset(preset_text(preset)) == preset
    assert len(preset_text(preset)) < 2 * len(yaml.safe_dump(yaml.safe_load(path.read_text())))


def test_a_failed_match_is_replayed_with_the_same_settings(
    client: TestClient, world: World, ada: Any, admin: Any
) -> None:
    world.season()
    version = world.version(ada)
    match = world.match("open", "competition", [(version, 4)])
    again = f"/observatory/api/admin/matches/{match}/again"
    assert client.post(again, headers=admin.headers).status_code == 409
    world.fail(match, "the machine was switched off", "crash")
    failures = client.get("/observatory/api/admin/failures", headers=admin.headers).json()
    assert [(row["match_id"], row["error_type"]) for row in failures] == [(str(match), "crash")]
    rematch = client.post(again, headers=admin.headers).json()["match_id"]
    assert client.get(f"/tournament/matches/{rematch}").json()["status"] == "pending"
    assert client.post(again, headers=admin.headers).status_code == 409
    jobs = client.get("/observatory/api/admin/jobs", headers=admin.headers).json()
    assert {row["match_id"] for row in jobs} == {str(match), rematch}
    # The worker gave no reason; the owner still reads one.
    info = client.get(f"/tournament/matches/{match}/{version}/artifacts/error-info", headers=ada.headers)
    assert info.json()["message"] == "the machine was switched off"
    missing = client.get(f"/tournament/matches/{rematch}/{version}/artifacts/error-info", headers=ada.headers)
    assert missing.status_code == 404


@pytest.mark.parametrize("database_kind", ["sqlite", "postgresql"], indirect=True, scope="session")
def test_recompute_ignores_results_after_closing_and_reports_unexplained_members(
    client: TestClient, call: Any, world: World, admin: Any, ada: Any
) -> None:
    def findings() -> list[str]:
        body = {"season": "open", "check": True}
        report = client.post("/observatory/api/admin/recompute", json=body, headers=admin.headers).json()
        return [finding["sentence"] for finding in report["findings"] if finding["kind"] != "file"]

    season, version, other = world.season(), world.version(ada), world.version(ada, "other")
    running = [world.match(season, "qualifying", [(version, 4)], repetition=number) for number in range(2)]
    assert call("POST", "/open/close", {"final": False})["change"] == "closed"
    for match in running:
        world.play(match, [1.0] * 4)  # started before the end; its result is ignored
    assert findings() == []
    world.enter(season, "competition", [other])
    assert findings() == [f"{other} is in competition, and the results say that it is not"]


def test_the_commands_work_with_an_editor_and_with_files(tmp_path: Path, observatory_program: WarmProgram) -> None:
    file = tmp_path / "mine.yaml"
    file.write_text(MINE)
    variables = {
        "OBSERVATORY_DATA_DIR": str(tmp_path / "data"),
        "OBSERVATORY_SEED_SEASONS": "false",
        "EDITOR": "sed -i s/Mine/Ours/",
    }

    def run(*words: str) -> subprocess.CompletedProcess[str]:
        return observatory_program.run("admin", "season", *words, env=os.environ | variables)

    assert run("create", str(file)).stdout.strip() == "Made mine, version 1"
    assert run("edit", "mine").stdout.strip() == "Changed mine, version 1"
    exported = run("export", "mine").stdout
    assert "display_name: Ours" in exported and "# Kept as it was written." in exported
    file.write_text(MINE.replace("splits", "splitz"))
    broken = run("edit", "mine", str(file))
    assert broken.returncode == 1 and "did you mean `splits`?" in broken.stderr and "Traceback" not in broken.stderr
