"""One trace from the request of an episode to its end: through the server, the worker and the episode's process."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import httpx
import pytest

from observatory import tracing
from observatory.accounts.service import create_user, mint_user_token, mint_worker_token
from observatory.app import create_app
from observatory.clock import utc_now
from observatory.settings import Settings
from packages.observatory.tests.jobs.test_leases import job
from tests.support import ROOT


def test_tracing_is_off_without_an_address_and_the_extra_is_not_imported() -> None:
    script = (
        "import sys, observatory.tracing as tracing; tracing.start_tracing('server')\n"
        "with tracing.span('a', key='value'): assert tracing.current_traceparent() is None\n"
        "assert not tracing.is_on() and 'opentelemetry' not in sys.modules"
    )
    hidden = ("OTEL_", "OBSERVATORY_")
    environment = {name: value for name, value in os.environ.items() if not name.startswith(hidden)}
    subprocess.run([sys.executable, "-c", script], check=True, env={**environment, tracing.ENDPOINTS[1]: ""})


def test_one_trace_has_the_request_the_lease_the_worker_and_the_episode(tmp_path: Path) -> None:
    settings = Settings(data_dir=tmp_path / "data", seed_seasons=False)
    app = create_app(settings)
    with app.state.database.transaction() as session:
        user = create_user(session, email="root@example.com", name="root", now=utc_now(), is_admin=True)
        headers = {"X-Auth-Token": mint_user_token(session, user, now=utc_now())}
        (tmp_path / "token").write_text(mint_worker_token(session, "worker", now=utc_now()).text)
    app.state.database.close()
    file = tmp_path / "spans.jsonl"
    environment = {**os.environ, tracing.FILE: str(file), "OBSERVATORY_DATA_DIR": str(settings.data_dir)}
    environment |= {"OBSERVATORY_PORT": "0", "OBSERVATORY_LOCAL_WORKERS": "0", "OBSERVATORY_SEED_SEASONS": "false"}
    program = [sys.executable, "-m", "observatory"]
    serve = [*program, "serve"]
    with subprocess.Popen(serve, env=environment, cwd=ROOT, stdout=subprocess.PIPE, text=True) as server:
        assert server.stdout is not None
        address = server.stdout.readline().split()[2]
        headers |= {"X-Use-Elevated-Privileges": "true"}
        created = httpx.post(f"{address}/jobs/batch", json=[job()], headers=headers, trust_env=False)
        assert created.status_code == 200, created.text
        worker = [*program, "worker", "--server", address, "--token-file", str(tmp_path / "token"), "--once"]
        ran = subprocess.run([*worker, "--sandbox", "none"], env=environment, cwd=ROOT, capture_output=True, text=True)
        assert ran.returncode == 0, ran.stderr
        played = httpx.get(f"{address}/jobs/{created.json()[0]}", headers=headers, trust_env=False).json()
        assert played["status"] == "completed", played
        server.terminate()
    check_trace([json.loads(line) for line in file.read_text().splitlines()])


def check_trace(spans: list[dict[str, Any]]) -> None:
    (queued,) = (span for span in spans if span["name"] == "queue job")
    trace = [span for span in spans if span["context"]["trace_id"] == queued["context"]["trace_id"]]
    names = {span["context"]["span_id"]: span["name"] for span in trace}
    parents = {(span["name"], names.get(span["parent_id"] or "")) for span in trace}
    assert {
        ("POST /jobs", None),
        ("queue job", "POST /jobs"),
        ("lease job", "queue job"),
        ("work on job", "lease job"),
        ("fetch policies", "work on job"),
        ("run episode", "work on job"),
        ("play episode", "run episode"),
        ("send files", "work on job"),
        ("finish job", "work on job"),
        ("POST /work", "finish job"),
    } <= parents
    services = {span["resource"]["attributes"]["service.name"] for span in trace}
    assert services == {"observatory-server", "observatory-worker", "observatory-episode"}


@pytest.mark.parametrize("header", ["", "00-xyz", "00-" + "0" * 32 + "-" + "0" * 16 + "-01", "a" * 5000])
def test_a_malformed_trace_of_a_caller_starts_a_new_one(header: str, monkeypatch: pytest.MonkeyPatch) -> None:
    from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter

    from observatory.operations.requests import _parent

    monkeypatch.setattr(tracing, "_tracer", None)
    monkeypatch.setattr(tracing, "_provider", None)
    exporter = InMemorySpanExporter()
    tracing.install_exporter("test", exporter)
    with tracing.span("request", parent=_parent({b"traceparent": header.encode()})):
        assert tracing.current_traceparent() is not None
    (span,) = exporter.get_finished_spans()
    assert span.parent is None
