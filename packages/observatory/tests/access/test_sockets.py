"""Permissions of WebSockets: every socket of the server, and every kind of caller of those that people open."""

from __future__ import annotations

import uuid
from datetime import timedelta
from typing import Any

import pytest
from fastapi import FastAPI
from starlette.responses import Response
from starlette.routing import WebSocketRoute

from observatory.accounts import service as accounts
from observatory.accounts.service import create_user
from observatory.database.tables.accounts import User
from observatory.http.visitors import Visitor
from observatory.signing import Signer
from packages.observatory.tests.live.conftest import Stage, stage
from packages.observatory.tests.world import FREEPLAY, World

__all__ = ["stage"]

# The first ones authenticate with a lease, other servers with the secret key (tests/servers), games with the token in
# their path: see tests/hosting and tests/live.
SOCKETS = {
    "/work/jobs/{job_id}/tunnel",
    "/work/jobs/{job_id}/streams/{stream_id}",
    "/work/jobs/{job_id}/live",
    "/work/jobs/{job_id}/show",
    "/work/peers/{job_id}/streams",
    "/work/peers/live/{match_id}",
    "/work/peers/responses",
    "/observatory/games/{token}/{path:path}",
    "/observatory/live/matches/{match_id}",
}
CALLERS = ("anonymous", "expired", "worker", "other", "reader", "owner", "writer", "admin")
GONE, OFF, BAD = (
    "There is no such match here",
    "The matches of this season can be watched after their end only",
    "token",
)
NOT_LIVE = {**FREEPLAY["freeplay"], "live": False}  # type: ignore[dict-item]
# What each caller hears first; "" is the beginning of the match.
SEASONS: dict[str, tuple[dict[str, Any], tuple[str, ...]]] = {
    "public": ({}, ("", BAD, BAD, "", "", "", "", "")),
    "private": ({"public": False}, (GONE, BAD, BAD, GONE, GONE, GONE, GONE, "")),
    "not-live": ({"freeplay": NOT_LIVE}, (OFF, BAD, BAD, OFF, OFF, OFF, OFF, OFF)),
    "private-not-live": ({"public": False, "freeplay": NOT_LIVE}, (GONE, BAD, BAD, GONE, GONE, GONE, GONE, OFF)),
}


@pytest.fixture
def tokens(app: FastAPI, account: Any, ada: Any, bob: Any, admin: Any, clock: Any) -> dict[str, str]:
    expired = account("ada", expires_in=timedelta(seconds=1))
    with app.state.database.transaction() as session:
        [player] = accounts.repository.players(session, session.get_one(User, ada.user_id).id)

        def mint(name: str, *scopes: str) -> str:
            options: dict[str, Any] = {"name": name, "scopes": list(scopes), "now": clock(), "expires_in": None}
            return accounts.mint_credential(session, player, **options).text

        reader, writer = mint("reader"), mint("writer", "write")
        worker = accounts.mint_worker_token(session, "worker", now=clock()).text
    clock.advance(2)
    own = {"reader": reader, "writer": writer, "worker": worker, "expired": expired.token}
    return {**own, "other": bob.token, "owner": ada.token, "admin": admin.token}


def first_words(stage: Stage, match: uuid.UUID, query: str = "", **headers: str) -> str:
    watcher = stage.watch(match, query, **headers)
    message = watcher.receive()
    watcher.socket.close()
    return "" if message["type"] == "hello" else str(message["message"])


def test_each_caller_watches_what_the_table_says(
    app: FastAPI, stage: Stage, world: World, ada: Any, tokens: dict[str, str]
) -> None:
    assert {route.path for route in app.routes if isinstance(route, WebSocketRoute)} == SOCKETS
    version = world.version(ada)
    for name, (changes, expected) in SEASONS.items():
        season = world.season(name=name, is_default=False, **changes)
        match = world.match(season, "competition", [(version, 4)])
        for caller, words in zip(CALLERS, expected, strict=True):
            headers = {} if caller == "anonymous" else {"X-Auth-Token": tokens[caller]}
            headers |= {"X-Use-Elevated-Privileges": "true"} if caller == "admin" else {}
            heard = first_words(stage, match, **headers)
            assert heard == words or (words == BAD and BAD in heard), (name, caller, heard)


def test_only_pages_of_this_server_use_the_cookie_of_a_browser(stage: Stage, world: World, ada: Any) -> None:
    """A cookie of an administrator counts with `elevated=1`, and never from a page of another site."""
    with world.database.transaction() as session:
        user = create_user(session, email="boss@example.com", name="boss", now=world.clock(), is_admin=True)
        signer = Signer(world.app.state.keys.secret, "browser session")
        signed = Visitor(None, "nonce", True, False, signer).sign_in(Response(), user)
    cookie = signed.headers["set-cookie"].partition(";")[0]
    season = world.season(name="private", public=False)
    match = world.match(season, "competition", [(world.version(ada), 4)])

    def heard(query: str, **headers: str) -> str:
        return first_words(stage, match, query, Cookie=cookie, **headers)

    assert heard("?elevated=1") == heard("?elevated=1", Origin=stage.url) == ""
    assert heard("") == heard("?elevated=1", Origin="http://elsewhere.example") == GONE
