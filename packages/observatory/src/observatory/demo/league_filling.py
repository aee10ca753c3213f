"""Fill a server with leagues of the installed Coworlds and with players of the house. A second call changes nothing."""

from __future__ import annotations

import hashlib
import io
import json
import zipfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from typing import Any, Literal

import yaml
from fastapi import FastAPI
from pydantic import BaseModel, ConfigDict
from sqlalchemy.orm import Session

from observatory import games
from observatory.accounts import repository as accounts
from observatory.accounts.principal import Principal
from observatory.accounts.service import create_player
from observatory.coworlds import repository as coworlds
from observatory.coworlds.inspection import inspect_manifest
from observatory.coworlds.publishing import Publisher
from observatory.database.tables.accounts import User
from observatory.database.tables.policies import PolicyVersion
from observatory.games.coworlds import coworlds as coworld_games
from observatory.leagues import repository as leagues
from observatory.leagues.schemas import SubmissionCreate
from observatory.leagues.seed_documents import SeedDocument, apply_document
from observatory.leagues.submissions import submit
from observatory.policies import repository, service
from observatory.policies.bundles import BundleFacts
from observatory.store import policy_file_key

__all__ = ["LEAGUES", "DemoLeague", "fill_leagues", "read_leagues"]

LEAGUES = Path(__file__).parent / "leagues"
_FIRST_DAY = (1980, 1, 1, 0, 0, 0)


class DemoLeague(BaseModel):
    """A file of the demo: a Coworld of an installed package, a league of it, and the players of the house."""

    model_config = ConfigDict(extra="forbid")

    world: str
    """name of an installed Coworld"""
    place: int = 0
    """leagues are created in this order, then by name; games are checked in the order of their leagues"""
    variants: dict[str, dict[str, Any]]
    """its variants in their order, with changes of their configurations; others are left out"""
    league: SeedDocument
    players_are: Literal["programs", "policies"]
    """policies that are not installed are left out"""
    packages: list[str]
    """installed packages that a player imports"""
    command: list[str]
    """starts a player; the name of the player follows"""
    players: list[str]


def read_leagues(folder: Path = LEAGUES) -> list[DemoLeague]:
    files = sorted(folder.glob("*.yaml"), key=lambda path: path.stem)
    leagues = [DemoLeague.model_validate(yaml.safe_load(path.read_text(encoding="utf-8"))) for path in files]
    return sorted(leagues, key=lambda league: league.place)


def fill_leagues(app: FastAPI, house: User, demo_leagues: Sequence[DemoLeague]) -> list[str]:
    """Create the missing leagues and players of the house; return the names of the leagues.

    A league that exists stays as it is, because its owner may have changed it. A new version of an installed game
    is published; the leagues play it once it is certified.
    """
    names = []
    for demo in demo_leagues:
        manifest = _manifest(demo)
        if manifest is None:  # the package of the game is not installed
            continue
        if not _is_published(app, manifest):
            inspect_manifest(manifest)
        players = _players(demo)
        for player in players:
            app.state.store.put(policy_file_key(player.sha256), player.archive)
        with app.state.database.transaction() as session:
            _create(app, session, house, demo, manifest, players)
        names.append(demo.league.league_name or demo.league.coworld_name)
    return names


@dataclass(frozen=True)
class _Player:
    """A player of the house: an archive that says how to start an installed program."""

    name: str
    archive: bytes

    @property
    def sha256(self) -> str:
        return hashlib.sha256(self.archive).hexdigest()


def _manifest(demo: DemoLeague) -> dict[str, Any] | None:
    manifest = coworld_games().installed_manifest(demo.world)
    if manifest is None:
        return None
    by_id = {variant["id"]: variant for variant in manifest["variants"]}
    variants = [
        {**by_id[name], "game_config": {**by_id[name]["game_config"], **changes}}
        for name, changes in demo.variants.items()
    ]
    return {**manifest, "variants": variants}


def _is_published(app: FastAPI, manifest: Mapping[str, Any]) -> bool:
    game = manifest["game"]
    with app.state.database.read() as session:
        return any(row.version == game["version"] for row in coworlds.versions(session, game["name"]))


def _players(demo: DemoLeague) -> list[_Player]:
    packages = [name for name in demo.packages if find_spec(name) is not None]
    is_installed = games.season_game().has_policy if demo.players_are == "policies" else lambda name: True
    return [_Player(name, _archive(demo, name, packages)) for name in demo.players if is_installed(name)]


def _archive(demo: DemoLeague, name: str, packages: Sequence[str]) -> bytes:
    """Return the archive of a player, as `coworld upload-policy --file` sends it."""
    image = {"argv": [*demo.command, name], "packages": list(packages)}
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        archive.writestr(zipfile.ZipInfo("coworld_local.json", _FIRST_DAY), json.dumps({"images": {name: image}}))
    return buffer.getvalue()


def _create(
    app: FastAPI,
    session: Session,
    house: User,
    demo: DemoLeague,
    manifest: dict[str, Any],
    players: Sequence[_Player],
) -> None:
    principal, now = Principal(house), app.state.clock()
    game = manifest["game"]
    if not any(row.version == game["version"] for row in coworlds.versions(session, game["name"])):
        publisher = Publisher(app.state.database, app.state.store, app.state.settings)
        publisher.record(session, principal, manifest, "public", [], now=now)
    if leagues.seed_by_key(session, game["name"], demo.league.league_key) is not None:
        return
    seed = apply_document(session, principal, demo.league, now=now)
    assert seed.league_id is not None
    for player in players:
        version = _version(app, session, principal, f"{game['name']}-{player.name}", player)
        body = SubmissionCreate(
            league_id=str(seed.league_id),
            policy_version_id=version.id,
            player_id=_identity(app, session, house, player.name.capitalize()),
        )
        submit(session, principal, seed.league_id, body, now=now)


def _identity(app: FastAPI, session: Session, house: User, name: str) -> str:
    """Return the player of the house with a name: a league has one champion for each player."""
    existing = next((row for row in accounts.players(session, house.id) if row.name == name), None)
    return (existing or create_player(session, house, name=name, now=app.state.clock())).id


def _version(app: FastAPI, session: Session, principal: Principal, name: str, player: _Player) -> PolicyVersion:
    existing = repository.version_of_file(session, principal.user_id, player.sha256, name)
    if existing is not None:
        return existing
    settings, now = app.state.settings, app.state.clock()
    policy = service.get_or_create_policy(session, principal, name, settings=settings, now=now)
    size = len(player.archive)
    spec = {"type": "player-file", "content_hash": player.sha256, "size_bytes": size}
    new = service.NewVersion(facts=BundleFacts(spec, [], size, player.sha256))
    return service.add_version(session, principal, policy, new, settings=settings, keys=app.state.keys, now=now)
