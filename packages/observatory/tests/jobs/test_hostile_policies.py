"""Hostile policies of the corpus as uploads of a league: verdict, log, and what others see of it.

Without `HOSTILE_LEVELS=all` (`make soak`) three of them play, at the level that a worker takes by itself.
"""

from __future__ import annotations

import json
import multiprocessing
import os
import sys
import sysconfig
from pathlib import Path
from typing import Any

import pytest
from fastapi.testclient import TestClient

import cogbox
from observatory.store import job_key
from observatory.worker.client import HttpJobClient
from observatory.worker.loop import Worker
from packages.mettagrid.tests.runner.boxed.hostile.corpus import CASES, LOG_BYTES, SECRET, STEPS, Case
from packages.observatory.tests.jobs.test_worker import job, queue, token, upload
from tests.support import missing

__all__ = ["job", "queue", "token"]

pytestmark = pytest.mark.any_database

ALL = os.environ.get("HOSTILE_LEVELS") == "all"
LEVELS = ("bubblewrap", "namespaces") if ALL else ("bubblewrap",)
NAMES = list(CASES) if ALL else ["four_thousand_infos", "prints_without_end", "crashes_in_native_code"]
# A process of the league may use more memory than there is to spare in a test.
LEFT_OUT = ("takes_all_memory",)
HOST = (SECRET, sys.prefix, sysconfig.get_paths()["stdlib"], str(Path(__file__).parents[4]))


@pytest.fixture(params=LEVELS)
def level(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> str:
    """The strongest level that workers may take."""
    monkeypatch.setenv("COGBOX_LEVEL", request.param)
    try:
        cogbox.sandbox(minimum=request.param)
    except cogbox.LevelMissing as error:
        missing(str(error))
    return str(request.param)


@pytest.mark.slow
@pytest.mark.parametrize("name", [name for name in NAMES if name not in LEFT_OUT])
def test_a_hostile_policy_gets_its_verdict_and_affects_no_other_policy(
    server: Any,
    client: TestClient,
    token: str,
    ada: Any,
    queue: Any,
    job: Any,
    level: str,
    name: str,
    caplog: pytest.LogCaptureFixture,
) -> None:
    case: Case = CASES[name]
    source = case.source().replace("class Policy(", "class Mine(")
    version = upload(client, ada, source, MY_KEY=SECRET)
    job_id = queue([f"metta://policy/{version}", "metta://policy/noop"], seats=[0, 0, 1, 1], steps=STEPS)
    jobs = HttpJobClient(server.url, token)
    worker = Worker(jobs, "one", minimum=level)
    worker._context = multiprocessing.get_context("fork")  # so that the episode's process has the level of this test
    worker.run(once=True)
    jobs.close()
    done = job(job_id)
    assert done["attempts"] == 1 and done["result"]["steps"] == STEPS
    assert [policy["isolation"] for policy in done["runtime"]["policies"]] == [level, level]
    assert done["runtime"]["policies"][1]["status"] == "ok"
    store = server.app.state.store
    if case.status == "ok":
        assert (done["status"], done["error"]) == ("completed", None)
    else:
        assert (done["status"], done["error_type"]) == ("failed", "policy_error")
        assert f"{case.status}: " in done["error"] and case.message in done["error"]
        error = json.loads(store.get(job_key(job_id, "error_info.json")))
        assert error["failed_policy_index"] == 0
    log = store.get(job_key(job_id, "policy_agent_0.txt"))
    assert case.log in log.decode(errors="replace") and len(log) < LOG_BYTES
    total = sum(store.size(key) for key in store.keys(f"jobs/{job_id}/"))
    assert total < LOG_BYTES + 200_000
    outputs = [
        str(done),
        caplog.text,
        *(store.get(key).decode(errors="replace") for key in store.keys(f"jobs/{job_id}/")),
    ]
    for text in outputs:
        assert [secret for secret in HOST if secret in text] == []
