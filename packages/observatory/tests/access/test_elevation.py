"""An administrator's view is given only to requests that ask for it, and never to tokens that only read.

Every route is called by an administrator whose request has no more rights than an ordinary user's, and by such a
user: the answers are the same.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from typing import Any

import pytest
from fastapi import FastAPI
from fastapi.testclient import TestClient

from observatory.accounts import service as accounts
from observatory.database.tables.accounts import User
from packages.observatory.tests.access.test_every_route import ROUTES, Scene, scene
from packages.observatory.tests.world import World

__all__ = ["scene"]

ELEVATED = {"X-Use-Elevated-Privileges": "true"}
# What is about the caller, and so differs between two people.
PERSONAL = (
    "/whoami",
    "/validate",
    "/players",
    "/observatory/api/me",
    "/observatory/api/profile",
    "/observatory/api/tokens",
    "/v2/token",
    "/v2/container_images",
)
# Changed by the first of the two calls, whoever makes it.
ONCE = ("POST /work/lease",)


@pytest.fixture
def tokens(app: FastAPI, account: Callable[..., Any], admin: Any, clock: Any) -> dict[str, dict[str, str]]:
    """Tokens of the administrator and of an ordinary user, by kind."""
    by_account: dict[str, dict[str, str]] = {}
    for name, person in (("admin", admin), ("user", account("carol"))):
        with app.state.database.transaction() as session:
            user = session.get_one(User, person.user_id)
            [player] = accounts.repository.players(session, user.id)
            kind = accounts.TokenKind.PERSONAL
            reader = accounts.mint(session, kind, "reader", now=clock(), expires_in=None, user=user, scopes=[])
            playing = accounts.mint_credential(
                session, player, name="player", scopes=["write"], now=clock(), expires_in=None
            )
        by_account[name] = {"plain": person.token, "read-only": reader.text, "player": playing.text}
    return by_account


def comparable(answer: Any) -> Any:
    """An answer without what differs each time; of a refusal the status, since its sentence says what is missing."""
    if answer.status_code >= 400:
        return answer.status_code, None
    try:
        body = answer.json()
    except ValueError:
        return answer.status_code, None if "svg" in answer.text[:200] else len(answer.content)
    text = json.dumps(body, sort_keys=True)
    return answer.status_code, text if "signature=" not in text and "seen_seconds_ago" not in text else len(body)


@pytest.mark.any_database
@pytest.mark.parametrize(
    ("kind", "extras", "part"),
    [
        ("plain", ({}, {"X-Use-Elevated-Privileges": "yes"}), slice(None)),
        # Every route with one of the tokens that cannot be elevated.
        ("read-only", (ELEVATED,), slice(0, None, 2)),
        ("player", (ELEVATED,), slice(1, None, 2)),
    ],
    ids=["without the header or with another value", "read-only", "player"],
)
def test_an_administrator_without_elevation_is_treated_like_any_other_user(
    app: FastAPI,
    client: TestClient,
    scene: Scene,
    world: World,
    ada: Any,
    tokens: dict[str, dict[str, str]],
    kind: str,
    extras: tuple[Mapping[str, str], ...],
    part: slice,
) -> None:
    app.state.settings.event_stream_seconds = 0.0
    app.state.settings.public_url = "https://league.example.com"  # a server that others reach guards its metrics
    world.season(name="hidden", public=False)
    version = world.version(ada, "secret")
    match = world.match("hidden", "competition", [(version, 4)])
    world.play(match, [1.0] * 4)
    extra_routes = {
        "GET /tournament/seasons/hidden": None,
        "GET /tournament/seasons/hidden/matches": None,
        "GET /observatory/api/seasons/hidden": None,
        "GET /observatory/api/events?season=hidden": None,
        "GET /observatory/seasons/hidden": None,
        f"GET /tournament/matches/{match}": None,
        f"GET /tournament/matches/{match}/reproduction": None,
        f"GET /observatory/api/matches/{match}": None,
    }
    routes = {route: make_body for route, (_, make_body) in list(ROUTES.items())[part]} | extra_routes
    wrong = []
    for number, (route, make_body) in enumerate(routes.items()):
        method, template = route.split(" ", 1)
        if route in ONCE:
            continue
        answers = []
        extra = extras[number % len(extras)]
        for person in ("user", "admin"):
            body = None if make_body is None else make_body(scene)
            headers = {"X-Auth-Token": tokens[person][kind], **extra}
            client.cookies.clear()
            answers.append(client.request(method, scene.path(template), json=body, headers=headers))
        compared = [
            comparable(answer) if method == "GET" and not template.startswith(PERSONAL) else answer.status_code
            for answer in answers
        ]
        if compared[0] != compared[1]:
            wrong.append(f"{route}: {compared[0]!s:.300} for a user, {compared[1]!s:.300} for an administrator")
    assert not wrong, "\n".join(wrong)
    # The same routes tell more to the administrator who asks for it, also when the other answer was cached.
    for route in extra_routes:
        answer = client.get(route.removeprefix("GET "), headers={"X-Auth-Token": tokens["admin"]["plain"], **ELEVATED})
        # The match was not played by a worker, so that there is nothing to compare a reproduction with.
        assert answer.status_code == (409 if route.endswith("/reproduction") else 200), (route, answer.text[:300])


def test_an_administrators_cookie_shows_private_seasons_only_with_the_header(
    client: TestClient, app: FastAPI, world: World, admin: Any
) -> None:
    from observatory.http.visitors import COOKIE, SESSION_DAYS, Signer

    world.season(name="hidden", public=False)
    content = {"user": admin.user_id, "version": 1, "nonce": "n" * 16}
    signer = Signer(app.state.keys.secret, "browser session")
    client.cookies.set(COOKIE, signer.sign(content, seconds=SESSION_DAYS * 86400))
    path = "/observatory/api/seasons/hidden"
    assert [client.get(path, headers=headers).status_code for headers in ({}, ELEVATED, {})] == [404, 200, 404]
    assert client.get("/observatory/api/me").json()["is_admin"] is True  # so that pages know what to ask for
