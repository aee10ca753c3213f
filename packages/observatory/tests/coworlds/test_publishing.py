"""Publish a game: what is recorded and queued, what is refused, and when a version becomes canonical."""

from __future__ import annotations

from typing import Any

import pytest
from fastapi import FastAPI
from fastapi.testclient import TestClient

from observatory.job_states import JobStatus
from observatory.jobs.schemas import ErrorInfo
from observatory.jobs.service import Ending
from packages.observatory.tests.coworlds.games import (
    PASSED,
    end_job,
    game,
    jobs_of,
    pass_certification,
    pass_smoke_episodes,
    publish,
    put_coworld,
)


def canonical(client: TestClient, account: Any, coworld_id: str) -> bool:
    return client.get(f"/v2/coworlds/{coworld_id}", headers=account.headers).json()["canonical"]


def test_a_version_becomes_canonical_when_its_episodes_and_its_certification_have_passed(
    app: FastAPI, client: TestClient, ada: Any, clock: Any
) -> None:
    answer = publish(client, ada, game(variants=3))
    assert answer.status_code == 200, answer.text
    first = answer.json()
    assert (first["name"], first["version"], first["visibility"], first["canonical"]) == (
        "paintarena",
        "1.0.0",
        "public",
        False,
    )
    assert first["certification_status_url"].endswith(f"/v2/coworlds/{first['id']}/certification")
    status = client.get(f"/v2/coworlds/{first['id']}/certification").json()
    assert (status["state"], status["certified"], status["failure"]) == ("queued", False, None)
    path = f"/v2/coworlds/{first['id']}/episode-requests?source=coworld_upload"
    smoke = client.get(path, headers=ada.headers).json()["entries"]
    assert [episode["status"] for episode in smoke] == ["pending"] * 3
    assert len(jobs_of(app, first["id"], "episode")) == 3

    pass_certification(app, clock, first["id"])
    status = client.get(f"/v2/coworlds/{first['id']}/certification").json()
    assert (status["state"], status["certified"], status["contract_version"]) == (
        "certified",
        True,
        "coworld-executable/1",
    )
    assert status["transcript_summary"] == PASSED["steps"]
    assert not canonical(client, ada, first["id"])
    pass_smoke_episodes(app, clock, first["id"])
    assert canonical(client, ada, first["id"])

    clock.advance(60)
    second = publish(client, ada, game(version="1.1.0")).json()
    pass_smoke_episodes(app, clock, second["id"])
    assert canonical(client, ada, first["id"]) and not canonical(client, ada, second["id"])
    pass_certification(app, clock, second["id"])
    assert canonical(client, ada, second["id"]) and not canonical(client, ada, first["id"])
    assert [row["version"] for row in client.get("/v2/coworlds/summaries?canonical=true").json()] == ["1.1.0"]


@pytest.mark.any_database
def test_a_server_checks_manifests_in_a_sandbox(client: TestClient, ada: Any, sandboxed: None) -> None:
    assert publish(client, ada, game()).status_code == 200
    refused = publish(client, ada, game(version="newest"))
    assert (refused.status_code, refused.json()["detail"].startswith("The manifest was refused: game.version")) == (
        422,
        True,
    )


@pytest.mark.any_database
def test_a_version_that_passes_late_does_not_replace_a_newer_one(
    app: FastAPI, client: TestClient, ada: Any, clock: Any
) -> None:
    older = publish(client, ada, game(version="1.0.0")).json()["id"]
    clock.advance(60)
    newer = publish(client, ada, game(version="1.0.1")).json()["id"]
    for coworld_id in (newer, older):
        pass_smoke_episodes(app, clock, coworld_id)
        pass_certification(app, clock, coworld_id)
    assert canonical(client, ada, newer) and not canonical(client, ada, older)


@pytest.mark.any_database
def test_the_same_manifest_is_published_once_and_names_belong_to_their_first_user(
    app: FastAPI, client: TestClient, ada: Any, bob: Any
) -> None:
    first = publish(client, ada, game("Paint-Arena")).json()
    assert publish(client, ada, game("Paint-Arena")).json() == first
    assert len(jobs_of(app, first["id"], "certification")) == 1
    changed = publish(client, ada, game("paint_arena", variants=2))
    assert changed.status_code == 409
    assert changed.json()["detail"].endswith("exists with another manifest; raise game.version, for example to 1.0.1")
    for name in ("Paint-Arena", "paint_arena", "PAINT-ARENA"):
        taken = publish(client, bob, game(name, "2.0.0"))
        assert (taken.status_code, taken.json()["detail"]) == (
            403,
            "The name Paint-Arena belongs to another user; choose another game.name",
        )
    later = publish(client, ada, game("Paint-Arena", "1.1.0"), visibility="private")
    assert (later.status_code, "is public, and all its versions are" in later.json()["detail"]) == (409, True)


@pytest.mark.any_database
def test_a_failed_certification_says_why_and_can_be_retried(
    app: FastAPI, client: TestClient, ada: Any, bob: Any, clock: Any
) -> None:
    coworld_id = publish(client, ada, game()).json()["id"]
    retry = f"/v2/coworlds/{coworld_id}/certification/retry"
    assert client.post(retry, headers=ada.headers).status_code == 409  # it is queued
    [job_id] = jobs_of(app, coworld_id, "certification")
    steps = [
        {"id": "matriculate", "status": "pass"},
        {"id": "smoke-episode", "status": "fail", "failure_reason": "game_unhealthy", "feedback": "no /healthz"},
    ]
    report = {"certified": False, "steps": steps, "transcript": "# Certification\n"}
    end_job(app, clock, job_id, Ending(JobStatus.COMPLETED, report))
    status = client.get(f"/v2/coworlds/{coworld_id}/certification").json()
    assert (status["state"], status["failed_step"]) == ("failed", "smoke-episode")
    failure = status["failure"]
    assert failure["documentation_url"] == "http://testserver/docs"
    assert (failure["kind"], failure["detail"], failure["retryable"]) == ("author", "no /healthz", False)
    transcript = client.get(f"/v2/coworlds/{coworld_id}/certification/transcript.md")
    assert (transcript.text, transcript.headers["content-type"]) == (
        "# Certification\n",
        "text/markdown; charset=utf-8",
    )

    assert client.post(retry, headers=bob.headers).status_code == 403
    assert client.post(retry, headers=ada.headers).json()["state"] == "queued"
    [job_id] = jobs_of(app, coworld_id, "certification")
    error = ErrorInfo(error_type="platform_error", message="No machine has a container engine")
    end_job(app, clock, job_id, Ending(JobStatus.FAILED, error=error))
    failure = client.get(f"/v2/coworlds/{coworld_id}/certification").json()["failure"]
    assert (failure["kind"], failure["retryable"]) == ("platform", True)

    smoke = jobs_of(app, coworld_id, "episode")
    end_job(app, clock, smoke[0], Ending(JobStatus.FAILED, error=error))
    client.post(retry, headers=ada.headers)
    assert len(jobs_of(app, coworld_id, "episode")) == 1  # the failed episode is played again
    pass_smoke_episodes(app, clock, coworld_id)
    pass_certification(app, clock, coworld_id)
    assert canonical(client, ada, coworld_id)
    assert client.post(retry, headers=ada.headers).status_code == 409


@pytest.mark.any_database
def test_only_so_many_versions_may_wait(client: TestClient, ada: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("observatory.coworlds.publishing.MAX_WAITING", 1)
    assert publish(client, ada, game()).status_code == 200
    answer = publish(client, ada, game("other"))
    assert (answer.status_code, answer.headers["Retry-After"]) == (429, "60")


def broken(**parts: Any) -> dict[str, Any]:
    """Return a manifest in which parts of the game are replaced."""
    manifest = game()
    manifest["game"] |= parts
    return manifest


def with_config(config: dict[str, Any]) -> dict[str, Any]:
    manifest = game()
    manifest["certification"]["game_config"] |= config
    return manifest


def with_env(section: str, value: str) -> dict[str, Any]:
    manifest = game()
    entry = manifest["game"]["runnable"] if section == "game" else manifest[section][0]
    entry["env"] = {"KEY": value}
    return manifest


def with_image(image: str) -> dict[str, Any]:
    manifest = game()
    manifest["player"][0]["image"] = image
    return manifest


def with_reporter(entry: dict[str, Any]) -> dict[str, Any]:
    return game(reporter=[entry])


HOSTILE = {
    "no game": ({}, 422, "The manifest was refused: game"),
    "a list for the game": ({"game": []}, 422, "The manifest was refused: game"),
    "an address as name": (broken(name="../../admin"), 422, "game.name '../../admin' must be"),
    "a long name": (broken(name="x" * 300), 422, "must be at most 100 letters"),
    "a name of spaces": (broken(name="a "), 422, "must be at most 100 letters"),
    "a wrong version": (broken(version="latest"), 422, "The manifest was refused: game.version"),
    "a long version": (broken(version="1." + "0" * 200), 422, "game.version has 202 characters"),
    "a config of another game": (with_config({"width": 9999}), 422, "The manifest was refused"),
    "a secret in a config": (
        with_config({"players": [{"name": "secret://coworld/paintarena/key"}, {"name": "b"}]}),
        422,
        "certification.game_config.players.name refers to a secret, and everyone can read it",
    ),
    "a secret of a player": (with_env("player", "secret://coworld/paintarena/key"), 422, "player.env.KEY refers to"),
    "a secret of another game": (with_env("game", "secret://coworld/other/key"), 422, "a game reads its own secrets"),
    "an unknown image": (with_image("registry.example.com/x:1"), 400, "is not on this server; upload it"),
    "an id of no image": (with_image("img_1"), 400, "'img_1' is not the id of a container image"),
    "an image that does not exist": (
        with_image("img_00000000-0000-4000-8000-000000000000"),
        400,
        "There is no container image img_00000000-0000-4000-8000-000000000000",
    ),
    "an unknown reporter": (with_reporter({"reporter": "ada/mine@1"}), 400, "There is no reporter 'ada/mine@1'"),
    "a reporter that stayed at home": (
        with_reporter({"wasm": "a.wasm", "id": "a", "attributes": {}}),
        422,
        "The reporter 'a' is a file of your package",
    ),
    "a viewer that stayed at home": (
        broken(replay_viewer={"bundle": "viewer"}),
        422,
        "The replay viewer 'viewer' is a path of your package",
    ),
    "a viewer that was not sent": (
        broken(replay_viewer={"bundle": "sha256:" + "0" * 64}),
        400,
        "You have not uploaded the replay viewer sha256:000",
    ),
}


@pytest.mark.any_database
@pytest.mark.parametrize("name", HOSTILE)
def test_a_manifest_that_cannot_be_published_is_refused_with_a_sentence(
    client: TestClient, ada: Any, name: str
) -> None:
    manifest, status, sentence = HOSTILE[name]
    answer = publish(client, ada, manifest)
    assert answer.status_code == status, answer.text
    assert sentence in answer.json()["detail"]
    assert len(answer.json()["detail"]) < 1000
    assert client.get("/v2/coworlds", headers=ada.headers).json() == []


@pytest.mark.any_database
def test_a_huge_or_deep_manifest_is_refused_before_it_is_read(client: TestClient, ada: Any) -> None:
    huge = publish(client, ada, game(tags=["x" * (3 << 20)]))
    assert (huge.status_code, huge.json()["detail"]) == (
        413,
        "The body of this request may have at most 2,097,152 bytes",
    )
    deep: Any = {}
    for _ in range(70):
        deep = {"a": deep}
    assert publish(client, ada, broken(config_schema=deep)).status_code == 422


@pytest.mark.any_database
def test_another_commissioner_makes_the_next_version(
    app: FastAPI, client: TestClient, ada: Any, bob: Any, clock: Any
) -> None:
    put_coworld(app, clock, ada)
    body = {"coworld_name": "paintarena", "container_image_id": "softmax/default-reporter:latest"}
    answer = client.post("/v2/coworlds/patch-commissioner", json=body, headers=ada.headers)
    assert answer.status_code == 200, answer.text
    assert (answer.json()["version"], answer.json()["canonical"]) == ("1.0.1", False)
    assert answer.json()["manifest"]["commissioner"][0]["image"] == "softmax/default-reporter:latest"
    again = client.post("/v2/coworlds/patch-commissioner", json=body, headers=ada.headers)
    assert again.json()["version"] == "1.0.2"
    unknown = client.post("/v2/coworlds/patch-commissioner", json=body | {"runnable_id": "x"}, headers=ada.headers)
    assert (unknown.status_code, "has no commissioner 'x'" in unknown.json()["detail"]) == (400, True)
    assert client.post("/v2/coworlds/patch-commissioner", json=body, headers=bob.headers).status_code == 403
