"""The callers of the routes of Coworlds and reporters. The game is ada's and public; it is not certified yet."""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from fastapi import FastAPI
from fastapi.testclient import TestClient

from packages.observatory.tests.coworlds.games import game, put_coworld
from packages.observatory.tests.coworlds.test_reporters import register

FILE = b"a player"
SHA256 = hashlib.sha256(FILE).hexdigest()
NAME = "adas-game"


@dataclass(frozen=True)
class CoworldScene:
    """A game with a secret, a player file and a program, and a reporter."""

    coworld: str
    reporter: str

    def words(self, template: str) -> dict[str, str]:
        """Values for the parameters of a path."""
        if not template.startswith(("/v2/coworlds", "/v2/reporters", "/play_")):
            return {}
        return {
            "coworld_id": self.coworld,
            "coworld": NAME,
            "secret": "key",
            "name": NAME,
            "sha256": SHA256,
            "token": "x.y",
            "reporter_id": self.reporter,
            "game": "adasgame",
        }


def make_coworld(app: FastAPI, client: TestClient, owner: Any, clock: Any) -> CoworldScene:
    manifest = game(NAME)
    manifest["player"][0]["file"] = f"sha256:{SHA256}"
    program = {"id": "from-program", "image": f"sha256:{SHA256}", "file": None}
    manifest["player"].append(manifest["player"][0] | program)
    for kind in ("player-file", "program"):
        app.state.store.put(f"content/{kind}/{SHA256}", FILE)
    coworld = put_coworld(app, clock, owner, NAME, manifest=manifest)
    client.put(f"/v2/coworlds/secrets/{NAME}/key", content=b"value", headers=owner.headers)
    return CoworldScene(coworld, register(client, owner, "adas", "json")["id"])


def announced(**more: Any) -> Callable[[Any], Any]:
    return lambda scene: {"content_hash": "0" * 64, "size_bytes": 1, **more}


# Callers: anonymous, expired, worker, other, reader, owner, writer, admin.
PUBLIC = "200 401 401 200 200 200 200 200"
WRITER = "401 401 401 {0} 403 {0} {0} {0}"
OWNER = "401 401 401 403 403 {0} {0} 403"
COWORLDS, REPORTERS = "/v2/coworlds", "/v2/reporters"
ONE = f"{COWORLDS}/{{coworld_id}}"
BUNDLES = f"{COWORLDS}/replay-viewer-bundles"

COWORLD_ROUTES: dict[str, tuple[str, Callable[[Any], Any] | None]] = {
    f"POST {COWORLDS}/upload": (WRITER.format(422), lambda scene: {"manifest": {}}),
    f"POST {COWORLDS}/patch-commissioner": (
        "401 401 401 403 403 400 400 403",
        lambda scene: {"coworld_name": NAME, "container_image_id": "img_1", "runnable_id": "none"},
    ),
    f"GET {COWORLDS}/summaries": (PUBLIC, None),
    f"GET {COWORLDS}": (PUBLIC, None),
    f"POST {COWORLDS}/player-files/upload": (WRITER.format(200), announced()),
    f"GET {ONE}/player-files/{{sha256}}": (PUBLIC, None),
    f"POST {BUNDLES}/upload": (WRITER.format(200), announced()),
    f"POST {BUNDLES}/upload/complete": (WRITER.format(400), announced()),
    f"POST {COWORLDS}/programs/upload": (WRITER.format(200), announced()),
    f"POST {COWORLDS}/programs/upload/complete": (WRITER.format(400), announced()),
    f"GET {ONE}/programs/{{sha256}}": (PUBLIC, None),
    f"GET {BUNDLES}/{{sha256}}": ("401 401 401 404 404 404 404 404", None),
    f"GET {COWORLDS}/secrets/{{coworld}}": ("401 401 401 403 200 200 200 403", None),
    f"PUT {COWORLDS}/secrets/{{coworld}}/{{secret}}": (OWNER.format(200), None),
    f"DELETE {COWORLDS}/secrets/{{coworld}}/{{secret}}": ("401 401 401 403 403 200 404 403", None),
    f"GET {COWORLDS}/secret-values/{{token}}": ("404 404 404 404 404 404 404 404", None),
    f"GET {ONE}": (PUBLIC, None),
    f"GET {ONE}/certification": (PUBLIC, None),
    f"POST {ONE}/certification/retry": ("401 401 401 403 403 200 409 409", None),
    f"GET {ONE}/certification/transcript.md": (PUBLIC.replace("200", "404"), None),
    f"GET {ONE}/episode-requests": (PUBLIC, None),
    f"GET {ONE}/play.md": (PUBLIC, None),
    f"POST {COWORLDS}/{{name}}/visibility": ("401 401 401 403 403 403 403 200", lambda scene: {"visibility": "public"}),
    "GET /play_{game}.md": (PUBLIC, None),
    f"POST {REPORTERS}/register": (
        WRITER.format(200),
        lambda scene: {"name": "new", "display_name": "New", "description": "", "outputs": []},
    ),
    f"POST {REPORTERS}/upload": ("401 401 401 404 403 200 200 404", announced(name="adas", attributes={})),
    f"POST {REPORTERS}/upload/complete": (
        "401 401 401 404 403 400 400 404",
        lambda scene: {"name": "adas", "content_hash": "0" * 64, "attributes": {}},
    ),
    "GET /v2/episode-requests/{request_id}/reports": ("404 401 401 404 200 200 200 200", None),
    "POST /v2/episode-requests/{request_id}/role-runs": (
        "401 401 401 404 403 200 200 200",
        lambda scene: {"role": "grader"},
    ),
    f"GET {REPORTERS}": (PUBLIC, None),
    f"GET {REPORTERS}/{{reporter_id}}": (PUBLIC, None),
}
