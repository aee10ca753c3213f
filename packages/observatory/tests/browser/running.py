"""`observatory serve` as a process, with a worker and a season whose games are short."""

from __future__ import annotations

import os
import re
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import httpx

from packages.observatory.tests.world import bundle

SEASON = """
name: short
display_name: Short games
summary: Four cogs in the arena, for twenty steps
game_description: |
  ## How it is played
  Four **cogs**. <img src=x onerror="document.title='broken'"> [a bad link](javascript:alert(1)) and [a good one](https://example.com/rules).
tournament_type: freeplay
is_default: true
freeplay:
  game: {mission: arena, num_agents: 4, max_steps: 20}
  qualifying_matches: 1
  qualifying_threshold: -1000
  splits: [[2, 2]]
  repetitions: 2
"""

TEAMS = """
name: teams
display_name: Short teams
summary: Two teams, one of which is culled
tournament_type: team
team:
  game: {mission: arena, num_agents: 4, max_steps: 10}
  rolling: {start: true}
  stages:
    - {kind: policy_eval, policies_per_team: 1, matches_per_combo: 1, min_policies: 2}
    - {kind: sample_teams, team_size: 2, num_teams: 2}
    - {kind: team_eval, matches_per_team: 1, cull_fraction: 0.5}
    - {kind: score_policies, top_k: 1}
"""

QUIET = """
from mettagrid.policy.policy import AgentPolicy, MultiAgentPolicy
from mettagrid.simulator import Action

class Quiet(AgentPolicy):
    def step(self, obs):
        return Action(name="noop")

class Mine(MultiAgentPolicy):
    def __init__(self, policy_env_info, device="cpu", **kwargs):
        super().__init__(policy_env_info, device=device)
        print("hello from the box", flush=True)
    def agent_policy(self, agent_id):
        return Quiet(self._policy_env_info)
"""

PASSWORD = "correct horse battery"


def quiet_bundle() -> bytes:
    """A policy that does nothing, and says hello."""
    return bundle({"my_policy.py": QUIET})


def wait_for(condition: Callable[[], Any], *, seconds: float = 60) -> Any:
    deadline = time.monotonic() + seconds
    while not (result := condition()):
        assert time.monotonic() < deadline, "waited in vain"
        time.sleep(0.1)
    return result


class RunningServer:
    """Can be stopped, and started again at the same address."""

    def __init__(self, folder: Path, *, workers: int = 1) -> None:
        with socket.socket() as probe:
            probe.bind(("127.0.0.1", 0))
            self.port = probe.getsockname()[1]
        self.url = f"http://127.0.0.1:{self.port}"
        self._folder = folder
        self._workers = workers
        self._process: subprocess.Popen[str] | None = None
        self._token = ""
        self.admin_link = ""
        """where the administrator chooses a password"""
        self.start()

    def start(self) -> None:
        own = {
            "OBSERVATORY_DATA_DIR": str(self._folder / "data"),
            "OBSERVATORY_SEED_SEASONS": "false",
            "OBSERVATORY_SIGN_IN_RATE": "1000",
        }
        line = [sys.executable, "-m", "observatory", "serve", "--port", str(self.port)]
        line += ["--workers", str(self._workers)]
        log = (self._folder / "log").open("a")
        self._process = subprocess.Popen(line, env=os.environ | own, stdout=subprocess.PIPE, stderr=log, text=True)
        log.close()
        assert self._process.stdout is not None
        output = self._process.stdout.readline()
        assert self.url in output, output + (self._folder / "log").read_text()
        if not self._token:
            output = "".join(self._process.stdout.readline() for _ in range(3))
            token = re.search(r"token: (\S+)", output)
            assert token is not None, output
            link = re.search(r"password at: (\S+)", output)
            assert link is not None, output
            self._token, self.admin_link = token[1], link[1]

    def stop(self) -> None:
        assert self._process is not None and self._process.stdout is not None
        self._process.send_signal(signal.SIGTERM)
        self._process.wait(60)
        self._process.stdout.close()
        self._process = None

    def kill(self) -> None:
        assert self._process is not None and self._process.stdout is not None
        self._process.kill()
        self._process.wait(60)
        self._process.stdout.close()
        self._process = None

    def close(self) -> None:
        if self._process is not None:
            self.stop()

    def admin(self) -> httpx.Client:
        headers = {"X-Auth-Token": self._token, "X-Use-Elevated-Privileges": "true"}
        return httpx.Client(base_url=self.url, headers=headers, timeout=60, trust_env=False, verify=False)

    def make_season(self, yaml: str = SEASON) -> None:
        with self.admin() as http:
            answer = http.post("/observatory/api/admin/seasons", json={"yaml": yaml})
            assert answer.status_code == 201, answer.text

    def invitation(self) -> str:
        """Return the address that creates an account."""
        with self.admin() as http:
            answer = http.post("/admin/invitations", json={})
            assert answer.status_code == 201, answer.text
            url: str = answer.json()["url"]
            return url

    def upload(self, name: str, *, season: str = "short", content: bytes | None = None) -> str:
        """A policy of the administrator's, by default a quiet one, entered in a season; its version's id."""
        with self.admin() as http:
            place = http.post("/stats/policies/submit/presigned-url").json()
            data = quiet_bundle() if content is None else content
            sent = http.put(place["upload_url"], content=data, headers={"Content-Type": "application/zip"})
            assert sent.is_success, sent.text
            body = {"upload_id": place["upload_id"], "name": name, "season": season}
            answer = http.post("/stats/policies/submit/complete", json=body)
            assert answer.is_success and answer.json()["submit_error"] is None, answer.text
            version: str = answer.json()["id"]
            return version

    def matches(self, *, status: str = "completed", season: str = "short") -> list[dict[str, Any]]:
        with self.admin() as http:
            path = f"/observatory/api/seasons/{season}/matches"
            rows: list[dict[str, Any]] = http.get(path, params={"status": status}).json()["rows"]
            return rows
