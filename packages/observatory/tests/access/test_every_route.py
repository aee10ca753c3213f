"""Permissions: every route of the server against every kind of caller.

A route that is not in the table fails the test, so every new route needs a row that says who may call it.
"""

from __future__ import annotations

import uuid
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from datetime import timedelta
from typing import Any

import pytest
from fastapi import FastAPI
from fastapi.routing import iter_route_contexts
from fastapi.testclient import TestClient

from mettagrid.config.mettagrid_config import MettaGridConfig
from observatory.accounts import service as accounts
from observatory.database.tables.accounts import User
from observatory.http.rate_limits import RateLimits
from observatory.jobs.service import create_job
from observatory.store import job_key
from packages.observatory.tests.access.coworld_routes import COWORLD_ROUTES, CoworldScene, make_coworld
from packages.observatory.tests.access.hosting_routes import HOSTING_ROUTES, HostingScene, make_hosting
from packages.observatory.tests.access.image_routes import IMAGE_ROUTES, PushedImage, push_image
from packages.observatory.tests.access.league_routes import LEAGUE_ROUTES, LeagueScene, make_league
from packages.observatory.tests.access.request_routes import REQUEST_ROUTES, RequestScene, make_requests
from packages.observatory.tests.access.social_routes import SOCIAL_ROUTES, SocialScene, make_social
from packages.observatory.tests.world import World

SECRET = "the-secret-of-adas-policy"

# In the order in which they call: those who should change nothing first.
CALLERS = ("anonymous", "expired", "worker", "other", "reader", "owner", "writer", "admin")

PUBLIC = "200 401 401 200 200 200 200 200"
SIGNED_IN = "401 401 401 200 200 200 200 200"
ADMIN = "401 401 401 403 403 403 403 {}"
USER = "401 401 401 {other} 403 {owner} 403 {admin}"
OPEN = "{0} {0} {0} {0} {0} {0} {0} {0}"  # no token is looked at


@dataclass
class Scene:
    """Something of everything; most of it is ada's, who is the owner."""

    version: uuid.UUID
    new_version: uuid.UUID
    match: uuid.UUID
    job: uuid.UUID
    own_job: uuid.UUID
    run: str
    episode: str
    config: str
    policy: str
    player: str
    credentials: Iterator[str]
    tokens: dict[str, str]
    user_id: str
    admin_tokens: Iterator[str]
    image: PushedImage
    coworld: CoworldScene
    league: LeagueScene
    requests: RequestScene
    hosting: HostingScene
    social: SocialScene
    numbers: Iterator[int] = field(default_factory=lambda: iter(range(10**6)))

    def path(self, template: str) -> str:
        words = {
            "season": "open",
            "pool": "competition",
            "kind": "policy",
            "config_id": self.config,
            "policy_version_id": self.version,
            "policy_id": self.policy,
            "match_id": self.match,
            "agent_idx": 0,
            "artifact_type": "logs",
            "engine": "bitworld",
            "episode_id": self.episode,
            "run_id": self.run,
            "job_id": self.own_job,
            "player_id": self.player,
            "user_id": self.user_id,
            "token_id": uuid.uuid4(),
            "invitation_id": uuid.uuid4(),
            "worker": "a-worker",
            "key:path": "jobs/x/results.json",
            "host": "models.example.com",
            **self.league.words(),
            **self.hosting.words(),
            **self.social.words(),
            "path:path": "client/player",
            **self.requests.words(template),
            **self.image.words(template),
            **self.coworld.words(template),
        }
        if "{credential_id}" in template:
            words["credential_id"] = next(self.credentials)
        if template == "/admin/tokens/{token_id}":
            words["token_id"] = next(self.admin_tokens)
        for name, value in words.items():
            template = template.replace("{" + name + "}", str(value))
        return template

    def name(self) -> str:
        return f"new {next(self.numbers)}"


def job_body() -> dict[str, Any]:
    env = MettaGridConfig.EmptyRoom(num_agents=1).model_dump(mode="json")
    return {"job": {"policy_uris": ["metta://policy/random"], "assignments": [0], "env": env}}


# Statuses of the callers, in their order; and, where a request has one, its body.
ROUTES: dict[str, tuple[str, Callable[[Scene], Any] | None]] = {
    # operations and documents
    "GET /healthz": (OPEN.format(200), None),
    "GET /readyz": (OPEN.format(200), None),
    "GET /metrics": (ADMIN.format(200), None),
    "GET /openapi.json": (OPEN.format(200), None),
    "GET /docs": (OPEN.format(200), None),
    # who one is
    "GET /whoami": (SIGNED_IN, None),
    "GET /validate": (SIGNED_IN, None),
    "GET /flags/me": (OPEN.format(200), None),
    "POST /credentials/auth-codes/exchange": (OPEN.format(410), lambda scene: {"code": "code_" + "x" * 30}),
    "GET /players": (USER.format(other=200, owner=200, admin=200), None),
    "POST /players": (USER.format(other=200, owner=200, admin=200), lambda scene: {"name": scene.name()}),
    "POST /players/{player_id}/login": (USER.format(other=404, owner=200, admin=404), None),
    "GET /players/{player_id}/credentials": (USER.format(other=404, owner=200, admin=404), None),
    "POST /players/{player_id}/credentials": (
        USER.format(other=404, owner=200, admin=404),
        lambda scene: {"name": scene.name()},
    ),
    "DELETE /players/{player_id}/credentials/{credential_id}": (USER.format(other=404, owner=200, admin=404), None),
    # administration
    "GET /admin/users": (ADMIN.format(200), None),
    "POST /admin/users": (ADMIN.format(201), lambda scene: {"email": scene.name().replace(" ", "")}),
    "PATCH /admin/users/{user_id}": (ADMIN.format(200), lambda scene: {"is_admin": False}),
    "GET /admin/tokens": (ADMIN.format(200), None),
    "POST /admin/tokens": (ADMIN.format(201), lambda scene: {"name": scene.name()}),
    "DELETE /admin/tokens/{token_id}": (ADMIN.format(200), None),
    "POST /admin/invitations": (ADMIN.format(201), lambda scene: {}),
    # pages: cookies count there, and tokens do not
    "GET /sign-in": (OPEN.format(200), None),
    "POST /sign-in": (OPEN.format(403), None),
    "POST /sign-out": (OPEN.format(403), None),
    "GET /join": (OPEN.format(404), None),
    "POST /join": (OPEN.format(403), None),
    "GET /cli-login": (OPEN.format(303), None),
    "POST /cli-login": (OPEN.format(403), None),
    "GET /cli-auth": (OPEN.format(303), None),
    "POST /cli-auth": (OPEN.format(403), None),
    "GET /github/sign-in": (OPEN.format(404), None),
    "GET /github/callback": (OPEN.format(403), None),
    "GET /observatory/home": (OPEN.format(303), None),
    "POST /home/tokens/{token_id}/revoke": (OPEN.format(303), None),
    # seasons
    "GET /tournament/seasons": (PUBLIC, None),
    "GET /tournament/seasons/{season}": (PUBLIC, None),
    "GET /tournament/seasons/{season}/versions": (PUBLIC, None),
    "GET /tournament/seasons/{season}/stages": (PUBLIC, None),
    "GET /tournament/seasons/{season}/progress": (PUBLIC.replace("200", "400"), None),
    "POST /tournament/seasons/{season}/start": (ADMIN.format(400), None),
    "GET /tournament/seasons/{season}/teams": (PUBLIC, None),
    "GET /tournament/seasons/{season}/leaderboard": (PUBLIC, None),
    "GET /tournament/seasons/{season}/leaderboard/{kind}/{pool}": (PUBLIC, None),
    "GET /tournament/seasons/{season}/score-policies-leaderboard": (PUBLIC.replace("200", "400"), None),
    "GET /tournament/seasons/{season}/policies": (PUBLIC, None),
    "POST /tournament/seasons/{season}/submissions": (
        "401 401 401 403 403 200 409 403",
        lambda scene: {"policy_version_id": str(scene.new_version)},
    ),
    "DELETE /tournament/seasons/{season}/submissions/{policy_version_id}": ("401 401 401 403 403 200 409 403", None),
    "GET /tournament/seasons/{season}/pools/{pool}/config": (PUBLIC, None),
    "GET /tournament/configs/{config_id}": (PUBLIC, None),
    "GET /tournament/policies/{policy_version_id}/memberships": (PUBLIC, None),
    "GET /tournament/my-memberships": (SIGNED_IN, None),
    "GET /tournament/seasons/{season}/matches": (PUBLIC, None),
    "GET /tournament/matches/{match_id}": (PUBLIC, None),
    "GET /tournament/matches/{match_id}/explanation": (PUBLIC, None),
    "GET /tournament/matches/{match_id}/{policy_version_id}/policy-logs": ("401 401 401 403 200 200 200 200", None),
    "GET /tournament/matches/{match_id}/{policy_version_id}/policy-logs/{agent_idx}": (
        "401 401 401 403 200 200 200 200",
        None,
    ),
    "GET /tournament/matches/{match_id}/{policy_version_id}/artifacts/{artifact_type}": (
        "401 401 401 403 200 200 200 200",
        None,
    ),
    # what pages ask for
    "GET /observatory/api/me": (PUBLIC, None),
    "GET /observatory/api/seasons": (PUBLIC, None),
    "GET /observatory/api/seasons/{season}": (PUBLIC, None),
    "GET /observatory/api/seasons/{season}/table": (PUBLIC, None),
    "GET /observatory/api/seasons/{season}/teams": (PUBLIC, None),
    "GET /observatory/api/seasons/{season}/matches": (PUBLIC, None),
    "GET /observatory/api/matches/{match_id}": (PUBLIC, None),
    "GET /observatory/api/policies/{policy_version_id}": (PUBLIC, None),
    "GET /observatory/api/policies/{policy_version_id}/matches": (PUBLIC, None),
    "GET /observatory/api/policies/{policy_version_id}/diagnosis": ("401 401 401 403 200 200 200 403", None),
    "POST /observatory/api/policies/{policy_version_id}/diagnosis": ("401 401 401 403 403 200 409 403", None),
    "GET /observatory/api/queue": (PUBLIC, None),
    "GET /observatory/api/events": (PUBLIC, None),
    "GET /observatory/api/front-match": (OPEN.format(200), None),
    "GET /observatory/api/live": (PUBLIC, None),
    # the pages themselves, and pictures of public facts: no authentication
    "GET /": (OPEN.format(307), None),
    "GET /observatory": (OPEN.format(200), None),
    "GET /observatory/{rest:path}": (OPEN.format(404), None),
    "GET /observatory/assets/{name}": (OPEN.format(422), None),
    "GET /observatory/policies/{policy_version_id}": (OPEN.format(200), None),
    "GET /observatory/viewer": (OPEN.format(307), None),
    "GET /observatory/viewer/": (OPEN.format(200), None),
    "GET /observatory/viewer/assets/{name}": (OPEN.format(422), None),
    "GET /observatory/viewer/{engine}/": (OPEN.format(200), None),
    "GET /observatory/viewer/{engine}/assets/{name}": (OPEN.format(422), None),
    "GET /observatory/api/policies/{policy_version_id}/card.svg": (OPEN.format(200), None),
    "GET /observatory/api/policies/{policy_version_id}/card.png": (OPEN.format(200), None),
    # policies
    "GET /stats/policy-versions": (PUBLIC, None),
    "GET /stats/policy-versions/{policy_version_id}": (PUBLIC, None),
    "GET /stats/policy-versions/{policy_version_id}/bundle": ("401 401 401 403 200 200 200 200", None),
    "DELETE /stats/policy-versions/{policy_version_id}": ("401 401 401 403 403 409 409 403", None),
    "DELETE /stats/policies/{policy_id}": ("401 401 401 403 403 409 409 403", None),
    "GET /stats/policies": (PUBLIC, None),
    "POST /stats/policies/submit/presigned-url": ("401 401 401 200 403 200 200 200", None),
    "POST /stats/policies/submit/complete": (
        "401 401 401 400 403 400 400 400",
        lambda scene: {"upload_id": str(uuid.uuid4()), "name": "x"},
    ),
    "GET /stats/policy-versions/{policy_version_id}/network": ("401 401 401 403 200 200 200 200", None),
    "POST /stats/policy-versions/{policy_version_id}/network": (
        ADMIN.format(200),
        lambda scene: {"host": "models.example.com"},
    ),
    "DELETE /stats/policy-versions/{policy_version_id}/network/{host}": (ADMIN.format(200), None),
    "POST /stats/policies": ("401 401 401 200 403 200 200 200", lambda scene: {"name": scene.name()}),
    "GET /stats/policies/my-versions": (SIGNED_IN, None),
    "POST /stats/policies/submit": ("401 401 401 422 403 422 422 422", None),
    "GET /stats/policies/versions/{policy_version_id}": (PUBLIC, None),
    "PUT /stats/policies/versions/{policy_version_id}/tags": (
        "401 401 401 403 403 200 200 403",
        lambda scene: {"tags": {}},
    ),
    "GET /stats/policies/{policy_version_id}": (PUBLIC, None),
    "GET /stats/policies/{policy_id}/versions": (PUBLIC, None),
    "POST /stats/policies/{policy_id}/versions": ("401 401 401 403 403 200 200 403", lambda scene: {}),
    # episodes and assays
    "GET /episodes": (PUBLIC, None),
    "GET /episodes/{episode_id}": (PUBLIC, None),
    "GET /episodes/{episode_id}/replay.json.z": (PUBLIC.replace("200", "307"), None),
    "GET /episodes/{episode_id}/scenes.z": (PUBLIC.replace("200", "307"), None),
    "POST /stats/episodes/query": (SIGNED_IN, lambda scene: {}),
    "POST /stats/episodes/bulk_upload/presigned-url": ("401 401 401 200 403 200 200 200", None),
    "POST /stats/episodes/bulk_upload/complete": (
        "401 401 401 400 403 400 400 400",
        lambda scene: {"upload_id": str(uuid.uuid4())},
    ),
    "POST /assay/runs": (
        "401 401 401 403 403 200 200 403",
        lambda scene: {"policy_version_id": str(scene.version), "missions": [mission()]},
    ),
    "GET /assay/runs": (SIGNED_IN, None),
    "GET /assay/runs/{run_id}": ("401 401 401 404 200 200 200 404", None),
    "GET /assay/runs/{run_id}/results": ("401 401 401 404 200 200 200 404", None),
    "POST /assay/runs/{run_id}/finalize": ("401 401 401 404 403 409 409 404", None),
    **SOCIAL_ROUTES,
    # jobs
    "GET /work/queue": ("401 401 200 401 401 401 401 401", None),
    "POST /work/lease": ("401 401 200 401 401 401 401 401", lambda scene: {"worker": "x"}),
    "POST /work/jobs/{job_id}/heartbeat": (OPEN.format(403), lambda scene: {}),
    "POST /work/jobs/{job_id}/secrets": (OPEN.format(403), None),
    "POST /work/jobs/{job_id}/release": (OPEN.format(403), None),
    "POST /work/jobs/{job_id}/finish": (OPEN.format(403), lambda scene: {"status": "completed"}),
    "POST /work/jobs/{job_id}/commissioner/connect": (OPEN.format(403), None),
    "POST /work/jobs/{job_id}/commissioner/messages": (
        OPEN.format(403),
        lambda scene: {"connection": 1, "number": 1, "text": "{}"},
    ),
    "POST /work/jobs/{job_id}/commissioner/next": (OPEN.format(403), lambda scene: {"connection": 1, "after": 0}),
    "POST /work/jobs/{job_id}/commissioner/closed": (OPEN.format(403), lambda scene: {"reason": "it ended"}),
    "POST /jobs/batch": (ADMIN.format(200), lambda scene: [job_body()]),
    "GET /jobs": (SIGNED_IN, None),
    "GET /jobs/{job_id}": ("401 401 401 404 200 200 200 200", None),
    "POST /jobs/{job_id}": (ADMIN.format(200), lambda scene: {"error": "looked at"}),
    # the store: the address is the proof
    "PUT /store/{key:path}": (OPEN.format(403), None),
    "GET /store/{key:path}": (OPEN.format(403), None),
    # operators; last, because they change what the others look at
    "GET /enter": (OPEN.format(404), None),
    "GET /tournament/matches/{match_id}/reproduction": ("403 401 401 403 403 403 403 409", None),
    "GET /observatory/api/admin/users": (ADMIN.format(200), None),
    "GET /observatory/api/admin/workers": (ADMIN.format(200), None),
    "GET /observatory/api/admin/jobs": (ADMIN.format(200), None),
    "GET /observatory/api/admin/failures": (ADMIN.format(200), None),
    "GET /observatory/api/admin/audit": (ADMIN.format(200), None),
    "GET /observatory/api/admin/audit-log": (ADMIN.format(200), None),
    "GET /observatory/api/admin/audit-log.csv": (ADMIN.format(200), None),
    "POST /observatory/api/admin/workers/{worker}/drain": (ADMIN.format(200), None),
    "POST /observatory/api/admin/workers/{worker}/resume": (ADMIN.format(200), None),
    "GET /observatory/api/admin/people": (ADMIN.format(200), None),
    "POST /observatory/api/admin/people/{user_id}": (ADMIN.format(200), lambda scene: {}),
    "PUT /observatory/api/admin/people/{user_id}/quota": (ADMIN.format(200), lambda scene: {}),
    "GET /observatory/api/admin/invitations": (ADMIN.format(200), None),
    "POST /observatory/api/admin/invitations": (ADMIN.format(201), lambda scene: {}),
    "POST /observatory/api/admin/invitations/{invitation_id}/revoke": (ADMIN.format(404), None),
    "GET /observatory/api/tokens": (USER.format(other=200, owner=200, admin=200), None),
    "POST /observatory/api/tokens": (
        USER.format(other=201, owner=201, admin=201),
        lambda scene: {"name": scene.name()},
    ),
    "POST /observatory/api/tokens/{token_id}/revoke": (USER.format(other=404, owner=404, admin=404), None),
    "POST /observatory/api/admin/matches/{match_id}/again": (ADMIN.format(409), None),
    "POST /observatory/api/admin/recompute": (ADMIN.format(200), lambda scene: {"check": True}),
    "POST /observatory/api/admin/leagues/{league_id}/recompute": (ADMIN.format(200), lambda scene: {}),
    "GET /observatory/api/admin/seasons": (ADMIN.format(200), None),
    "POST /observatory/api/admin/seasons": (ADMIN.format(422), lambda scene: {"yaml": "no season"}),
    "POST /observatory/api/admin/seasons/check": (ADMIN.format(200), lambda scene: {"yaml": "no season"}),
    "GET /observatory/api/admin/seasons/{season}/yaml": (ADMIN.format(200), None),
    "PUT /observatory/api/admin/seasons/{season}/yaml": (ADMIN.format(422), lambda scene: {"yaml": "no season"}),
    "POST /observatory/api/admin/seasons/{season}/start": (ADMIN.format(400), None),
    "POST /observatory/api/admin/seasons/{season}/close": (ADMIN.format(200), None),
    "POST /observatory/api/admin/seasons/{season}/open": (ADMIN.format(200), None),
    "POST /observatory/api/admin/seasons/{season}/roll": (ADMIN.format(200), None),
    "POST /observatory/api/admin/seasons/{season}/draft": (ADMIN.format(409), None),
    "POST /observatory/api/admin/seasons/{season}/unstart": (ADMIN.format(409), None),
    "GET /observatory/api/admin/seasons/{season}/life": (ADMIN.format(200), None),
    "GET /observatory/api/admin/seasons/form": (ADMIN.format(200), None),
    "POST /observatory/api/admin/seasons/preview": (ADMIN.format(200), lambda scene: {"yaml": "no season"}),
    **LEAGUE_ROUTES,
    **HOSTING_ROUTES,
    **REQUEST_ROUTES,
    **IMAGE_ROUTES,
    **COWORLD_ROUTES,
}


@pytest.fixture
def scene(
    app: FastAPI, client: TestClient, world: World, account: Any, ada: Any, bob: Any, admin: Any, clock: Any
) -> Scene:
    # All callers have the same address, and together more requests than one address may send.
    plenty = app.state.settings.model_copy(update={"anonymous_rate": 100_000})
    app.state.rate_limits = RateLimits(plenty, app.state.metrics)
    season = world.season()
    version, others = world.version(ada, secrets={"KEY": SECRET}), world.version(bob, "theirs")
    match = world.match(season, "competition", [(version, 2), (others, 2)])
    job = world.job_of(match)
    store = app.state.store
    for agent in range(4):
        store.put(job_key(job, f"policy_agent_{agent}.txt"), b"a log")
    store.put(job_key(job, "logs.txt"), b"the job's log")
    world.play(match, [1.0, 2.0, 3.0, 4.0])
    expired = account("ada", expires_in=timedelta(seconds=1))
    with app.state.database.transaction() as session:
        owner = session.get_one(User, ada.user_id)
        [player] = accounts.repository.players(session, owner.id)
        own_job = create_job(session, {"policy_uris": [], "assignments": []}, now=clock(), user_id=owner.id).id
        app.state.store.put(job_key(own_job, "logs.txt"), b"log")

        def mint(name: str, *scopes: str) -> accounts.Minted:
            return accounts.mint_credential(
                session, player, name=name, scopes=list(scopes), now=clock(), expires_in=None
            )

        reader, writer = mint("reader"), mint("writer", "write")
        credentials = [str(mint(f"{n}").row.id) for n in range(len(CALLERS))]
        worker = accounts.mint_worker_token(session, "worker", now=clock())
        useless = [str(accounts.mint_worker_token(session, f"{n}", now=clock()).row.id) for n in range(len(CALLERS))]
    clock.advance(2)
    tokens = {
        "expired": expired.token,
        "worker": worker.text,
        "other": bob.token,
        "reader": reader.text,
        "owner": ada.token,
        "writer": writer.text,
        "admin": admin.token,
    }
    run = client.post(
        "/assay/runs",
        json={"policy_version_id": str(version), "missions": [mission()]},
        headers=ada.headers,
    )
    assert run.status_code == 200, run.text
    match_document = client.get(f"/tournament/matches/{match}").json()
    detail = client.get(f"/tournament/seasons/{season}").json()
    row = client.get(f"/stats/policy-versions/{version}").json()
    league = make_league(client, world, ada, version)
    requests = make_requests(client, world, ada, player.id, worker.text)
    return Scene(
        version=version,
        new_version=world.version(ada),
        match=match,
        job=job,
        own_job=own_job,
        run=run.json()["id"],
        episode=match_document["episode_id"],
        config=next(pool["config_id"] for pool in detail["pools"] if pool["config_id"]),
        policy=row["policy_id"],
        player=player.id,
        credentials=iter(credentials),
        tokens=tokens,
        user_id=bob.user_id,
        admin_tokens=iter(useless),
        league=league,
        requests=requests,
        hosting=make_hosting(client, world, ada, requests.game, league.league),
        image=push_image(client, ada),
        coworld=make_coworld(app, client, ada, clock),
        social=make_social(client, ada, version, others),
    )


def mission() -> dict[str, Any]:
    env = MettaGridConfig.EmptyRoom(num_agents=1).model_dump(mode="json")
    return {"mission_name": "empty", "env_config": env, "num_episodes": 1, "max_steps": 5}


def headers_of(caller: str, scene: Scene) -> dict[str, str]:
    if caller == "anonymous":
        return {}
    elevated = {"X-Use-Elevated-Privileges": "true"} if caller == "admin" else {}
    return {"X-Auth-Token": scene.tokens[caller], **elevated}


def routes(app: FastAPI) -> list[str]:
    names = (
        f"{method} {route.path}"
        for route in iter_route_contexts(app.routes)
        for method in route.methods or ()
        if method != "HEAD"
    )
    return sorted(names)


def test_every_route_answers_each_caller_as_the_table_says(
    app: FastAPI, client: TestClient, scene: Scene, caplog: pytest.LogCaptureFixture
) -> None:
    assert routes(app) == sorted(ROUTES)
    app.state.settings.event_stream_seconds = 0.0  # a stream without an end would be waited for
    wrong, everything = [], []
    for route, (statuses, make_body) in ROUTES.items():
        method, template = route.split(" ", 1)
        for caller, expected in zip(CALLERS, statuses.split(), strict=True):
            body = None if make_body is None else make_body(scene)
            client.cookies.clear()
            answer = client.request(method, scene.path(template), json=body, headers=headers_of(caller, scene))
            if answer.status_code != int(expected):
                wrong.append(f"{route} {caller}: {answer.status_code}, not {expected}: {answer.text[:150]}")
            everything.append(f"{route} {caller} {answer.headers} {answer.text}")
    assert not wrong, "\n".join(wrong)
    # No response and no log holds a secret or a token of another account.
    for text in (*everything, caplog.text):
        assert SECRET not in text, text[:200]
        for token in scene.tokens.values():
            assert token not in text, text[:200]
    assert "/tournament/matches" in caplog.text


def test_only_staff_can_see_a_private_season(client: TestClient, world: World, ada: Any, admin: Any) -> None:
    season = world.season(name="hidden", public=False)
    version = world.version(ada)
    match = world.match(season, "competition", [(version, 4)])
    world.play(match, [1.0] * 4)
    episode = client.get(f"/tournament/matches/{match}", headers=admin.headers).json()["episode_id"]
    below = ("GET /tournament/seasons/{season}", "GET /observatory/api/seasons/{season}")
    paths = [route.split(" ", 1)[1] for route in ROUTES if route.startswith(below)]
    for template in [*paths, "/tournament/matches/{match_id}", "/episodes/{episode_id}"]:
        words = {"season": season, "pool": "competition", "kind": "policy", "match_id": match, "episode_id": episode}
        path = template.format(**words)
        for headers in ({}, ada.headers):
            assert client.get(path, headers=headers).status_code == 404, path
        for_staff = (404,) if "/card." in path else (200, 400)  # a card shows what everyone may see
        assert client.get(path, headers=admin.headers).status_code in for_staff, path
    assert all(entry["name"] != season for entry in client.get("/tournament/seasons", headers=ada.headers).json())
    assert client.get("/episodes").json() == []
