"""What the author of a policy reads about it: one match of eight policies, each of which speaks or ends in another way.

No response holds a path or a secret of the machine.
"""

from __future__ import annotations

import functools
import multiprocessing
import os
import sys
import sysconfig
import tempfile
import uuid
from pathlib import Path
from typing import Any

import pytest
from fastapi.testclient import TestClient

from mettagrid.config.mettagrid_config import MettaGridConfig
from mettagrid.runner.boxed.policy import BoxPolicyOptions
from mettagrid.runner.episode import EpisodePlan
from observatory.worker.client import HttpJobClient
from observatory.worker.loop import Worker
from packages.mettagrid.tests.runner.boxed.hostile.corpus import SECRET, VOICES
from packages.observatory.tests.jobs.test_worker import token, upload
from packages.observatory.tests.world import World

__all__ = ["token"]

PATIENCE_MS = 4000


def impatient(*arguments: Any, **options: Any) -> EpisodePlan:
    return EpisodePlan(*arguments, **options | {"max_action_time_ms": PATIENCE_MS, "patience_ms": PATIENCE_MS})


def host() -> list[str]:
    """Return texts of this machine that must stay hidden."""
    folders = [sys.prefix, sys.base_prefix, sysconfig.get_paths()["stdlib"], str(Path.home()), tempfile.gettempdir()]
    return [SECRET, str(Path(__file__).parents[4]), os.uname().nodename, "/var/lib/cogbox", *folders]


@pytest.mark.slow
@pytest.mark.any_database
def test_an_author_reads_the_reason_and_no_reader_sees_details_of_the_machine(
    server: Any,
    client: TestClient,
    world: World,
    token: str,
    ada: Any,
    bob: Any,
    admin: Any,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    env = MettaGridConfig.EmptyRoom(num_agents=len(VOICES), width=10, height=10)
    env.game.max_steps = 3
    monkeypatch.setattr("packages.observatory.tests.world.ENV", env.model_dump(mode="json"))
    sources = [case.source().replace("class Policy(", "class Mine(") for case in VOICES.values()]
    versions = [uuid.UUID(upload(client, ada, source, MY_KEY=SECRET)) for source in sources]
    match = world.match(world.season(), "competition", [(version, 1) for version in versions])
    # Less memory and less patience than in the league: the episode's process is a copy of this one.
    impatient.prepare_timeout_s = EpisodePlan.prepare_timeout_s  # type: ignore[attr-defined]
    monkeypatch.setattr("mettagrid.runner.boxed.job.EpisodePlan", impatient)
    small = functools.partial(BoxPolicyOptions, memory=400 << 20)
    monkeypatch.setattr("mettagrid.runner.boxed.job.BoxPolicyOptions", small)
    jobs = HttpJobClient(server.url, token)
    worker = Worker(jobs, "one")
    worker._context = multiprocessing.get_context("fork")  # type: ignore[assignment]
    worker.run(once=True)
    jobs.close()

    texts = []
    for agent, (version, (name, case)) in enumerate(zip(versions, VOICES.items(), strict=True)):
        place = f"/tournament/matches/{match}/{version}/policy-logs"
        assert client.get(place, headers=bob.headers).status_code == 403
        log = client.get(f"{place}/{agent}", headers=ada.headers)
        assert log.status_code == 200 and case.log in log.text, (name, log.text)
        assert f"[step 0 agent {agent}] bundle/my_policy.py" in log.text and "[secret]" in log.text, (name, log.text)
        if name in ("native", "hangs", "raises"):
            assert 'my_policy.py", line' in log.text, (name, log.text)
        texts.append(log.text)
    runtime = client.get(f"/jobs/{world.job_of(match)}", headers=admin.headers).json()["runtime"]["policies"]
    assert [entry["status"] for entry in runtime] == [case.status for case in VOICES.values()]
    # The match failed at the first of those that failed, has a replay, and says where.
    for headers in ({}, ada.headers, bob.headers):
        page = client.get(f"/observatory/api/matches/{match}", headers=headers)
        assert page.json()["status"] == "failed" and page.json()["has_replay"]
        assert VOICES["native"].message in page.json()["error"]
        texts.append(page.text)
    for kind in ("logs", "error-info"):
        artifact = f"/tournament/matches/{match}/{versions[0]}/artifacts/{kind}"
        texts.append(client.get(artifact, headers=ada.headers).text)
    texts += [client.get(f"/observatory/api/policies/{version}", headers=ada.headers).text for version in versions]
    for text in texts:
        assert [secret for secret in host() if secret in text] == [], text
