"""A running server with a Coworld, a league of it, players and a round; for tests of `coworld` and other clients."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import httpx

from packages.observatory.tests.coworlds.games import game, pass_certification, pass_smoke_episodes
from packages.observatory.tests.leagues.field import Field
from tests.league import Account, League, make_account, running_server

__all__ = ["running_coworld_league"]

LEAGUE_NAME = "Paint Main"


@contextmanager
def running_coworld_league(folder: Path) -> Iterator[League]:
    """A server on a free port of this machine, until the block ends.

    In it: the users ada (`{token}`), bob (`{other_token}`) and an administrator (`{admin_token}`); ada's Coworld
    `paintarena`, canonical; a league of it, with a policy of each user and a completed round.
    """
    with running_server(folder) as league:
        _fill(league)
        league.log.clear()
        yield league


def _fill(league: League) -> None:
    world, app = league.world, league.world.app
    ada, bob, root = (make_account(world, name) for name in ("ada", "bob", "root"))
    league.names |= {"url": league.url, "token": ada.token, "other_token": bob.token, "admin_token": root.token}
    with _http(league, ada) as http:
        coworld = _ok(http.post("/v2/coworlds/upload", json={"manifest": game(variants=2)}))["id"]
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
    versions = []
    for account, prefix in ((ada, ""), (bob, "other_")):
        version = world.version(account, "mine" if account is ada else "theirs")
        versions.append(version)
        body = {"league_id": seed["league_id"], "policy_version_id": str(version)}
        with _http(league, account) as http:
            entered = _ok(http.post("/v2/league-submissions", json=body))
        league.names |= {
            f"{prefix}version": str(version),
            f"{prefix}submission": entered["id"],
            f"{prefix}membership": entered["league_policy_membership_id"],
        }
    field = Field(world, None)  # type: ignore[arg-type]
    completed = field.round(division["id"], dict(zip(versions, (2.0, 1.0), strict=True)))
    league.names |= {"round": completed, "pool": completed.replace("round_", "pool_")}


def _http(league: League, account: Account) -> httpx.Client:
    headers = {"Authorization": f"Bearer {account.token}"}
    return httpx.Client(base_url=league.url, headers=headers, timeout=60, trust_env=False)


def _ok(response: httpx.Response) -> Any:
    assert response.is_success, (response.url, response.status_code, response.text)
    return response.json()
