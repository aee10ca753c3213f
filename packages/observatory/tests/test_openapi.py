"""The OpenAPI document is true: whatever a request that fits it holds, no answer is a 5xx or breaks it."""

from __future__ import annotations

import os
from types import SimpleNamespace

import pytest
import requests
import schemathesis
from fastapi import FastAPI
from fastapi.testclient import TestClient
from hypothesis import HealthCheck, Phase, given, settings
from schemathesis.checks import load_all_checks
from schemathesis.core.failures import FailureGroup
from schemathesis.specs.openapi.checks import (
    content_type_conformance,
    response_schema_conformance,
    status_code_conformance,
)

from observatory.http.rate_limits import RateLimits
from packages.observatory.tests.access.league_routes import make_league
from packages.observatory.tests.world import TEAM, World

load_all_checks()
CHECKS = (content_type_conformance, response_schema_conformance, status_code_conformance)
EXAMPLES = int(os.environ.get("OPENAPI_EXAMPLES", "2"))  # of each operation; more in `soak.py`
DEEP = b'{"name": "x", "attributes": ' + b'{"a":' * 100_000 + b"1" + b"}" * 100_001


@pytest.fixture
def existing(world: World, client: TestClient, ada) -> SimpleNamespace:
    """Things that are there, so that not every answer is 404."""
    world.season()
    world.season(TEAM)
    first, second = world.version(ada, "a"), world.version(ada, "b")
    match = world.match("open", "competition", [(first, 2), (second, 2)])
    world.play(match, [1, 2, 3, 4])
    world.team("teams", "team-round-1", [first, second], score=1.0)
    return SimpleNamespace(
        season="open",
        version=str(first),
        match=str(match),
        job=str(world.job_of(match)),
        league=make_league(client, world, ada, first).words(),
    )


@pytest.mark.any_database
def test_every_operation_keeps_to_the_document(app: FastAPI, server, existing, admin, ada, monkeypatch) -> None:
    plenty = app.state.settings.model_copy(update={"user_rate": 1e6, "anonymous_rate": 1e6, "sign_in_rate": 1e6})
    monkeypatch.setattr(app.state, "rate_limits", RateLimits(plenty, app.state.metrics))
    app.state.settings.event_stream_seconds = 0.0  # a stream without an end would be waited for
    schema = schemathesis.openapi.from_dict(app.openapi())
    broken: list[str] = []
    with requests.Session() as session:
        for result in schema.get_all_operations():
            operation = result.ok()
            problem = _try_operation(session, server.url, operation, existing, [admin, ada])
            if problem:
                broken.append(f"{operation.method.upper()} {operation.path}: {problem}")
    assert not broken, "\n\n".join(broken)


def _try_operation(session: requests.Session, url: str, operation, existing, accounts) -> str | None:
    problems: list[str] = []

    @settings(
        max_examples=EXAMPLES,
        deadline=None,
        database=None,
        derandomize=True,
        phases=[Phase.generate],
        suppress_health_check=list(HealthCheck),
    )
    @given(case=operation.as_strategy())
    def trial(case) -> None:
        for account, parameters in zip(accounts, (None, _existing_values(case.path_parameters, existing)), strict=True):
            if parameters is not None:
                case.path_parameters = parameters
            problem = _call(session, url, case, account.headers)
            if problem:
                problems.append(problem)

    trial()
    return problems[0] if problems else None


def _existing_values(parameters, existing) -> dict[str, object] | None:
    values = {
        "season": existing.season,
        "pool": "competition",
        "policy_version_id": existing.version,
        "match_id": existing.match,
        "job_id": existing.job,
        "agent_idx": 0,
        "artifact_type": "logs",
        **existing.league,
    }
    if not set(parameters or ()) & set(values):
        return None
    return {name: values.get(name, value) for name, value in parameters.items()}


def _call(session: requests.Session, url: str, case, headers: dict[str, str]) -> str | None:
    response = case.call(session=session, base_url=url, headers=headers, allow_redirects=False)
    if response.status_code >= 500:
        return f"{response.status_code} {response.text[:300]} for {case.as_curl_command()[:600]}"
    try:
        case.validate_response(response, checks=list(CHECKS))
    except FailureGroup as group:
        problems = "; ".join(str(problem)[:400] for problem in group.exceptions)
        return f"{problems} for {case.as_curl_command()[:600]}"
    return None


def test_every_operation_has_its_own_id_and_a_sentence(client: TestClient) -> None:
    document = client.get("/openapi.json").json()
    operations = [operation for path in document["paths"].values() for operation in path.values()]
    ids = [operation["operationId"] for operation in operations]
    assert len(set(ids)) == len(ids)
    assert all(operation.get("description") for operation in operations)
    assert client.get("/docs").status_code == 200


def test_every_documented_call_is_in_the_document(client: TestClient) -> None:
    """The calls of the published clients, but for the login pages and the upload itself."""
    paths = client.get("/openapi.json").json()["paths"]
    season = "/tournament/seasons/{season}"
    calls = [
        ("get", "/whoami"),
        ("get", "/validate"),
        ("get", "/tournament/seasons"),
        ("get", season),
        *(("get", f"{season}/{name}") for name in ("versions", "stages", "progress", "teams", "leaderboard")),
        ("get", f"{season}/leaderboard/{{kind}}/{{pool}}"),
        ("get", f"{season}/score-policies-leaderboard"),
        ("get", f"{season}/matches"),
        ("get", f"{season}/policies"),
        ("post", f"{season}/submissions"),
        ("get", f"{season}/pools/{{pool}}/config"),
        ("get", "/tournament/configs/{config_id}"),
        ("get", "/tournament/matches/{match_id}"),
        ("get", "/tournament/matches/{match_id}/{policy_version_id}/policy-logs"),
        ("get", "/tournament/matches/{match_id}/{policy_version_id}/policy-logs/{agent_idx}"),
        ("get", "/tournament/matches/{match_id}/{policy_version_id}/artifacts/{artifact_type}"),
        ("get", "/tournament/policies/{policy_version_id}/memberships"),
        ("get", "/tournament/my-memberships"),
        ("get", "/stats/policy-versions"),
        ("get", "/stats/policy-versions/{policy_version_id}"),
        ("get", "/stats/policies"),
        ("post", "/stats/policies/submit/presigned-url"),
        ("post", "/stats/policies/submit/complete"),
        ("post", "/stats/episodes/query"),
        ("get", "/episodes"),
        ("get", "/episodes/{episode_id}"),
        ("post", "/assay/runs"),
        ("get", "/assay/runs"),
        ("get", "/assay/runs/{run_id}"),
        ("get", "/assay/runs/{run_id}/results"),
        ("post", "/assay/runs/{run_id}/finalize"),
        ("get", "/players"),
        ("post", "/players"),
        ("post", "/players/{player_id}/login"),
        ("get", "/players/{player_id}/credentials"),
        ("post", "/players/{player_id}/credentials"),
        ("delete", "/players/{player_id}/credentials/{credential_id}"),
    ]
    missing = [call for call in calls if call[1] not in paths or call[0] not in paths[call[1]]]
    assert not missing


def test_bodies_that_are_not_the_documented_json_are_malformed(client: TestClient, ada) -> None:
    headers = {**ada.headers, "Content-Type": "application/json"}
    for body in (
        b"",
        b"{",
        b"\xff\xfe",
        b"[]",
        b'{"name": "\\ud800"}',
        b'{"name": "\\u0000"}',
        b'{"name": 1e999}',
        b"null",
    ):
        answer = client.post("/stats/policies", content=body, headers=headers)
        assert answer.status_code == 422, (body, answer.text)
        assert answer.json()["detail"]
    assert client.get("/nowhere").json() == {"detail": "Not Found"}
    assert client.delete("/tournament/seasons").status_code == 405


def test_documents_that_cannot_be_serialized_again_are_refused(client: TestClient, ada) -> None:
    documents = [b'{"a":' * depth + b"1" + b"}" * depth for depth in (50, 64, 65, 200, 300, 900, 1000, 1100)]
    documents += [b'{"a": NaN}', b'{"a": [-Infinity]}', b'{"a": "\\ud800"}', b'{"\\u0000": 1}', b'{"a": 1e400}']
    statuses = []
    for number, attributes in enumerate(documents):
        body = b'{"name": "p%d", "attributes": %s}' % (number, attributes)
        headers = {**ada.headers, "Content-Type": "application/json"}
        statuses.append(client.post("/stats/policies", content=body, headers=headers).status_code)
    assert statuses == [200] * 2 + [422] * 11
    assert client.get("/stats/policies", headers=ada.headers).status_code == 200
