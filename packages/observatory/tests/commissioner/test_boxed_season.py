"""A whole team season of real games in boxes, with policies that attack the machine and one that breaks."""

from __future__ import annotations

import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from observatory.seasons.config import SeasonPreset
from observatory.seasons.creation import create_season
from observatory.store import job_key
from observatory.worker.client import HttpJobClient
from observatory.worker.loop import Worker
from packages.observatory.tests.commissioner.conftest import PlayingLeague
from packages.observatory.tests.conftest import Account
from packages.observatory.tests.world import TEAM, bundle

PROGRAMS = Path(__file__).resolve().parents[3] / "cogbox" / "tests" / "hostile" / "programs"
STEPS = 200
STAGES = [
    {"kind": "policy_eval", "policies_per_team": 1, "matches_per_combo": 1, "min_policies": 8},
    {"kind": "sample_teams", "team_size": 2, "num_teams": 4, "min_per_policy": 1},
    {"kind": "team_eval", "matches_per_team": 1, "cull_fraction": 0.5},
    {"kind": "score_policies", "top_k": 2},
]
POLICY = """
import os, runpy
from mettagrid.policy.policy import AgentPolicy, MultiAgentPolicy
from mettagrid.simulator import Action


class Agent(AgentPolicy):
    steps = 0

    def step(self, obs):
        self.steps += 1
        if self.steps == AT_STEP:
            AT_STEP_DO
        return Action(name="ACTION")


class Mine(MultiAgentPolicy):
    def agent_policy(self, agent_id):
        return Agent(self._policy_env_info)
"""


def source(action: str, at_step: int = 0, do: str = "pass") -> str:
    return POLICY.replace("AT_STEP_DO", do).replace("AT_STEP", str(at_step)).replace("ACTION", action)


def hostile(program: str) -> dict[str, str]:
    attack = f"runpy.run_path(os.path.join(os.path.dirname(__file__), '{program}.py'), run_name='__main__')"
    files = {f"{name}.py": (PROGRAMS / f"{name}.py").read_text() for name in (program, "kit")}
    return {"my_policy.py": source("noop", 3, attack), **files}


ACTIONS = ["noop", "move_north", "move_south", "move_east", "move_west"]
BAD = {
    "forks": hostile("fork_bomb"),
    "closes": hostile("closes_everything"),
    "breaks": {"my_policy.py": source("noop", 50, "raise ValueError('step 50')")},
}


def upload(league: PlayingLeague, account: Account, name: str, files: dict[str, str]) -> str:
    """A version, by the published calls."""
    place = league.http.post("/stats/policies/submit/presigned-url", headers=account.headers).json()
    address = place["upload_url"].replace("http://testserver", league.url)
    sent = league.http.put(address, content=bundle(files), headers={"Content-Type": "application/zip"})
    assert sent.is_success, sent.text
    body = {"upload_id": place["upload_id"], "name": name}
    answer = league.http.post("/stats/policies/submit/complete", json=body, headers=account.headers)
    assert answer.is_success, answer.text
    return str(answer.json()["id"])


@pytest.mark.parametrize("database_kind", ["sqlite"], indirect=True, scope="session")
def test_eight_policies_play_a_season_in_boxes_and_only_the_broken_ones_are_retired(
    playing: Callable[..., PlayingLeague],
) -> None:
    from cogames.missions import load

    league = playing()
    game = {"mission": "arena", "num_agents": 4, "max_steps": STEPS}
    rules = {"game": game, "stages": STAGES, "max_failed_attempts": 2}
    env = load("arena", variants=[], cogs=4)
    env.game.max_steps = STEPS
    with league.app.state.database.transaction() as session:
        preset = SeasonPreset(**{**TEAM, "team": rules})
        season = create_season(session, preset, env.model_dump(mode="json"), now=league.world.clock()).name
    users = [league.user("good"), league.user("bad")]
    good = {upload(league, users[0], f"goes-{a}", {"my_policy.py": source(a)}): a for a in ACTIONS}
    bad = {upload(league, users[1], name, files): name for name, files in BAD.items()}
    for version in (*good, *bad):
        league.submit(users[version in bad], season, version)
    league.start(season)

    stop = threading.Event()
    clients = [HttpJobClient(league.url, league.worker_token()) for _ in range(2)]
    workers = [Worker(client, f"real-{n}", stopping=stop.is_set) for n, client in enumerate(clients)]
    threads = [threading.Thread(target=worker.run) for worker in workers]
    for thread in threads:
        thread.start()
    try:
        league.wait_for(lambda: league.is_complete(season), seconds=300)
    finally:
        stop.set()
        for thread in threads:
            thread.join()
        for client in clients:
            client.close()

    for version, name in bad.items():
        (out,) = [n for n in league.get(f"/tournament/policies/{version}/memberships") if n["action"] == "remove"]
        assert out["notes"] == "It failed in 2 matches and completed none", name
    matches = league.get(f"/tournament/seasons/{season}/matches", params={"limit": 100})
    failed = [match for match in matches if match["status"] == "failed"]
    assert sorted(bad[match["players"][0]["policy"]["id"]] for match in failed) == sorted([*bad.values()] * 2)
    assert {match["error_type"] for match in failed} == {"policy_error"}
    completed = [match for match in matches if match["status"] == "completed"]
    assert len(completed) == len(good) + 4
    for match in completed:
        details: dict[str, Any] = league.get(f"/tournament/matches/{match['id']}")
        assert details["episode"]["steps"] == STEPS
        assert league.app.state.store.size(job_key(match["job_id"], "replay.json.z"))
    table = league.get(f"/tournament/seasons/{season}/score-policies-leaderboard")
    final = league.get(f"/tournament/seasons/{season}/teams", params={"pool_name": "team-round-2"})
    assert len(final) == 2 and {row["policy"]["id"] for row in table} <= set(good)
