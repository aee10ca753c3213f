"""Publish a version of a game: check its manifest, record it, and queue what has to pass before leagues play it."""

from __future__ import annotations

import copy
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Literal

import anyio.to_thread
from sqlalchemy import func, select
from sqlalchemy.orm import Session

from observatory import events
from observatory.accounts.principal import Principal
from observatory.coworlds import content, manifests, references, repository
from observatory.coworlds.certification import queue_certification
from observatory.coworlds.inspection import inspect_manifest, inspectors
from observatory.coworlds.names import name_key
from observatory.coworlds.schemas import CommissionerPatch
from observatory.coworlds.smoke import request_smoke_episodes, retry_smoke_episodes
from observatory.coworlds.wire import coworld_response
from observatory.database import Database, new_id
from observatory.database.tables.coworlds import (
    Certification,
    CertificationState,
    ContentKind,
    Coworld,
    Visibility,
)
from observatory.errors import BadRequest, Conflict, Forbidden, NotFound, TooManyRequests
from observatory.events import Change, ChangeKind
from observatory.games.coworlds import coworlds
from observatory.images.addresses import Registry
from observatory.settings import Settings
from observatory.store import Store
from softmax.wire.coworlds import CoworldResponse

__all__ = ["Publisher", "make_public", "retry"]

MAX_WAITING = 20
"""versions of a user that wait for their certification"""
MAX_VERSIONS = 1000
WAIT_SECONDS = 60

_IN_WORK = (CertificationState.QUEUED, CertificationState.CERTIFYING)


@dataclass(frozen=True)
class Publisher:
    """Publishes versions. The manifest and files are checked before the transaction that records them."""

    database: Database
    store: Store
    settings: Settings

    async def publish(
        self,
        principal: Principal,
        manifest: dict[str, Any],
        visibility: Literal["public", "private"] | None,
        *,
        now: datetime,
    ) -> CoworldResponse:
        """Publish a manifest; publishing the same one again returns the same version."""
        await anyio.to_thread.run_sync(inspect_manifest, manifest, limiter=inspectors)
        manifests.check_public(manifest)
        kind, names = ContentKind.PLAYER_FILE, manifests.player_files(manifest)
        # Nothing but the manifest says that an upload of a player file is complete.
        async with content.checked_uploads(self.database, self.store, principal.user_id, kind, names) as files:
            return await self.database.write(
                lambda session: self.record(session, principal, manifest, visibility, files, now=now)
            )

    async def patch_commissioner(
        self, principal: Principal, patch: CommissionerPatch, *, now: datetime
    ) -> CoworldResponse:
        """Publish the next version of a game, which has another commissioner."""
        manifest = await self.database.query(lambda session: _patched(session, principal, patch))
        return await self.publish(principal, manifest, None, now=now)

    def record(
        self,
        session: Session,
        principal: Principal,
        manifest: dict[str, Any],
        visibility: Literal["public", "private"] | None,
        files: list[content.Checked],
        *,
        now: datetime,
    ) -> CoworldResponse:
        """Record a manifest that was inspected, and files that were checked, in the caller's transaction."""
        for file in files:
            content.record(session, principal.user_id, file, settings=self.settings, now=now)
        manifest = references.with_image_ids(session, manifest, Registry(self.settings.base_url()))
        coworld = _existing(session, principal, manifest)
        if coworld is None:
            references.check_references(session, principal, manifest)
            coworld = _add(session, principal, manifest, visibility, now=now)
        return coworld_response(session, coworld, self.settings)


def retry(session: Session, coworld: Coworld, *, now: datetime) -> None:
    """Queue again what has failed of a version; `Conflict` if nothing has."""
    certification = coworld.certification
    if certification is not None and certification.state in _IN_WORK:
        raise Conflict(f"The certification of {coworld.name} {coworld.version} is {certification.state.value} already")
    is_certified = certification is not None and certification.state is CertificationState.CERTIFIED
    if not is_certified:
        queue_certification(session, coworld, now=now)
    if not retry_smoke_episodes(session, coworld, now=now) and is_certified:
        raise Conflict(f"{coworld.name} {coworld.version} is certified already, and none of its episodes has failed")


def make_public(session: Session, name: str) -> tuple[list[Coworld], bool]:
    """Make all versions of a name public; return them, newest first, and whether any was private."""
    rows = list(repository.versions(session, name))
    if not rows:
        raise NotFound(f"There is no Coworld called {name[:80]!r}")
    changed = [row for row in rows if row.visibility is not Visibility.PUBLIC]
    for row in changed:
        row.visibility = Visibility.PUBLIC
        references.publish_images(session, row)
    if changed:
        session.flush()
        events.note(session, Change(ChangeKind.COWORLD, ids=frozenset(row.id for row in changed)))
    return rows, bool(changed)


def _existing(session: Session, principal: Principal, manifest: Mapping[str, Any]) -> Coworld | None:
    """Return the version with the same content; raise if the caller cannot add this one."""
    game = manifest["game"]
    rows = repository.versions(session, game["name"])
    if rows and rows[0].user_id != principal.user_id:
        raise Forbidden(f"The name {rows[0].name} belongs to another user; choose another game.name")
    same = next((row for row in rows if row.version == game["version"]), None)
    if same is None:
        if len(rows) >= MAX_VERSIONS:
            raise Conflict(f"{rows[0].name} has {MAX_VERSIONS} versions already")
        return None
    if same.manifest_hash != manifests.digest(manifest)[0]:
        raise Conflict(
            f"{same.name} {same.version} exists with another manifest; raise game.version, for example to "
            f"{coworlds().next_patch([row.version for row in rows])}"
        )
    return same


def _add(
    session: Session,
    principal: Principal,
    manifest: dict[str, Any],
    visibility: Literal["public", "private"] | None,
    *,
    now: datetime,
) -> Coworld:
    game = manifest["game"]
    _check_waiting(session, principal)
    rows = repository.versions(session, game["name"])
    inherited = rows[0].visibility if rows else Visibility.PUBLIC
    wanted = inherited if visibility is None else Visibility(visibility)
    if rows and wanted is not inherited:
        raise Conflict(f"{rows[0].name} is {inherited.value}, and all its versions are; leave the visibility out")
    manifest_hash, size = manifests.digest(manifest)
    coworld = Coworld(
        id=new_id(),
        name=game["name"],
        name_key=name_key(game["name"]),
        version=game["version"],
        user_id=principal.user_id,
        visibility=wanted,
        manifest=manifest,
        manifest_hash=manifest_hash,
        size_bytes=size,
        canonical=False,
        created_at=now,
    )
    session.add(coworld)
    session.flush()
    events.note(session, Change(ChangeKind.COWORLD, ids=frozenset({coworld.id})))
    references.publish_images(session, coworld)
    queue_certification(session, coworld, now=now)
    request_smoke_episodes(session, coworld, now=now)
    return coworld


def _check_waiting(session: Session, principal: Principal) -> None:
    waiting = (
        select(func.count())
        .select_from(Certification)
        .join(Coworld, Coworld.id == Certification.coworld_id)
        .where(Coworld.user_id == principal.user_id, Certification.state.in_(_IN_WORK))
    )
    if (session.scalar(waiting) or 0) >= MAX_WAITING:
        raise TooManyRequests(
            f"{MAX_WAITING} of your Coworlds wait for their certification; try again later", retry_after=WAIT_SECONDS
        )


def _patched(session: Session, principal: Principal, patch: CommissionerPatch) -> dict[str, Any]:
    """Return the manifest of the canonical version, else the newest, with another commissioner and version."""
    base = repository.named(session, patch.coworld_name, principal)
    if base.user_id != principal.user_id:
        raise Forbidden(f"{base.name} belongs to another user")
    manifest = copy.deepcopy(base.manifest)
    commissioners = manifest.get("commissioner") or []
    entry = next((each for each in commissioners if patch.runnable_id in (None, each["id"])), None)
    if entry is None:
        known = ", ".join(each["id"] for each in commissioners) or "none"
        raise BadRequest(f"{base.name} has no commissioner {patch.runnable_id or ''!r}; it has: {known}")
    entry["image"] = patch.container_image_id
    versions = [row.version for row in repository.versions(session, base.name)]
    manifest["game"]["version"] = patch.version or coworlds().next_patch(versions)
    return manifest
