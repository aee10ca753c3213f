"""Fill a server with seasons, an account of the house, and its policies. A second call changes nothing."""

from __future__ import annotations

import tempfile
import uuid
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from datetime import datetime
from pathlib import Path

from fastapi import FastAPI
from sqlalchemy.orm import Session

from observatory import games
from observatory.accounts import repository as accounts
from observatory.accounts.principal import Principal
from observatory.accounts.service import create_user
from observatory.database import Database, new_id
from observatory.database.tables.accounts import User
from observatory.database.tables.policies import PolicyKind, PolicyVersion
from observatory.paging import MAX_LIMIT, Page
from observatory.policies import repository, service
from observatory.policies.bundles import BundleFacts, inspect_bundle
from observatory.policies.repository import VersionFilter
from observatory.seasons.seeding import preset_files, seed
from observatory.seasons.sources import read_preset
from observatory.seasons.submissions import AlreadySubmitted, SubmissionsClosed, submit
from observatory.store import bundle_key

__all__ = ["POLICIES", "SEASONS", "fill", "house_of"]

SEASONS = Path(__file__).parent / "seasons"
HOUSE = "house@localhost"
# From the best to one that crashes, so that the pages show every kind of result.
POLICIES = ("cogsguard", "starter", "aligner", "miner", "scout", "scrambler", "random", "noop", "chaos-monkey")
OPPONENTS = ("cogsguard", "starter")
"""the first that is installed plays in the documented freeplay seasons"""


def fill(app: FastAPI, *, season_files: Sequence[Path] | None = None, policies: Sequence[str] = POLICIES) -> list[str]:
    """Create the missing parts of the demo; return the names of the seasons that the built-in policies play.

    The seasons of the published documents (`beta-cvc`, `beta-cogsguard`, ...) come with the demo's own and take
    policies; `season_files` replaces both. The house enters one policy in the documented freeplay seasons: a newcomer
    meets an opponent there, and long matches do not keep the workers busy. The built-in policies are packed like any
    other bundle, belong to the house, and are public; those that are not installed are left out.
    """
    database: Database = app.state.database
    files = sorted(SEASONS.glob("*.yaml"), key=lambda path: path.stem) if season_files is None else list(season_files)
    new_seasons = seed(database, files, app.state.clock())
    names = [path.stem for path in files]
    documented = preset_files() if season_files is None else []
    new_seasons += seed(database, documented, app.state.clock(), keep_defaults=True)
    with database.read() as session:
        house = accounts.user_by_email(session, HOUSE)
        existing = set() if house is None else set(_versions(session, house))
    bundles = _pack_all(app, [name for name in policies if name not in existing])
    with database.transaction() as session:
        now = app.state.clock()
        house = house_of(session, now=now)
        for name, (version_id, facts) in bundles.items():
            _add(app, session, house, name, version_id, facts)
        if bundles or new_seasons:
            _submit(session, house, names, policies, app)
            freeplay = [path.stem for path in documented if read_preset(path).freeplay is not None]
            available = existing | bundles.keys()
            _submit(session, house, freeplay, [name for name in OPPONENTS if name in available][:1], app)
    return names


def house_of(session: Session, *, now: datetime) -> User:
    """Return the account that owns the policies and leagues of the demo; create it if it does not exist."""
    return accounts.user_by_email(session, HOUSE) or create_user(session, email=HOUSE, name="The house", now=now)


def _pack_all(app: FastAPI, names: Sequence[str]) -> dict[str, tuple[uuid.UUID, BundleFacts]]:
    """Pack the policies that are installed; each is inspected in a box, so several at once are faster."""
    if not names:
        return {}
    installed = [name for name in names if games.season_game().has_policy(name)]
    with ThreadPoolExecutor() as threads:
        return dict(zip(installed, threads.map(lambda name: _packed(app, name), installed), strict=True))


def _packed(app: FastAPI, name: str) -> tuple[uuid.UUID, BundleFacts]:
    version_id = new_id()
    with tempfile.TemporaryDirectory(prefix="observatory-demo-") as folder:
        path = Path(folder) / f"{name}.zip"
        games.season_game().pack_policy(name, path)
        facts = inspect_bundle(path)
        app.state.store.put_file(bundle_key(version_id), path)
    return version_id, facts


def _add(
    app: FastAPI, session: Session, house: User, name: str, version_id: uuid.UUID, facts: BundleFacts
) -> PolicyVersion:
    principal, now = Principal(house), app.state.clock()
    policy = service.get_or_create_policy(session, principal, name, settings=app.state.settings, now=now)
    new = service.NewVersion(id=version_id, bundle_key=bundle_key(version_id), facts=facts)
    version = service.add_version(
        session, principal, policy, new, settings=app.state.settings, keys=app.state.keys, now=now
    )
    version.public_bundle = True
    return version


def _versions(session: Session, house: User) -> dict[str, PolicyVersion]:
    """Return the house's policies that play in seasons, by name; it has one version of each."""
    versions, _ = repository.versions(session, VersionFilter(user_id=house.id), Page(MAX_LIMIT, 0))
    return {version.policy.name: version for version in versions if version.kind is PolicyKind.BUNDLE}


def _submit(session: Session, house: User, seasons: Sequence[str], policies: Sequence[str], app: FastAPI) -> None:
    versions = _versions(session, house)
    for season in seasons:
        for name in policies:
            if name not in versions:
                continue
            try:
                submit(session, Principal(house), season, versions[name].id, now=app.state.clock())
            except (AlreadySubmitted, SubmissionsClosed):
                continue
