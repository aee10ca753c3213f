"""The callers of the routes of episodes on request. Ada asked for the episode; her policy and her player are in it."""

from __future__ import annotations

import uuid
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from fastapi.testclient import TestClient

from observatory.database.tables.policies import PolicyVersion
from packages.observatory.tests.requests.conftest import Arena
from packages.observatory.tests.world import World


@dataclass(frozen=True)
class RequestScene:
    """A request with a played episode."""

    game: str
    request: str
    episode_request: str
    job: str
    episode: str
    version: uuid.UUID
    replay: str

    def words(self, template: str) -> dict[str, str]:
        """Values for the parameters of a path."""
        if template.startswith("/observatory/"):
            episode, output = self.episode_request, str(uuid.UUID(int=0))
            return {"episode": episode, "coworld": self.game, "output_id": output, "link": "x", "path": "x"}
        if template.startswith("/v2/episodes/"):
            return {"episode_id": self.episode}
        if template.startswith("/jobs/{job_id}/"):
            return {"job_id": self.job, "artifact_type": "logs", "agent": "0"}
        if not template.startswith(("/v2/experience-requests", "/v2/episode-requests")):
            return {}
        request_id = self.request if template.startswith("/v2/experience") else self.episode_request
        version, kind = str(self.version), "results"
        return {"request_id": request_id, "policy_version_id": version, "agent": "0", "artifact_type": kind}


def make_requests(client: TestClient, world: World, owner: Any, player_id: str, token: str) -> RequestScene:
    arena = Arena(world, client)
    game = arena.coworld(owner, version="7.7.7")
    version = arena.policy(owner, "painter")
    with world.database.transaction() as session:
        session.get_one(PolicyVersion, version).player_id = player_id
    roster = [{"policy_ref": str(version)}, {"game_player": "sweep"}]
    request = arena.ask(owner, game, roster, variant_id="quick-small")
    job = request["episodes"][0]["job_id"]
    while (lease := arena.lease(token)) is not None:  # other jobs of the scene may wait too
        if lease["job_id"] == job:
            files = {
                "results.json": b'{"scores": [1, 2]}',
                "replay": b"replay",
                "game.log": b"log",
                "policy_agent_0.log": b"log",
                "policy_artifact_0.zip": b"zip",
                "policy_annotations_0.jsonl": b"{}\n",
            }
            arena.finish(lease, files)
            break
    row = arena.get(owner, f"/v2/experience-requests/{request['id']}/episodes")[0]
    assert row["status"] == "completed", row
    return RequestScene(game, request["id"], row["id"], job, row["episode_id"], version, row["replay_url"])


def body(scene: Any) -> dict[str, Any]:
    return {"coworld_id": scene.requests.game, "roster": [{"player": {"game_player": "sweep"}}] * 2}


# Callers: anonymous, expired, worker, other, reader, owner, writer, admin.
SIGNED_IN = "401 401 401 {0} {0} {0} {0} {0}"
PUBLIC = "{0} 401 401 {0} {0} {0} {0} {0}"
EPISODE = "404 401 401 404 200 200 200 200"
OWN = "401 401 401 404 200 200 200 200"
FRAME = " ".join(["404"] * 8)
ONE = "/v2/episode-requests/{request_id}"
ALL = "/v2/experience-requests"

REQUEST_ROUTES: dict[str, tuple[str, Callable[[Any], Any] | None]] = {
    f"GET {ALL}": (SIGNED_IN.format(200), None),
    f"GET {ALL}/{{request_id}}": (OWN, None),
    f"GET {ALL}/{{request_id}}/episodes": (OWN, None),
    f"GET {ALL}/{{request_id}}/episode-requests": (OWN, None),
    f"POST {ALL}/{{request_id}}/cancel": ("401 401 401 404 403 409 409 409", None),
    "GET /v2/episode-requests": (PUBLIC.format(200), None),
    "GET /v2/episode-requests/changes": (SIGNED_IN.format(422).replace("401", "422"), None),
    "GET /v2/episode-requests/download-manifest": (SIGNED_IN.format(422), None),
    f"GET {ONE}": (EPISODE, None),
    f"GET {ONE}/episode-stats": (EPISODE, None),
    f"GET {ONE}/artifacts/{{artifact_type}}": (EPISODE, None),
    f"GET {ONE}/policy-artifacts": (OWN, None),
    f"GET {ONE}/reproduction": (OWN, None),
    f"GET {ONE}/replay-page": (EPISODE, None),
    f"GET {ONE}/bundle": (EPISODE, None),
    f"GET {ONE}/{{policy_version_id}}/policy-logs/{{agent}}": (OWN, None),
    f"GET {ONE}/{{policy_version_id}}/policy-artifact/{{agent}}": (OWN, None),
    f"GET {ONE}/{{policy_version_id}}/annotations": (OWN, None),
    "GET /v2/episodes/{episode_id}/bundle": (EPISODE, None),
    "GET /v2/policy-versions/{policy_version_id}/episode-requests": (PUBLIC.format(200), None),
    "GET /v2/rounds/{round_id}/episode-requests": (PUBLIC.format(200), None),
    "GET /jobs/{job_id}/artifacts/{artifact_type}": (OWN, None),
    "GET /jobs/{job_id}/episode-stats": (OWN, None),
    "GET /jobs/{job_id}/policy-logs": (OWN, None),
    "GET /jobs/{job_id}/policy-logs/{agent}": (OWN, None),
    "GET /jobs/{job_id}/policy-artifact": (OWN, None),
    "GET /jobs/{job_id}/policy-artifact/{agent}": (OWN, None),
    "POST /v2/coworlds/replays/session": (
        "401 401 401 400 403 200 200 200",
        lambda scene: {"coworld_id": scene.requests.game, "replay_uri": scene.requests.replay},
    ),
    # the pages of episodes and games; the address of a frame is its proof
    "GET /observatory/api/front": (PUBLIC.format(200), None),
    "GET /observatory/api/search": (PUBLIC.format(200), None),
    "GET /observatory/api/profile": (SIGNED_IN.format(200), None),
    "GET /observatory/api/policies/{policy_version_id}/leagues": (PUBLIC.format(200), None),
    "GET /observatory/api/coworlds": (PUBLIC.format(200), None),
    "GET /observatory/api/coworlds/{coworld}": (PUBLIC.format(200), None),
    "GET /observatory/api/episodes/{episode}": (EPISODE, None),
    "GET /observatory/api/episodes/{episode}/frames": (EPISODE, None),
    "GET /observatory/api/episodes/{episode}/outputs/{output_id}": (EPISODE.replace("200", "404"), None),
    "GET /observatory/frames/replays/{link}/_coworld/replay": (FRAME, None),
    "GET /observatory/frames/replays/{link}/{path:path}": (FRAME, None),
    "GET /observatory/frames/reports/{link}/page.html": (FRAME, None),
    # last: what each caller asked for is theirs, and lists before it are the same for all
    f"POST {ALL}": ("401 401 401 200 403 200 200 200", body),
}
