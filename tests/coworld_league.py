"""A running server with a Coworld, a league of it, players and a round; for tests of `coworld` and other clients."""

from __future__ import annotations

import hashlib
import json
import uuid
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import httpx
from sqlalchemy import update

from coworld.server.policy_upload import archived
from coworld.templates import write_template
from observatory.database.tables.jobs import Job
from observatory.job_states import JobStatus
from observatory.jobs.shares import REQUESTS
from packages.observatory.tests.coworlds.games import game, pass_certification, pass_smoke_episodes
from packages.observatory.tests.leagues.field import Field
from tests.league import Account, League, make_account, running_server

__all__ = ["CALLS", "running_coworld_league"]

CALLS = Path(__file__).resolve().parent / "compat" / "published_league_calls.json"
"""reading calls of published clients; tests/compat/leagues_client.py records them"""

LEAGUE_NAME, LADDER_NAME = "Paint Main", "Paint Ladder"
EPISODE_FILES = {
    "results.json": json.dumps({"scores": [3, 5], "painted_tiles": [3, 5], "ticks": 12}).encode(),
    "replay": b"a replay",
    "game.log": b"the game began\n",
    "policy_agent_0.log": b"I am ada's\n",
    "policy_agent_1.log": b"I am bob's\n",
    "policy_artifact_0.zip": b"PK\x05\x06" + bytes(18),
}
CONTENT_TYPES = {"json": "application/json", "log": "text/plain", "zip": "application/zip"}


@contextmanager
def running_coworld_league(folder: Path) -> Iterator[League]:
    """A server on a free port of this machine, until the block ends.

    In it: the users ada (`{token}`), bob (`{other_token}`) and an administrator (`{admin_token}`); ada's Coworld
    `paintarena`, canonical; a league of it, with a policy of each user and a completed round; a request of ada's with
    a completed and a failed episode; the league `Paint Ladder` of the same Coworld and policies, which plays by itself:
    a settled round (`{ladder_round}`), and one that is being played (`{running_round}`).
    """
    with running_server(folder) as league:
        _fill(league, folder)
        league.log.clear()
        yield league


def _patient_game() -> dict[str, Any]:
    """Return Paint Arena that waits longer for players, so that episodes are the same on a busy machine."""
    manifest = game(variants=2)
    for variant in manifest["variants"]:
        variant["game_config"]["tick_rate"] = 4
    return manifest


def _fill(league: League, folder: Path) -> None:
    world, app = league.world, league.world.app
    ada, bob, root = (make_account(world, name) for name in ("ada", "bob", "root"))
    league.names |= {"url": league.url, "token": ada.token, "other_token": bob.token, "admin_token": root.token}
    with _http(league, ada) as http:
        coworld = _ok(http.post("/v2/coworlds/upload", json={"manifest": _patient_game()}))["id"]
        pass_certification(app, world.clock, coworld)
        pass_smoke_episodes(app, world.clock, coworld)
        body = {"coworld_name": "paintarena", "league_key": "main", "league_name": LEAGUE_NAME}
        seed = _ok(http.post("/v2/coworld-league-seeds", json=body))
        [division] = _ok(http.get("/v2/divisions", params={"league_id": seed["league_id"]}))
        player = _ok(http.get("/players"))[0]["id"]
    league.names |= {
        "coworld": coworld,
        "seed": seed["id"],
        "league": seed["league_id"],
        "division": division["id"],
        "player": player,
    }
    write_template("python", folder / "player")
    player_archive = archived(folder / "player")
    versions = []
    for account, prefix in ((ada, ""), (bob, "other_")):
        with _http(league, account) as http:
            version = uuid.UUID(_upload(http, "mine" if account is ada else "theirs", player_archive))
            versions.append(version)
            body = {"league_id": seed["league_id"], "policy_version_id": str(version)}
            entered = _ok(http.post("/v2/league-submissions", json=body))
        league.names |= {
            f"{prefix}version": str(version),
            f"{prefix}submission": entered["id"],
            f"{prefix}membership": entered["league_policy_membership_id"],
        }
    field = Field(world, None)  # type: ignore[arg-type]
    completed = field.round(division["id"], dict(zip(versions, (2.0, 1.0), strict=True)))
    league.names |= {"round": completed, "pool": completed.replace("round_", "pool_")}
    _request(league, ada, root)
    _ladder(league, (ada, bob), versions)


def _ladder(league: League, accounts: Sequence[Account], versions: Sequence[uuid.UUID]) -> None:
    """Make a league that plays by itself, and play its first round."""
    loop = league.world.app.state.league_loop
    ada = accounts[0]
    with _http(league, ada) as http:
        body = {"coworld_name": "paintarena", "league_key": "ladder", "league_name": LADDER_NAME}
        ladder = _ok(http.post("/v2/coworld-league-seeds", json=body))["league_id"]
        settings = {"ladder": {"enabled": True, "scheduler": {"strategy": "round_robin"}}}
        _ok(http.post(f"/v2/leagues/{ladder}/settings", json=settings))
        [division] = _ok(http.get("/v2/divisions", params={"league_id": ladder}))
    for account, version in zip(accounts, versions, strict=True):
        with _http(league, account) as http:
            body = {"league_id": ladder, "policy_version_id": str(version)}
            _ok(http.post("/v2/league-submissions", json=body))
    loop.check_all()
    with httpx.Client(base_url=league.url, timeout=60, trust_env=False, verify=False) as http:
        _play(http, league.names["worker_token"], EPISODE_FILES)
    loop.check_all()
    with _http(league, ada) as http:
        running, settled = _ok(http.get("/v2/rounds", params={"league_id": ladder}))["entries"]
    assert (running["status"], settled["status"]) == ("running", "completed")
    with league.world.database.transaction() as session:  # workers of tests play the episodes that tests request first
        last = {"queue_group": REQUESTS, "priority": -1}
        session.execute(update(Job).where(Job.status == JobStatus.PENDING).values(last))
    league.names |= {
        "ladder": ladder,
        "ladder_division": division["id"],
        "ladder_round": settled["id"],
        "running_round": running["id"],
        "running_pool": running["id"].replace("round_", "pool_"),
    }


def _upload(http: httpx.Client, name: str, archive: bytes) -> str:
    """Upload a player's archive; return the id of its version."""
    body = {"name": name, "content_hash": hashlib.sha256(archive).hexdigest(), "size_bytes": len(archive), "tags": {}}
    begun = http.post("/stats/policies/files/upload", json=body)
    if begun.status_code != 409:  # the bytes are stored already
        octets = {"Content-Type": "application/octet-stream"}
        answer = httpx.put(_ok(begun)["upload_url"], content=archive, headers=octets, trust_env=False, verify=False)
        assert answer.is_success, answer.text
    version: str = _ok(http.post("/stats/policies/files/complete", json=body))["id"]
    return version


def _request(league: League, ada: Account, root: Account) -> None:
    """Ask for two episodes as ada, and end them as a worker does: one with files, one with a failure of seat 1."""
    roster = [{"player": {"policy_ref": ref}} for ref in ("mine", league.names["other_version"])]
    body = {"target": {"league_id": league.names["league"]}, "roster": roster, "num_episodes": 2, "title": "first"}
    with _http(league, ada) as http:
        request = _ok(http.post("/v2/experience-requests", json=body))
    elevated = {"X-Auth-Token": root.token, "X-Use-Elevated-Privileges": "true"}
    with httpx.Client(base_url=league.url, timeout=60, trust_env=False, verify=False) as http:
        worker = _ok(http.post("/admin/tokens", json={"name": "worker"}, headers=elevated))["token"]
        failure = {"error_type": "player_error", "message": "it left", "failed_policy_index": 1}
        for name, files, error in (("episode", EPISODE_FILES, None), ("failed_episode", {}, failure)):
            lease = _play(http, worker, files, error)
            job = name.replace("episode", "job")
            league.names |= {name: lease["spec"]["episode_request_id"], job: lease["job_id"]}
    league.names |= {"request": request["id"], "worker_token": worker}


def _play(http: httpx.Client, worker: str, files: Mapping[str, bytes], error: Any = None) -> Any:
    """End the next job as a worker does, with these files; return its lease."""
    lease = _ok(http.post("/work/lease", json={"worker": "w"}, headers={"X-Auth-Token": worker}))
    for file, data in files.items():
        kind = CONTENT_TYPES.get(file.rpartition(".")[2], "application/octet-stream")
        answer = http.put(lease["outputs"][file], content=data, headers={"Content-Type": kind})
        assert answer.is_success, (file, answer.text)
    end = {"status": "completed" if error is None else "failed", "error_info": error}
    headers = {"X-Auth-Token": lease["job_token"]}
    _ok(http.post(f"/work/jobs/{lease['job_id']}/finish", json=end, headers=headers))
    return lease


def _http(league: League, account: Account) -> httpx.Client:
    headers = {"Authorization": f"Bearer {account.token}"}
    return httpx.Client(base_url=league.url, headers=headers, timeout=60, trust_env=False, verify=False)


def _ok(response: httpx.Response) -> Any:
    assert response.is_success, (response.url, response.status_code, response.text)
    return response.json()
