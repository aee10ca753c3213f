"""Health, metrics, logs and request ids."""

from __future__ import annotations

import json
import logging
from collections.abc import Callable
from typing import Any

import pytest
from fastapi import FastAPI
from fastapi.testclient import TestClient

from observatory.database import Database
from observatory.logs import JsonFormatter, PlainFormatter


def test_readyz_names_broken_parts(client: TestClient, app: FastAPI, monkeypatch: pytest.MonkeyPatch) -> None:
    assert client.get("/healthz").json() == {"status": "ok"}
    assert client.get("/readyz").json() == {"ready": True, "database": "ok", "store": "ok", "workers": 0, "leads": True}

    def full(key: str, data: bytes) -> None:
        raise OSError("no space left on device")

    with monkeypatch.context() as patch:
        patch.setattr(app.state.store, "put", full)
        answer = client.get("/readyz")
        assert (answer.status_code, answer.json()["store"]) == (503, "cannot be written to")
    database = app.state.database
    app.state.database = Database("sqlite:////nowhere/at/all.db")
    try:
        answer = client.get("/readyz")
    finally:
        app.state.database.close()
        app.state.database = database
    assert (answer.status_code, answer.json()["database"]) == (503, "does not answer")
    assert client.get("/readyz").status_code == 200


def test_metrics_count_requests_jobs_and_bytes(
    client: TestClient, app: FastAPI, ada: Any, admin: Any, world: Any, clock: Any
) -> None:
    from observatory.jobs.service import create_job

    with app.state.database.transaction() as session:
        create_job(session, {"policy_uris": [], "assignments": []}, now=clock())
    clock.advance(30)
    client.get("/tournament/seasons")
    client.request("INVENTED", "/tournament/seasons")
    world.version(ada)
    world.version(ada)
    text = client.get("/metrics", headers=admin.headers).text
    assert "observatory_store_bytes 6.0" in text
    assert 'method="other"' in text and "INVENTED" not in text
    assert 'observatory_jobs{status="pending"} 1.0' in text
    assert "observatory_jobs_oldest_pending_seconds 30.0" in text
    assert 'observatory_http_request_seconds_count{method="GET",route="/tournament/seasons",status="200"}' in text


def test_metrics_of_a_public_server_are_for_administrators(make_app: Callable[..., FastAPI]) -> None:
    for host in ("0.0.0.0", "127.0.0.1"):  # behind a proxy of the same machine others reach it too
        client = TestClient(make_app(host=host, public_url="https://league.example.com"))
        assert client.get("/metrics").status_code == 401


def test_every_answer_and_log_line_has_the_id_of_its_request(
    client: TestClient, ada: Any, caplog: pytest.LogCaptureFixture
) -> None:
    formatter = JsonFormatter()
    lines: list[dict[str, Any]] = []

    class Keep(logging.Handler):
        def emit(self, record: logging.LogRecord) -> None:
            lines.append(json.loads(formatter.format(record)))

    logger = logging.getLogger("observatory.access")
    handler = Keep()
    logger.addHandler(handler)
    caplog.set_level(logging.INFO)
    try:
        with_id = client.get("/whoami?token=obs_secret", headers=ada.headers | {"X-Request-Id": "my-id.7"})
        without_id = client.get("/jobs", headers={"X-Request-Id": "not an id\t!"})
        client.get(f"/whoami/{ada.token}")
    finally:
        logger.removeHandler(handler)
    assert with_id.headers["x-request-id"] == "my-id.7" and len(without_id.headers["x-request-id"]) == 32
    assert [line["request_id"] for line in lines[:2]] == ["my-id.7", without_id.headers["x-request-id"]]
    first = lines[0]
    assert (first["path"], first["status"], first["principal"]) == ("/whoami", 200, ada.user_id)
    assert ada.token not in json.dumps(lines) and lines[2]["path"] == "/whoami/obs_…"


def test_logs_of_every_logger_omit_tokens_and_signatures() -> None:
    def line(message: str) -> str:
        record = logging.LogRecord("x", logging.INFO, "", 0, message, (), None)
        return str(json.loads(JsonFormatter().format(record))["message"])

    token = "obs_" + "A1b-" * 11
    assert line(f"bad token {token} of ada") == "bad token obs_… of ada"
    assert line("GET http://h/store/a.zip?until=1&signature=abc failed") == "GET http://h/store/a.zip?… failed"


def test_input_of_a_caller_stays_on_one_log_line() -> None:
    record = logging.LogRecord("x", logging.INFO, "", 0, "GET /a\n12:00:00 INFO all is well 404", (), None)
    assert "\n" not in PlainFormatter().format(record)
