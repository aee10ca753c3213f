"""The catalogue of Coworlds, and the page of one of them."""

from __future__ import annotations

import uuid
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Literal

from sqlalchemy import select
from sqlalchemy.orm import Session, defer, joinedload

from observatory.accounts.principal import Principal
from observatory.coworlds import repository
from observatory.coworlds.names import name_key
from observatory.database.tables.coworlds import CertificationState, Coworld, Visibility
from observatory.experience.repository import EpisodeFilter
from observatory.leagues import repository as leagues
from observatory.pages.coworld_schemas import (
    CoworldCard,
    CoworldDoc,
    CoworldLeague,
    CoworldPage,
    CoworldPart,
    CoworldVariant,
    CoworldVersionLine,
)
from observatory.pages.episode_lines import recent_episodes
from observatory.pages.episode_page import shows_own_viewer
from observatory.pages.names import author_name
from observatory.public_ids import public_id
from observatory.settings import Settings

__all__ = ["coworld_cards", "coworld_page", "find_coworld"]

MAX_CARDS = 300
MAX_VERSIONS = 50
MAX_EPISODES = 20
ROLES = ("player", "commissioner", "reporter", "grader", "diagnoser", "optimizer")

_Leagues = Mapping[str, Sequence[CoworldLeague]]


def coworld_cards(session: Session, principal: Principal | None) -> list[CoworldCard]:
    """Return the games that the caller may see, by name: those that leagues play first."""
    counts: dict[str, int] = {}
    chosen: dict[str, tuple[bool, uuid.UUID]] = {}
    columns = (Coworld.id, Coworld.name_key, Coworld.canonical)
    newest_first = (Coworld.created_at.desc(), Coworld.id.desc())
    for row_id, key, canonical in session.execute(
        select(*columns).where(repository.visible(principal)).order_by(*newest_first)
    ):
        counts[key] = counts.get(key, 0) + 1
        if key not in chosen or (canonical and not chosen[key][0]):
            chosen[key] = canonical, row_id
    ids = [row_id for _, row_id in chosen.values()][:MAX_CARDS]
    statement = select(Coworld).where(Coworld.id.in_(ids)).options(*_WITH_ALL)
    played = _leagues(session, principal)
    cards = [_card(row, played, counts[row.name_key]) for row in session.scalars(statement)]
    return sorted(cards, key=lambda card: (not card.leagues, not card.canonical, card.name))


def find_coworld(session: Session, reference: str, principal: Principal | None) -> Coworld:
    """Return the version `cow_...`, or the canonical version of a name, else its newest."""
    if reference.startswith("cow_"):
        return repository.coworld(session, reference, principal)
    return repository.named(session, reference, principal)


def coworld_page(session: Session, reference: str, principal: Principal | None, settings: Settings) -> CoworldPage:
    row = find_coworld(session, reference, principal)
    versions = _versions(session, row, principal)
    manifest, game = row.manifest, row.manifest["game"]
    return CoworldPage(
        **dict(_card(row, _leagues(session, principal), len(versions))),
        mine=principal is not None and principal.user_id == row.user_id,
        shown=_version(row),
        all_versions=[_version(version) for version in versions],
        variant_list=[
            CoworldVariant(id=entry["id"], name=entry["name"], description=entry.get("description", ""))
            for entry in manifest.get("variants") or []
        ],
        parts=list(_parts(manifest)),
        docs=list(_docs(game)),
        replay=_replay(row),
        episodes=recent_episodes(session, EpisodeFilter(coworld_name=row.name), principal, MAX_EPISODES),
        can_play=settings.max_hosted_games > 0,
    )


_WITH_ALL = (joinedload(Coworld.certification), joinedload(Coworld.user))


def _versions(session: Session, row: Coworld, principal: Principal | None) -> Sequence[Coworld]:
    statement = (
        select(Coworld)
        .where(Coworld.name_key == row.name_key, repository.visible(principal))
        .options(joinedload(Coworld.certification), defer(Coworld.manifest))
        .order_by(Coworld.created_at.desc(), Coworld.id.desc())
    )
    return session.scalars(statement.limit(MAX_VERSIONS)).all()


def _leagues(session: Session, principal: Principal | None) -> _Leagues:
    """Return the leagues that the caller may see, by the key of their game."""
    by_game: dict[str, list[CoworldLeague]] = {}
    for league in leagues.leagues(session, principal):
        if league.disabled_at is None:
            line = CoworldLeague(id=public_id("league", league.id), name=league.name)
            by_game.setdefault(name_key(league.game.coworld_name), []).append(line)
    return by_game


def _card(row: Coworld, played: _Leagues, versions: int) -> CoworldCard:
    manifest, game = row.manifest, row.manifest["game"]
    low, high = seats(manifest)
    return CoworldCard(
        id=public_id("cow", row.id),
        name=row.name,
        version=row.version,
        description=str(game.get("description") or ""),
        owner=str(game.get("owner") or ""),
        uploader=author_name(row.user.name),
        public=row.visibility is Visibility.PUBLIC,
        canonical=row.canonical,
        certification=_state(row),
        seats_min=low,
        seats_max=high,
        variants=len(manifest.get("variants") or []),
        roles=[role for role in ROLES if manifest.get(role)],
        tags=[str(tag) for tag in manifest.get("tags") or []],
        leagues=list(played.get(row.name_key, ())),
        versions=versions,
        created_at=row.created_at,
    )


def seats(manifest: Mapping[str, Any]) -> tuple[int, int]:
    """Return the smallest and the largest number of seats that a game's configuration allows."""
    fixture = len((manifest.get("certification") or {}).get("players") or []) or 1
    schema = manifest["game"].get("config_schema") or {}
    tokens = (schema.get("properties") or {}).get("tokens") or {}
    low, high = tokens.get("minItems", fixture), tokens.get("maxItems", fixture)
    whole = isinstance(low, int) and isinstance(high, int)
    return (low, max(low, high)) if whole else (fixture, fixture)


def _state(row: Coworld) -> CertificationState:
    return CertificationState.NEVER_RUN if row.certification is None else row.certification.state


def _version(row: Coworld) -> CoworldVersionLine:
    certification, row_id = row.certification, public_id("cow", row.id)
    failure = None if certification is None else certification.failure
    steps = [] if certification is None else certification.transcript_summary
    has_transcript = certification is not None and bool(certification.transcript)
    return CoworldVersionLine(
        id=row_id,
        version=row.version,
        public=row.visibility is Visibility.PUBLIC,
        canonical=row.canonical,
        certification=_state(row),
        failed_step=None if certification is None else certification.failed_step,
        failure=None if failure is None else " ".join(str(failure.get(key, "")) for key in ("detail", "remediation")),
        steps=[(str(step.get("id")), str(step.get("status"))) for step in steps],
        transcript_url=f"/v2/coworlds/{row_id}/certification/transcript.md" if has_transcript else None,
        completed_at=None if certification is None else certification.completed_at,
        created_at=row.created_at,
    )


def _parts(manifest: Mapping[str, Any]) -> Iterator[CoworldPart]:
    for role in ROLES:
        for entry in manifest.get(role) or []:
            part_id = str(entry.get("reporter") or entry.get("id"))
            yield CoworldPart(
                role=role,
                id=part_id,
                name=str(entry.get("name") or part_id),
                description=str(entry.get("description") or ""),
            )


def _docs(game: Mapping[str, Any]) -> Iterator[CoworldDoc]:
    """Yield the pages of a game's documentation: the readme, its pages, and the protocols."""
    docs, protocols = game.get("docs") or {}, game.get("protocols") or {}
    if docs.get("readme"):
        yield _doc("readme", "Readme", docs["readme"])
    for page in docs.get("pages") or []:
        yield _doc(str(page["id"]).strip(), str(page["title"]), page["content"])
    for key, title in (("player", "Player protocol"), ("global", "Viewer protocol")):
        if protocols.get(key):
            yield _doc(f"{key}-protocol", title, protocols[key])


def _doc(page_id: str, title: str, content: Mapping[str, Any] | str) -> CoworldDoc:
    if isinstance(content, str):
        return CoworldDoc(id=page_id, title=title, text=content, url=None)
    value = str(content.get("value") or "")
    is_text = content.get("type") == "text"
    return CoworldDoc(id=page_id, title=title, text=value if is_text else None, url=None if is_text else value)


def _replay(row: Coworld) -> Literal["bundle", "hosted", "viewer"]:
    if shows_own_viewer(row.manifest):
        return "viewer"
    return "bundle" if row.manifest["game"].get("replay_viewer") else "hosted"
