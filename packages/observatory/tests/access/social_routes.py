"""The callers of the routes about people, notices, friendly matches, feeds and embeds.

Ada has challenged a policy of bob, who is "other" and accepts when he calls.
"""

from __future__ import annotations

import uuid
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from fastapi.testclient import TestClient


@dataclass(frozen=True)
class SocialScene:
    friendly: str
    rival: uuid.UUID

    def words(self) -> dict[str, str]:
        """Return the values of the parameters of a path."""
        return {"friendly_id": self.friendly, "person": "ada", "topic": "seasons", "file": "open.atom"}


def challenge_body(version: uuid.UUID, rival: uuid.UUID) -> dict[str, str]:
    return {"policy_version_id": str(version), "opponent_version_id": str(rival), "mission": "season:open"}


def make_social(client: TestClient, owner: Any, version: uuid.UUID, rival: uuid.UUID) -> SocialScene:
    body = challenge_body(version, rival)
    made = client.post("/observatory/api/friendlies", json=body, headers=owner.headers)
    assert made.status_code == 200, made.text
    return SocialScene(made.json()["id"], rival)


# Callers: anonymous, expired, worker, other, reader, owner, writer, admin.
PUBLIC = "200 401 401 200 200 200 200 200"
USER = "401 401 401 {other} 403 {owner} 403 {admin}"
OPEN = "{0} {0} {0} {0} {0} {0} {0} {0}"
EVERYBODY = USER.format(other=200, owner=200, admin=200)
FRIENDLIES = "/observatory/api/friendlies"

SOCIAL_ROUTES: dict[str, tuple[str, Callable[[Any], Any] | None]] = {
    "GET /observatory/api/people/{person}": (PUBLIC, None),
    "GET /observatory/feeds/{topic}/{file}": (OPEN.format(200), None),
    "GET /observatory/embed/matches/{match_id}": (OPEN.format(200), None),
    "GET /observatory/oembed": (OPEN.format(422), None),
    "GET /observatory/api/matches/{match_id}/card.svg": (OPEN.format(200), None),
    "GET /observatory/api/matches/{match_id}/card.png": (OPEN.format(200), None),
    "GET /observatory/api/seasons/{season}/card.svg": (OPEN.format(200), None),
    "GET /observatory/api/seasons/{season}/card.png": (OPEN.format(200), None),
    "GET /observatory/api/notices": (EVERYBODY, None),
    "GET /observatory/api/notices/unread": (EVERYBODY, None),
    "POST /observatory/api/notices/read": (EVERYBODY, lambda scene: {}),
    "GET /observatory/api/notices/settings": (EVERYBODY, None),
    "PUT /observatory/api/notices/settings": (EVERYBODY, lambda scene: {"challenges": "ask"}),
    # the links of e-mails: the token is the credential
    "GET /notices/confirm": (OPEN.format(422), None),
    "POST /notices/confirm": (OPEN.format(422), None),
    "GET /notices/unsubscribe": (OPEN.format(422), None),
    "POST /notices/unsubscribe": (OPEN.format(404), None),
    f"GET {FRIENDLIES}": (EVERYBODY, None),
    f"POST {FRIENDLIES}": (
        USER.format(other=403, owner=200, admin=403),
        lambda scene: challenge_body(scene.version, scene.social.rival),
    ),
    f"GET {FRIENDLIES}/options/{{policy_version_id}}": (EVERYBODY, None),
    f"GET {FRIENDLIES}/of-policy/{{policy_version_id}}": (PUBLIC, None),
    f"GET {FRIENDLIES}/{{friendly_id}}": ("404 401 401 200 200 200 200 200", None),
    f"GET {FRIENDLIES}/{{friendly_id}}/explanation": ("404 401 401 200 200 200 200 200", None),
    # before it is accepted, a challenge is between two people
    f"GET {FRIENDLIES}/{{friendly_id}}/card.svg": (OPEN.format(404), None),
    f"GET {FRIENDLIES}/{{friendly_id}}/card.png": (OPEN.format(404), None),
    "GET /observatory/embed/friendlies/{friendly_id}": (OPEN.format(404), None),
    f"POST {FRIENDLIES}/{{friendly_id}}/accept": ("401 401 401 200 403 403 403 403", None),
    f"POST {FRIENDLIES}/{{friendly_id}}/decline": ("401 401 401 409 403 403 403 403", None),
    f"POST {FRIENDLIES}/{{friendly_id}}/withdraw": ("401 401 401 403 403 409 403 403", None),
}
