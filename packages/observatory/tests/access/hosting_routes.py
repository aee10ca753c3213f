"""The callers of the routes of hosted games: a play session and a lobby are ada's."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from fastapi.testclient import TestClient

from packages.observatory.tests.world import World


@dataclass(frozen=True)
class HostingScene:
    session: str
    lobby: str

    def words(self) -> dict[str, str]:
        """Return the values of the parameters of a path."""
        return {"session_id": self.session, "lobby_id": self.lobby, "position": "0", "token": "x" * 43}


def make_hosting(client: TestClient, world: World, owner: Any, coworld: str, league: str) -> HostingScene:
    settings = world.app.state.settings
    settings.max_hosted_games_per_user = settings.max_hosted_games = 100
    session = client.post("/v2/coworlds/play/session", json={"coworld_id": coworld}, headers=owner.headers)
    assert session.status_code == 200, session.text
    lobby = client.post(f"/v2/leagues/{league}/lobbies", json={"idempotency_key": "first"}, headers=owner.headers)
    assert lobby.status_code == 200, lobby.text
    return HostingScene(session.json()["session_id"], lobby.json()["id"])


# Callers: anonymous, expired, worker, other, reader, owner, writer, admin.
SIGNED_IN = "401 401 401 200 200 200 200 200"
WRITER = "401 401 401 200 403 200 200 200"
OWNER = "401 401 401 403 403 {0} {0} {0}"
OPEN = "200 200 200 200 200 200 200 200"
REFUSED = "403 403 403 403 403 403 403 403"
"""a guest is a browser: it sends a cookie and the CSRF token made from it, and no other credentials"""
NOWHERE = "404 404 404 404 404 404 404 404"
SESSION, LOBBY = "/v2/coworlds/play/session", "/v2/lobbies/{lobby_id}"

HOSTING_ROUTES: dict[str, tuple[str, Callable[[Any], Any] | None]] = {
    f"POST {SESSION}": (WRITER, lambda scene: {"coworld_id": scene.requests.game}),
    f"GET {SESSION}/{{session_id}}": (SIGNED_IN, None),
    f"PUT {SESSION}/{{session_id}}/config": (
        OWNER.format(200),
        lambda scene: {"kind": "spectators", "allow_spectators": True},
    ),
    f"POST {SESSION}/{{session_id}}/join": (WRITER, None),
    f"POST {SESSION}/{{session_id}}/start": (OWNER.format(200), None),
    f"POST {SESSION}/{{session_id}}/end": (OWNER.format(200), None),
    "GET /observatory/api/guest/games": (OPEN, None),
    "POST /observatory/api/guest/games": (REFUSED, lambda scene: {"game": "paintarena"}),
    "GET /observatory/api/guest/games/{session_id}": (NOWHERE, None),
    "POST /observatory/api/guest/games/{session_id}/end": (REFUSED, None),
    "GET /observatory/games/{token}/": (NOWHERE, None),
    "GET /observatory/games/{token}/{path:path}": (NOWHERE, None),
    "GET /v2/leagues/{league_id}/lobby-access": (SIGNED_IN, None),
    "POST /v2/leagues/{league_id}/lobbies": (
        "401 401 401 200 403 409 409 200",
        lambda scene: {"idempotency_key": scene.name()},
    ),
    f"GET {LOBBY}": (SIGNED_IN, None),
    f"PATCH {LOBBY}": (OWNER.format(409), lambda scene: {"expected_revision": 0}),
    f"PUT {LOBBY}/seats/{{position}}": (OWNER.format(409), lambda scene: {"expected_revision": 0, "kind": "random"}),
    f"POST {LOBBY}/seats/{{position}}/claim": ("401 401 401 409 403 200 200 409", None),
    f"POST {LOBBY}/leave": ("401 401 401 409 403 200 409 409", None),
    f"DELETE {LOBBY}/seats/{{position}}/player": (OWNER.format(409), None),
    f"POST {LOBBY}/start": (OWNER.format(409), lambda scene: {"idempotency_key": "now", "expected_revision": 0}),
    f"POST {LOBBY}/launch": (OWNER.format(409), None),
    f"POST {LOBBY}/end": (OWNER.format(409), None),
    f"POST {LOBBY}/cancel": (OWNER.format(200), None),
}
