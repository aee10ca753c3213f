"""A league that has played real matches: a server that listens, its commissioner, a worker, boxed policies."""

from __future__ import annotations

import io
import logging
import socket
import threading
import time
import uuid
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import httpx
import uvicorn
from fastapi import FastAPI

from observatory.accounts.service import create_user, mint_user_token, mint_worker_token
from observatory.app import create_app
from observatory.demo.filling import fill
from observatory.settings import Settings
from observatory.worker.client import HttpJobClient
from observatory.worker.loop import Worker
from packages.observatory.tests.world import bundle

FREEPLAY = """
name: open
display_name: Open
summary: Everybody
tournament_type: freeplay
is_default: true
freeplay:
  game: { mission: arena, num_agents: 2, max_steps: 40 }
  qualifying_matches: 1
  qualifying_threshold: 0.0
  splits: [[1, 1]]
  repetitions: REPETITIONS
"""
TEAM = """
name: teams
display_name: Teams
summary: Together
tournament_type: team
team:
  game: { mission: arena, num_agents: 2, max_steps: 40 }
  rolling: { start: true, keep_entrants: true }
  stages:
    - { kind: policy_eval, policies_per_team: 1, matches_per_combo: 1, min_policies: 3 }
    - { kind: sample_teams, team_size: 2, num_teams: 2, min_per_policy: 1 }
    - { kind: team_eval, matches_per_team: 1, cull_fraction: 0.5 }
    - { kind: score_policies, top_k: 1 }
"""

# Tells everything that it can find out: variables, arguments, and all that is in the frames of those who called it.
CURIOUS = """
import os, sys
from mettagrid.policy.policy import AgentPolicy, MultiAgentPolicy
from mettagrid.simulator import Action


def everything():
    found, frame = [str(dict(os.environ)), str(sys.argv)], sys._getframe()
    while frame is not None:
        found += [f"{name}={str(value)[:5000]}" for name, value in frame.f_locals.items()]
        frame = frame.f_back
    return found


class Curious(AgentPolicy):
    def step(self, obs):
        if not self._infos:
            self._infos = {"seen": [text[-200:] for text in everything() if "episode" in text][:3]}
            print(everything(), flush=True)
        return Action(name="noop")


class Mine(MultiAgentPolicy):
    def __init__(self, policy_env_info, device="cpu", **kwargs):
        super().__init__(policy_env_info, device=device)
        print(everything(), flush=True)

    def agent_policy(self, agent_id):
        return Curious(self._policy_env_info)
"""


@dataclass
class PlayedLeague:
    """The server and its people: ada, who has a policy of her own, bob, who has none, and an administrator."""

    url: str
    app: FastAPI
    data: Path
    log: io.StringIO
    tokens: dict[str, str]
    mine: str = ""
    streamed: list[str] = field(default_factory=list)
    """everything that the event stream sent to a client connected all the time"""

    def http(self, user: str | None = None) -> httpx.Client:
        headers = {} if user is None else {"X-Auth-Token": self.tokens[user]}
        if user == "admin":
            headers["X-Use-Elevated-Privileges"] = "true"
        # Certificates take longer to read than a call takes, and there are none here.
        return httpx.Client(base_url=self.url, headers=headers, timeout=60, trust_env=False, verify=False)

    def get(self, path: str, user: str | None = None) -> Any:
        with self.http(user) as http:
            answer = http.get(path)
            assert answer.is_success, (path, answer.status_code, answer.text[:300])
            return answer.json()

    def matches(self, season: str, status: str = "completed") -> list[dict[str, Any]]:
        matches = self.get(f"/tournament/seasons/{season}/matches?limit=200")
        return [match for match in matches if match["status"] == status]


def wait_for(condition: Callable[[], Any], *, seconds: float = 240) -> Any:
    deadline = time.monotonic() + seconds
    while not (value := condition()):
        assert time.monotonic() < deadline
        time.sleep(0.25)
    return value


@contextmanager
def played_league(folder: Path, *, repetitions: int = 1) -> Iterator[PlayedLeague]:
    """Play two seasons: a freeplay one, which continues, and a team one, which is complete.

    In the first each of three policies plays alone, and every pair plays `repetitions` times.
    """
    log = io.StringIO()
    handler = logging.StreamHandler(log)
    logging.getLogger().addHandler(handler)
    with socket.socket() as listening:
        listening.bind(("127.0.0.1", 0))
        listening.listen(128)  # whoever comes early waits
        url = f"http://127.0.0.1:{listening.getsockname()[1]}"
        app = create_app(Settings(data_dir=folder / "data", public_url=url, seed_seasons=False, local_workers=0))
        tokens = _people(app)
        league = PlayedLeague(url, app, folder / "data", log, tokens)
        files = []
        for name, text in (("open", FREEPLAY.replace("REPETITIONS", str(repetitions))), ("teams", TEAM)):
            files.append(folder / f"{name}.yaml")
            files[-1].write_text(text)
        fill(app, season_files=files, policies=("cogsguard", "role"))
        server = uvicorn.Server(uvicorn.Config(app, log_config=None))
        stop = threading.Event()
        client = HttpJobClient(url, tokens["worker"])
        threads = [
            threading.Thread(target=server.run, kwargs={"sockets": [listening]}),
            threading.Thread(target=Worker(client, "one", stopping=stop.is_set).run),
            threading.Thread(target=_watch, args=(league, stop)),
        ]
        for thread in threads:
            thread.start()
        try:
            league.mine = _upload(league)
            wait_for(lambda: len(league.matches("open")) >= 3 + 3 * repetitions)
            wait_for(lambda: league.get("/tournament/seasons/teams")["status"] == "complete")
            yield league
        finally:
            stop.set()
            app.state.database.changes.close()
            server.should_exit = True
            for thread in threads:
                thread.join(60)
            client.close()
            logging.getLogger().removeHandler(handler)


def _people(app: FastAPI) -> dict[str, str]:
    now = app.state.clock()
    tokens = {}
    with app.state.database.transaction() as session:
        for name in ("ada", "bob", "admin"):
            user = create_user(session, email=f"{name}@example.com", name=name, now=now, is_admin=name == "admin")
            tokens[name] = mint_user_token(session, user, now=now)
        tokens["worker"] = mint_worker_token(session, "worker", now=now).text
    return tokens


def _upload(league: PlayedLeague) -> str:
    """Ada's policy, uploaded and submitted as anybody's is."""
    with league.http("ada") as http:
        place = http.post("/stats/policies/submit/presigned-url").json()
        data = bundle({"my_policy.py": CURIOUS})
        assert httpx.put(place["upload_url"], content=data, headers={"Content-Type": "application/zip"}).is_success
        body = {"upload_id": place["upload_id"], "name": "mine"}
        policy = http.post("/stats/policies/submit/complete", json=body).json()
        for season in ("open", "teams"):
            answer = http.post(f"/tournament/seasons/{season}/submissions", json={"policy_version_id": policy["id"]})
            assert answer.status_code == 200, answer.text
    return str(uuid.UUID(policy["id"]))


def _watch(league: PlayedLeague, stop: threading.Event) -> None:
    """Keep what the stream of events says."""
    while not stop.is_set():
        try:
            with (
                httpx.Client(trust_env=False, timeout=5, verify=False) as http,
                http.stream("GET", f"{league.url}/observatory/api/events?season=open") as answer,
            ):
                for line in answer.iter_lines():
                    league.streamed.append(line)
                    if stop.is_set():
                        return
        except httpx.HTTPError:
            stop.wait(0.2)
