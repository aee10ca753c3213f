"""The callers of the routes of leagues. The league is ada's and public, and one of her versions plays in it."""

from __future__ import annotations

import uuid
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from fastapi.testclient import TestClient

from packages.observatory.tests.coworlds.games import game as playable
from packages.observatory.tests.leagues.field import Field, raw
from packages.observatory.tests.world import World


@dataclass(frozen=True)
class LeagueScene:
    """A league with a member and a round."""

    seed: str
    league: str
    game: str
    division: str
    membership: str
    round: str

    def words(self) -> dict[str, str]:
        """Return the values of the parameters of a path."""
        return {
            "league_id": self.league,
            "division_id": self.division,
            "round_id": self.round,
            "pool_id": f"pool_{raw(self.round)}",
            "game_id": self.game,
            "membership_id": self.membership,
            "seed_id": self.seed,
            "coworld_name": "paint",
            "mac": "x",
            "evaluation_id": f"cfeval_{uuid.uuid4()}",
        }


def make_league(client: TestClient, world: World, owner: Any, version: uuid.UUID) -> LeagueScene:
    field = Field(world, client)
    field.coworld(owner, manifest=playable("paint"))
    seed = field.seed(owner)
    league = seed["league_id"]
    division = field.division(league)
    membership = field.submit(owner, league, version).json()["league_policy_membership_id"]
    game = client.get(f"/v2/leagues/{league}").json()["game"]["id"]
    return LeagueScene(seed["id"], league, game, division, membership, field.round(division, {version: 1.0}))


# Callers: anonymous, expired, worker, other, reader, owner, writer, admin.
PUBLIC = "200 401 401 200 200 200 200 200"
SIGNED_IN = "401 401 401 200 200 200 200 200"
OWNER = "401 401 401 403 403 {0} 403 {0}"
ADMIN = "401 401 401 403 403 403 403 {0}"
NOT_YET = "401 401 401 409 403 409 409 409"
NOWHERE = "401 401 401 404 404 404 404 404"
LEAGUE = "/v2/leagues/{league_id}"
PAGES = "/observatory/api"
MEMBERSHIP = "/v2/league-policy-memberships/{membership_id}"

WINDOW = {
    "source_id": "first",
    "started_at": "2026-01-01T00:00:00Z",
    "ended_at": "2026-01-01T01:00:00Z",
    "episodes": [{"player_id": "ply_x", "policy_version_id": str(uuid.UUID(int=0)), "score": 1}],
}

LEAGUE_ROUTES: dict[str, tuple[str, Callable[[Any], Any] | None]] = {
    f"GET {PAGES}/leagues": (PUBLIC, None),
    f"GET {PAGES}/leagues/{{league_id}}": (PUBLIC, None),
    f"GET {PAGES}/leagues/{{league_id}}/rounds": (PUBLIC, None),
    f"GET {PAGES}/leagues/{{league_id}}/events": (PUBLIC, None),
    f"GET {PAGES}/leagues/{{league_id}}/settings-form": (OWNER.format(200), None),
    f"GET {PAGES}/divisions/{{division_id}}": (PUBLIC, None),
    f"GET {PAGES}/divisions/{{division_id}}/table": (PUBLIC, None),
    f"GET {PAGES}/divisions/{{division_id}}/members": (PUBLIC, None),
    f"GET {PAGES}/rounds/{{round_id}}": (PUBLIC, None),
    f"GET {PAGES}/rounds/{{round_id}}/episodes": (PUBLIC, None),
    f"GET {PAGES}/rounds/{{round_id}}/pairings": (PUBLIC, None),
    f"GET {PAGES}/players/{{player_id}}": (PUBLIC, None),
    f"GET {PAGES}/players/{{player_id}}/history": (PUBLIC, None),
    "GET /observatory/round-reports/{round_id}/{mac}/": ("404 404 404 404 404 404 404 404", None),
    "GET /v2/games": (PUBLIC, None),
    "GET /v2/games/{game_id}/episodes": (PUBLIC, None),
    "GET /v2/leagues": (PUBLIC, None),
    "GET /v2/leagues/game-of-week": (PUBLIC, None),
    f"GET {LEAGUE}": (PUBLIC, None),
    f"GET {LEAGUE}/division-ladder": (PUBLIC, None),
    "GET /v2/participate": (PUBLIC.replace("200", "422"), None),
    "GET /v2/divisions": (PUBLIC, None),
    "GET /v2/divisions/{division_id}": (PUBLIC, None),
    "GET /v2/divisions/{division_id}/leaderboard": (PUBLIC, None),
    "GET /v2/divisions/{division_id}/leaderboards": (PUBLIC, None),
    "POST /v2/divisions/{division_id}/power-analysis": (SIGNED_IN, lambda scene: {}),
    "GET /v2/rounds": (PUBLIC, None),
    "GET /v2/rounds/{round_id}": (PUBLIC, None),
    "POST /v2/rounds/{round_id}/cancel": (OWNER.format(409), lambda scene: {}),
    "GET /v2/rounds/{round_id}/commissioner-messages": (OWNER.format(200), None),
    f"GET {LEAGUE}/commissioner": (OWNER.format(200), None),
    "GET /v2/pools": (PUBLIC, None),
    "GET /v2/pools/{pool_id}": (PUBLIC, None),
    "GET /v2/league-submissions": (PUBLIC, None),
    "POST /v2/league-submissions": (
        "401 401 401 403 403 200 409 403",
        lambda scene: {"league_id": scene.league.league, "policy_version_id": str(scene.new_version)},
    ),
    "GET /v2/league-policy-memberships": (PUBLIC, None),
    "GET /v2/league-policy-memberships/portfolio": (SIGNED_IN, None),
    f"POST {MEMBERSHIP}/champion": ("401 401 401 403 403 200 200 403", None),
    f"POST {MEMBERSHIP}/retire": ("401 401 401 403 403 200 409 409", None),
    f"POST {MEMBERSHIP}/disqualify": (OWNER.format(409), lambda scene: {"reason": "It idles"}),
    f"POST {MEMBERSHIP}/restore": (OWNER.format(409), lambda scene: {"reason": "It plays again"}),
    "GET /v2/competition-events": (PUBLIC, None),
    f"GET {LEAGUE}/locks": (SIGNED_IN, None),
    f"POST {LEAGUE}/locks": (
        OWNER.format(200),
        lambda scene: {"submissions_locked": False, "game_version_locked": False},
    ),
    f"GET {LEAGUE}/settings": (SIGNED_IN, None),
    f"POST {LEAGUE}/settings": (OWNER.format(200), lambda scene: {}),
    f"PUT {LEAGUE}/divisions": (
        OWNER.format(200),
        lambda scene: {"divisions": [{"name": "Competition", "level": 1}]},
    ),
    f"POST {LEAGUE}/rounds-paused": (OWNER.format(200), lambda scene: {"paused": True}),
    f"POST {LEAGUE}/trigger-round": (OWNER.format(409), None),
    f"POST {LEAGUE}/grade": (OWNER.format(409), lambda scene: {"idempotency_key": "once"}),
    f"GET {LEAGUE}/persistent-players": (OWNER.format(200), None),
    f"GET {LEAGUE}/recorded-windows": (SIGNED_IN, None),
    f"POST {LEAGUE}/recorded-windows": (OWNER.format(422), lambda scene: WINDOW),
    f"GET {LEAGUE}/seed-policies": (SIGNED_IN, None),
    f"POST {LEAGUE}/seed-policies": (OWNER.format(200), lambda scene: {"policy_version_ids": [], "count": 0}),
    f"POST {LEAGUE}/setup": (ADMIN.format(200), lambda scene: {}),
    "GET /v2/coworld-league-seeds": ("401 401 401 200 403 200 403 200", None),
    "PUT /v2/coworld-league-seeds": (OWNER.format(200), lambda scene: {"coworld_name": "paint"}),
    "POST /v2/coworld-league-seeds": (OWNER.format(200), lambda scene: {"coworld_name": "paint"}),
    "PATCH /v2/coworld-league-seeds/{seed_id}": ("401 401 401 404 403 200 403 200", lambda scene: {}),
    "PUT /v2/coworld-league-seeds/{seed_id}/game-of-week": (ADMIN.format(200), None),
    "POST /v2/coworld-league-seeds/rebind": (
        "401 401 401 404 403 200 403 200",
        lambda scene: {
            "changes": [{"seed_id": scene.league.seed, "coworld_name": "paint", "league_key": "moved"}],
        },
    ),
    "GET /usage/me/credits": (SIGNED_IN, None),
    "GET /v2/coworlds/{coworld_name}/feed-posts/check": ("200 200 200 200 200 200 200 200", None),
    "POST /v2/counterfactual-evals": (NOT_YET, lambda scene: {}),
    "GET /v2/counterfactual-evals/{evaluation_id}": (NOWHERE, None),
}
