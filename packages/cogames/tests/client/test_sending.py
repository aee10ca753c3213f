"""Uploading and submitting: what is sent, in which order, and what is refused before anything is sent."""

import io
import json
import zipfile
from collections.abc import Callable
from pathlib import Path

import pytest

import cogbox
from mettagrid.config.mettagrid_config import MettaGridConfig
from packages.cogames.tests.client.stub import (
    DETAIL,
    OLDER_VERSION,
    POLICY_VERSION,
    RUN_ROW,
    SEASON,
    SEASONS,
    TEAM_SEASON,
    UPLOAD,
    Stub,
)
from tests.support import missing

SEND = [
    "POST /stats/policies/submit/presigned-url",
    "PUT /uploads/1",
    "POST /stats/policies/submit/complete",
]
SUBMIT = f"POST /tournament/seasons/{SEASON}/submissions"
UPLOAD_STARTER = ["upload", "-n", "mine", "-p", "starter", "--skip-validation"]


@pytest.fixture
def sandbox(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COGBOX_LEVEL", "bubblewrap")
    try:
        cogbox.sandbox()
    except cogbox.LevelMissing as error:
        missing(f"no sandbox works here: {error}")


def small_game(agents: int = 2) -> dict:
    return MettaGridConfig.EmptyRoom(agents, width=5, height=5).model_dump(mode="json")


def test_upload_asks_for_the_season_then_who_then_sends_then_submits(cogames: Callable, server: Stub) -> None:
    ran = cogames(*UPLOAD_STARTER)
    assert ran.code == 0, ran.err
    assert server.lines == [
        "GET /tournament/seasons",
        f"GET /tournament/seasons/{SEASON}",
        "GET /whoami",
        *SEND,
        SUBMIT,
    ]
    presigned, put, complete, submit = server.log[3:]
    assert presigned.body == b""
    assert put.headers["content-type"] == "application/zip"
    assert int(put.headers["content-length"]) == len(put.body)
    assert not {"x-auth-token", "authorization"} & set(put.headers)
    assert put.query == {"signature": ["x"]}
    with zipfile.ZipFile(io.BytesIO(put.body)) as bundle:
        spec = json.loads(bundle.read("policy_spec.json"))
    assert spec["class_path"] == "cogames.policy.starter_agent.StarterPolicy"
    assert complete.json() == {"upload_id": UPLOAD, "name": "mine"}
    assert submit.json() == {"policy_version_id": POLICY_VERSION}
    assert "Upload complete: mine:v2\nAdded to pools: qualifying\n" in ran.out
    assert f"Observatory: {server.address}/observatory/home" in ran.out
    assert f"cogames submissions --season {SEASON} --policy mine" in ran.hints


def test_no_submit_asks_for_no_season(cogames: Callable, server: Stub) -> None:
    assert cogames(*UPLOAD_STARTER, "--no-submit").code == 0
    assert server.lines == ["GET /whoami", *SEND]


def test_ship_does_it_all(cogames: Callable, server: Stub) -> None:
    ran = cogames("ship", "-n", "mine", "-p", "starter", "--skip-validation", "--season", SEASON)
    assert "Shipped: mine:v2" in ran.out
    assert server.lines == [f"GET /tournament/seasons/{SEASON}", "GET /whoami", *SEND, SUBMIT]


def test_submit_looks_up_the_version_that_was_named(cogames: Callable, server: Stub) -> None:
    assert cogames("submit", "mine:v1", "--season", SEASON).code == 0
    assert server.lines == [
        f"GET /tournament/seasons/{SEASON}",
        "GET /whoami",
        "GET /stats/policy-versions",
        SUBMIT,
    ]
    assert server.log[2].query == {"mine": ["true"], "limit": ["100"], "name_exact": ["mine"], "version": ["1"]}
    assert server.log[3].json() == {"policy_version_id": OLDER_VERSION}
    server.log.clear()
    assert cogames("submit", "mine").code == 0
    assert server.lines[0] == "GET /tournament/seasons"
    assert server.log[-1].json() == {"policy_version_id": POLICY_VERSION}
    ran = cogames("submit", "absent")
    assert (ran.code, ran.error) == (1, "Error: Policy 'absent' not found.")


def test_only_the_current_version_of_a_season_takes_policies(cogames: Callable, server: Stub) -> None:
    assert cogames("submit", "mine", "--season", f"{SEASON}:v1").code == 0
    assert server.lines[0] == f"GET /tournament/seasons/{SEASON}:v1"
    assert server.lines[-1] == SUBMIT
    server.answer("GET", f"/tournament/seasons/{SEASON}:v1", {**SEASONS[0], **DETAIL, "canonical": False})
    for words in (["submit", "mine"], UPLOAD_STARTER):
        server.log.clear()
        ran = cogames(*words, "--season", f"{SEASON}:v1")
        assert (ran.code, "an earlier version" in ran.error) == (1, True)
        assert len(server.log) == 1


def test_secrets_come_from_the_line_the_environment_or_a_file(
    cogames: Callable, server: Stub, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("FROM_ENV", "of the environment")
    Path("secrets.env").write_text("# mine\n\nFROM_FILE=of=the file\nBOTH=file\n")
    words = ["--secret-env", "TYPED=a=b", "--secret-env", "FROM_ENV", "--secret-file", "secrets.env"]
    ran = cogames(*UPLOAD_STARTER, "--no-submit", *words, "--secret-env", "BOTH=typed", "--use-bedrock")
    assert ran.code == 0
    assert server.log[-1].json()["policy_secret_env"] == {
        "TYPED": "a=b",
        "FROM_ENV": "of the environment",
        "FROM_FILE": "of=the file",
        "BOTH": "typed",
        "USE_BEDROCK": "true",
    }
    assert "of the environment" not in ran.out + ran.err
    assert b"of the environment" not in server.log[-2].body


def test_wanted_hosts_and_the_version_it_was_built_for_are_in_a_bundle(cogames: Callable, server: Stub) -> None:
    def described() -> dict[str, object]:
        put = next(asked for asked in reversed(server.log) if asked.method == "PUT")
        with zipfile.ZipFile(io.BytesIO(put.body)) as bundle:
            return json.loads(bundle.read("policy_spec.json"))

    def hosts() -> object:
        return described().get("network_hosts")

    made = cogames("create-bundle", "-p", "starter", "--network-host", "b.example", "--compat-version", "0.26")
    assert made.code == 0 and "Built for: 0.26" in made.out
    assert cogames("create-bundle", "-p", "starter", "--compat-version", "new").code == 2
    words = ["upload", "-n", "mine", "-p", "./submission.zip", "--skip-validation", "--no-submit"]
    assert cogames(*words).code == 0
    assert hosts() == ["b.example"]
    assert cogames(*words, "--network-host", "a.example").code == 0
    assert hosts() == ["a.example", "b.example"] and described()["compat_version"] == "0.26"
    assert cogames(*UPLOAD_STARTER).code == 0
    assert not {"network_hosts", "compat_version"} & described().keys()


@pytest.mark.parametrize(
    "words",
    [
        ["--secret-env", "lower=hidden"],
        ["--secret-env", "=hidden"],
        ["--secret-env", "NOT_SET_ANYWHERE"],
        ["--secret-env", f"LONG={'hidden' * 400}"],
        [word for number in range(11) for word in ("--secret-env", f"K{number}=hidden")],
    ],
    ids=["lower case", "no name", "not in the environment", "too long", "too many"],
)
def test_a_secret_that_no_server_takes_is_wrong_usage(cogames: Callable, server: Stub, words: list[str]) -> None:
    ran = cogames(*UPLOAD_STARTER, *words)
    assert (ran.code, server.log) == (2, [])
    assert "hidden" not in ran.out + ran.err


@pytest.mark.parametrize("name", ["a:b", "a" * 65, " "])
def test_a_name_that_no_policy_can_have_is_refused_first(cogames: Callable, server: Stub, name: str) -> None:
    ran = cogames("upload", "-n", name, "-p", "starter", "--skip-validation")
    assert (ran.code, server.log) == (1, [])


def test_without_an_account_nothing_is_packed_or_asked(cogames: Callable, named: Stub) -> None:
    ran = cogames(*UPLOAD_STARTER)
    assert (ran.code, ran.error, named.log) == (1, "Error: Not authenticated.", [])


def test_a_season_of_another_version_is_refused_before_the_upload(cogames: Callable, server: Stub) -> None:
    for wanted, code in (("0.26", 0), ("0.27", 0), (None, 0), ("0.99", 1), ("1.0", 1)):
        server.log.clear()
        server.answer("GET", f"/tournament/seasons/{SEASON}", {**SEASONS[0], **DETAIL, "compat_version": wanted})
        ran = cogames(*UPLOAD_STARTER)
        assert ran.code == code, wanted
        assert (SEND[0] in server.lines) == (code == 0)
    assert "Season 'beta-cvc' plays version 1.0" in ran.error


@pytest.mark.parametrize(
    ("call", "status", "detail", "said"),
    [
        (SEND[2], 413, "Policy too large: 600 MB (max 500 MB)", "Policy too large: 600 MB (max 500 MB)"),
        (SEND[2], 400, "Nothing was uploaded", "Nothing was uploaded"),
        (SEND[0], 501, "Storage is not configured", "Storage is not configured"),
        (SUBMIT, 409, "Already submitted", "mine:v2 was not submitted to season 'beta-cvc': Already submitted"),
        (SUBMIT, 403, "Not your policy", "Not your policy"),
        (SUBMIT, 404, "x", "Season 'beta-cvc' not found"),
    ],
)
def test_a_refusal_of_the_server_is_passed_on(
    cogames: Callable, server: Stub, call: str, status: int, detail: str, said: str
) -> None:
    method, path = call.split()
    server.answer(method, path, {"detail": detail}, status)
    ran = cogames(*UPLOAD_STARTER)
    assert (ran.code, said in ran.error) == (1, True), ran.err
    assert [line for line in server.lines if line != "GET /tournament/seasons"][-1] == call


def test_a_storage_that_refuses_ends_the_upload(cogames: Callable, server: Stub) -> None:
    server.answer("PUT", "/uploads/1", "<Error>expired</Error>", 403)
    ran = cogames(*UPLOAD_STARTER)
    assert (ran.code, ran.error) == (1, "Error: Request failed: status 403")


def test_the_bundle_is_tried_on_the_seasons_game_first(cogames: Callable, server: Stub, sandbox: None) -> None:
    def config(asked: object) -> object:
        if "/qualifying/" in asked.path:  # type: ignore[attr-defined]
            return 404, {"detail": "this pool has no game"}
        return {"pool_name": "competition", "game_engine": "mettagrid", "config": small_game()}

    server.answer("GET", r"/tournament/seasons/[^/]+/pools/[^/]+/config", config)
    ran = cogames("upload", "-n", "mine", "-p", "random", "--season", SEASON)
    assert ran.code == 0, ran.err
    assert server.lines == [
        f"GET /tournament/seasons/{SEASON}",
        "GET /whoami",
        f"GET /tournament/seasons/{SEASON}/pools/qualifying/config",
        f"GET /tournament/seasons/{SEASON}/pools/competition/config",
        *SEND,
        SUBMIT,
    ]
    server.log.clear()
    ran = cogames("upload", "-n", "mine", "-p", "noop", "--season", SEASON)
    assert (ran.code, "did nothing but noop" in ran.error) == (1, True)
    assert SEND[0] not in server.lines


def test_a_dry_run_needs_no_server_and_no_account(cogames: Callable, home: Path, sandbox: None) -> None:
    ran = cogames("upload", "-n", "mine", "-p", "starter", "--dry-run")
    assert (ran.code, "nothing was uploaded" in ran.out) == (0, True), ran.err
    ran = cogames("ship", "-n", "mine", "-p", "noop", "--dry-run")
    assert (ran.code, "did nothing but noop" in ran.error) == (1, True)


def test_validate_bundle_asks_the_season_for_its_game(cogames: Callable, named: Stub, sandbox: None) -> None:
    game = {"pool_name": "stage-1", "game_engine": "mettagrid", "config": {**small_game(3), "game_engine": "mettagrid"}}
    named.answer("GET", r"/tournament/seasons/[^/]+/pools/[^/]+/config", game)
    assert cogames("create-bundle", "-p", "random").code == 0
    ran = cogames("validate-bundle", "-p", "./submission.zip", "--season", TEAM_SEASON)
    assert ran.code == 0, ran.err
    assert ran.out.splitlines()[0] == f"Pool: stage-1 ({TEAM_SEASON}, mettagrid)"
    assert ran.out.splitlines()[-1] == "Policy validated successfully"
    assert named.lines == [
        f"GET /tournament/seasons/{TEAM_SEASON}",
        f"GET /tournament/seasons/{TEAM_SEASON}/pools/stage-1/config",
    ]
    named.log.clear()
    assert cogames("validate-bundle", "-p", "./submission.zip", "--server", named.address).code == 0
    assert named.lines[0] == "GET /tournament/seasons"


@pytest.mark.parametrize(
    ("pool", "said"),
    [
        ({"pool_name": "p", "game_engine": "nimgrid", "config": {}}, "plays nimgrid, which this package cannot run"),
        ({"pool_name": "p", "game_engine": "mettagrid", "config": {"game": {"num_agents": "x"}}}, "is not valid"),
        (None, "has no pool with a game"),
    ],
)
def test_a_season_with_an_unsupported_game(cogames: Callable, named: Stub, pool: object, said: str) -> None:
    path = r"/tournament/seasons/[^/]+/pools/[^/]+/config"
    named.answer("GET", path, pool or {"detail": "no"}, 200 if pool else 404)
    ran = cogames("validate-bundle", "-p", "./x.zip", "--season", SEASON)
    assert (ran.code, said in ran.error) == (1, True)
    assert cogames("validate-bundle", "-p", "./x.zip", "--season", SEASON, "-m", "arena").code == 1


def test_an_assay_sends_every_mission_of_the_set(cogames: Callable, server: Stub) -> None:
    ran = cogames(
        "assay", "submit", "mine", "--source", "role_specific_evals", "-e", "2", "--max-steps", "10", "-n", "x"
    )
    assert ran.code == 0, ran.err
    assert server.lines == ["GET /whoami", "GET /stats/policy-versions", "POST /assay/runs"]
    body = server.log[-1].json()
    assert (body["policy_version_id"], body["name"], len(body["missions"])) == (POLICY_VERSION, "x", 4)
    assert {(m["num_episodes"], m["max_steps"]) for m in body["missions"]} == {(2, 10)}
    assert all(MettaGridConfig.model_validate(mission["env_config"]) for mission in body["missions"])


def test_an_assay_can_be_watched_to_its_end(cogames: Callable, server: Stub, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("cogames.commands.assay.POLL_SECONDS", 0)
    progress = iter([1, 2, 3])
    server.answer("GET", "/assay/runs/[^/]+", lambda asked: {**RUN_ROW, "completed_jobs": next(progress)})
    words = ["assay", "submit", POLICY_VERSION, "--source", "integrated_evals", "--watch"]
    ran = cogames(*words, "--json")
    assert (ran.code, json.loads(ran.out)["status"]) == (0, "completed")
    assert server.lines[-1] == f"POST /assay/runs/{RUN_ROW['id']}/finalize"
    server.answer("POST", "/assay/runs", {**RUN_ROW, "status": "failed", "error": "all broke"})
    ran = cogames(*words)
    assert (ran.code, "all broke" in ran.error) == (1, True)


def test_an_assay_that_runs_already_is_skipped(cogames: Callable, server: Stub) -> None:
    server.answer("POST", "/assay/runs", {"detail": "An active run has that name"}, 409)
    ran = cogames("assay", "submit", "mine", "--source", "integrated_evals")
    assert (ran.code, ran.out) == (0, "Skipped: An active run has that name\n")
    assert cogames("assay", "submit", "mine", "--source", "no_such_set").code == 1
