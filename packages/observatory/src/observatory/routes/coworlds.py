"""Coworlds over HTTP: publish a game, list games, certification, secrets, files and guides."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Annotated

import anyio.to_thread
from fastapi import Depends, Path, Query, Request, Response
from fastapi.responses import StreamingResponse

from observatory.clock import Now
from observatory.coworlds import content, guides, launching, manifests, publishing, repository, secrets
from observatory.coworlds.repository import CoworldFilter
from observatory.coworlds.schemas import (
    CommissionerPatch,
    ContentAnnounced,
    CoworldUpload,
    Sha256,
    VisibilityChange,
)
from observatory.coworlds.wire import certification_status, coworld_response, coworld_row, coworld_summary
from observatory.cursors import CursorPage, cursor_page, set_next_cursor
from observatory.database import DatabaseDep, SessionDep, own_transactions
from observatory.database.tables.coworlds import ContentFile, ContentKind, ContentState
from observatory.database.tables.requests import RequestSource
from observatory.errors import (
    BadRequest,
    Conflict,
    Forbidden,
    NotFound,
    TooLarge,
    TooManyRequests,
    Unauthorized,
    errors,
)
from observatory.experience import repository as experience
from observatory.experience.repository import EpisodeFilter
from observatory.experience.wire import RequestWire
from observatory.http.bodies import KILOBYTE, check_length, too_large
from observatory.http.callers import Admin, CurrentPrincipal, OptionalPrincipal, Writer
from observatory.http.deps import KeysDep, SettingsDep, StoreDep
from observatory.http.routing import Router, body_rule
from observatory.public_ids import public_id
from observatory.store import Store
from observatory.store.layout import content_key
from softmax.wire.coworlds import (
    CertificationStatus,
    ContentUpload,
    CoworldResponse,
    CoworldRow,
    CoworldSecretRow,
    CoworldSummaryRow,
    CoworldVersionRow,
    CoworldVisibility,
    ViewerBundle,
)
from softmax.wire.requests import EpisodeRequestPage

__all__ = ["guide_router", "router"]

router = Router(prefix="/v2/coworlds", tags=["coworlds"])
guide_router = Router(tags=["coworlds"])

MAX_MANIFEST_BYTES = 2048 * KILOBYTE
OCTETS, MARKDOWN = "application/octet-stream", "text/markdown"
IN_MARKDOWN = {**errors(Unauthorized, NotFound), 200: {"content": {MARKDOWN: {}}}}

Id = Annotated[str, Path(max_length=100, description="`cow_...`")]
Name = Annotated[str, Path(max_length=200)]
Reference = Annotated[str, Path(max_length=200, description="a name, or `cow_...`")]
NameFilter = Annotated[str | None, Query(max_length=200, description="a name; `-` and `_` are the same")]
CanonicalFilter = Annotated[bool | None, Query(description="whether leagues play the version")]


def _markdown(text: str) -> Response:
    return Response(text, media_type=MARKDOWN, headers={"X-Content-Type-Options": "nosniff"})


@router.post("/upload", responses=errors(BadRequest, Unauthorized, Forbidden, Conflict, TooLarge, TooManyRequests, 501))
@own_transactions
@body_rule(MAX_MANIFEST_BYTES)
async def upload_coworld(
    body: CoworldUpload, principal: Writer, database: DatabaseDep, store: StoreDep, settings: SettingsDep, now: Now
) -> CoworldResponse:
    """Publish a version of a game. It becomes canonical when its smoke episodes and its certification have passed.

    The same manifest again returns the same version.
    """
    publisher = publishing.Publisher(database, store, settings)
    return await publisher.publish(principal, body.manifest, body.visibility, now=now)


@router.post(
    "/patch-commissioner",
    responses=errors(BadRequest, Unauthorized, Forbidden, NotFound, Conflict, TooManyRequests, 501),
)
@own_transactions
async def patch_commissioner(
    body: CommissionerPatch, principal: Writer, database: DatabaseDep, store: StoreDep, settings: SettingsDep, now: Now
) -> CoworldResponse:
    """Publish the next version of a game with another commissioner."""
    return await publishing.Publisher(database, store, settings).patch_commissioner(principal, body, now=now)


@router.get("/summaries", responses=errors(Unauthorized))
def list_summaries(
    session: SessionDep,
    principal: OptionalPrincipal,
    page: Annotated[CursorPage, Depends(cursor_page(200, max_limit=500))],
    response: Response,
    name: NameFilter = None,
    canonical: CanonicalFilter = None,
) -> list[CoworldSummaryRow]:
    """Return the versions of games that the caller may see, newest first; `X-Next-Cursor` continues the list."""
    found = repository.coworlds(session, CoworldFilter(name, canonical), principal, page)
    set_next_cursor(response, found.next_cursor)
    return [coworld_summary(row) for row in found.rows]


@router.get("", responses=errors(Unauthorized))
def list_coworlds(
    session: SessionDep,
    principal: OptionalPrincipal,
    page: Annotated[CursorPage, Depends(cursor_page(50, max_limit=200))],
    settings: SettingsDep,
    response: Response,
    name: NameFilter = None,
    canonical: CanonicalFilter = None,
) -> list[CoworldRow]:
    """As `/summaries`, with manifests; for older clients."""
    found = repository.coworlds(session, CoworldFilter(name, canonical), principal, page)
    set_next_cursor(response, found.next_cursor)
    return [coworld_row(session, row, settings) for row in found.rows]


# Files


async def _begin_upload(
    session: SessionDep, principal: Writer, store: StoreDep, settings: SettingsDep, now: Now
) -> Callable[[ContentKind, ContentAnnounced], str | None]:
    """Return a function that begins an upload of the caller and returns its URL; None if it is stored already."""

    def begin(kind: ContentKind, file: ContentAnnounced) -> str | None:
        return content.begin_upload(
            session, principal, kind, file.content_hash, file.size_bytes, store=store, settings=settings, now=now
        )

    return begin


async def _complete_upload(
    principal: Writer, database: DatabaseDep, store: StoreDep, settings: SettingsDep, now: Now
) -> Callable[[ContentKind, ContentAnnounced], Awaitable[ViewerBundle]]:
    """Return a function that checks an upload of the caller. A repeated request returns the same answer."""

    async def complete(kind: ContentKind, file: ContentAnnounced) -> ViewerBundle:
        completion = content.Completion(database, store, settings)
        return _viewer_bundle(await completion.complete(principal.user_id, kind, file.content_hash, now=now))

    return complete


def _stored_file(store: Store, kind: ContentKind, sha256: str) -> StreamingResponse:
    headers = {"X-Content-Type-Options": "nosniff"}
    return StreamingResponse(store.stream(content_key(kind, sha256)), media_type=OCTETS, headers=headers)


Begin = Annotated[Callable[[ContentKind, ContentAnnounced], str | None], Depends(_begin_upload)]
Complete = Annotated[Callable[[ContentKind, ContentAnnounced], Awaitable[ViewerBundle]], Depends(_complete_upload)]


@router.post("/player-files/upload", responses=errors(Unauthorized, Forbidden, Conflict, TooLarge, TooManyRequests))
def begin_player_file(body: ContentAnnounced, begin: Begin) -> ContentUpload:
    """Return a URL to upload a player file to; 409 if the caller has uploaded it before."""
    url = begin(ContentKind.PLAYER_FILE, body)
    if url is None:
        raise Conflict(f"You have uploaded sha256:{body.content_hash} before; refer to it")
    return ContentUpload(upload_url=url)


@router.get(
    "/{coworld_id}/player-files/{sha256}",
    response_class=StreamingResponse,
    responses={**errors(Unauthorized, NotFound), 200: {"content": {OCTETS: {}}}},
)
def get_player_file(
    coworld_id: Id, sha256: Sha256, session: SessionDep, principal: OptionalPrincipal, store: StoreDep
) -> StreamingResponse:
    """Return a player file of a game."""
    coworld = repository.coworld(session, coworld_id, principal)
    if sha256 not in manifests.player_files(coworld.manifest):
        raise NotFound(f"{coworld.name} has no player file {sha256}")
    return _stored_file(store, ContentKind.PLAYER_FILE, sha256)


@router.post("/replay-viewer-bundles/upload", responses=errors(Unauthorized, Forbidden, TooLarge, TooManyRequests))
def begin_viewer_bundle(body: ContentAnnounced, begin: Begin) -> ContentUpload:
    """Return a URL to upload the zip archive of a replay viewer to; null if the caller has uploaded it before."""
    url = begin(ContentKind.VIEWER_BUNDLE, body)
    return ContentUpload(upload_url=url, bundle=f"sha256:{body.content_hash}")


@router.post("/replay-viewer-bundles/upload/complete", responses=errors(BadRequest, Unauthorized, Forbidden, TooLarge))
@own_transactions
async def complete_viewer_bundle(body: ContentAnnounced, complete: Complete) -> ViewerBundle:
    """Check an uploaded replay viewer. A repeated request returns the same answer."""
    return await complete(ContentKind.VIEWER_BUNDLE, body)


@router.get("/replay-viewer-bundles/{sha256}", responses=errors(Unauthorized, NotFound))
def get_viewer_bundle(sha256: Sha256, session: SessionDep, principal: CurrentPrincipal) -> ViewerBundle:
    """Return whether a replay viewer that the caller has uploaded can be used."""
    file = content.find(session, principal.user_id, ContentKind.VIEWER_BUNDLE, sha256)
    if file is None:
        raise NotFound(f"You have not completed an upload of the replay viewer {sha256}")
    return _viewer_bundle(file)


def _viewer_bundle(file: ContentFile) -> ViewerBundle:
    ready = file.state is ContentState.READY
    return ViewerBundle(bundle=f"sha256:{file.sha256}", status="ready" if ready else "failed", detail=file.detail)


@router.post("/programs/upload", responses=errors(Unauthorized, Forbidden, TooLarge, TooManyRequests))
def begin_program(body: ContentAnnounced, begin: Begin) -> ContentUpload:
    """Return a URL to upload a program to, a zip archive in place of a container image; null if it was sent before.

    A manifest refers to it as `sha256:DIGEST` where it has an image. Its `coworld_local.json` has its command.
    """
    url = begin(ContentKind.PROGRAM, body)
    return ContentUpload(upload_url=url, bundle=f"sha256:{body.content_hash}")


@router.post("/programs/upload/complete", responses=errors(BadRequest, Unauthorized, Forbidden, TooLarge))
@own_transactions
async def complete_program(body: ContentAnnounced, complete: Complete) -> ViewerBundle:
    """Check an uploaded program. A repeated request returns the same answer."""
    return await complete(ContentKind.PROGRAM, body)


@router.get(
    "/{coworld_id}/programs/{sha256}",
    response_class=StreamingResponse,
    responses={**errors(Unauthorized, NotFound), 200: {"content": {OCTETS: {}}}},
)
def get_program(
    coworld_id: Id, sha256: Sha256, session: SessionDep, principal: OptionalPrincipal, store: StoreDep
) -> StreamingResponse:
    """Return the archive of a program of a game."""
    coworld = repository.coworld(session, coworld_id, principal)
    if sha256 not in manifests.programs(coworld.manifest):
        raise NotFound(f"{coworld.name} has no program {sha256}")
    return _stored_file(store, ContentKind.PROGRAM, sha256)


# Secrets

SecretName = Annotated[str, Path(max_length=200)]


@router.get("/secrets/{coworld}", responses=errors(Unauthorized, Forbidden, NotFound))
def list_secrets(coworld: Reference, session: SessionDep, principal: CurrentPrincipal) -> list[CoworldSecretRow]:
    """Return the secrets of a game of the caller, without their values."""
    game = secrets.game_of(session, coworld, principal)
    return [secrets.secret_row(row, game) for row in secrets.list_secrets(session, game)]


@router.put(
    "/secrets/{coworld}/{secret}",
    responses=errors(Unauthorized, Forbidden, NotFound, Conflict, TooLarge),
    openapi_extra={
        "requestBody": {"required": True, "content": {OCTETS: {"schema": {"type": "string", "format": "binary"}}}}
    },
)
@own_transactions
async def put_secret(
    coworld: Reference,
    secret: SecretName,
    request: Request,
    session: SessionDep,
    principal: Writer,
    database: DatabaseDep,
    keys: KeysDep,
    now: Now,
) -> CoworldSecretRow:
    """Store a secret of a game of the caller, or replace it. The body is the value."""
    await anyio.to_thread.run_sync(secrets.game_of, session, coworld, principal)
    value = await _limited_body(request, secrets.MAX_SECRET_BYTES)

    def store_secret(session: SessionDep) -> CoworldSecretRow:
        game = secrets.game_of(session, coworld, principal)
        return secrets.secret_row(secrets.put_secret(session, keys, game, secret, value, now=now), game)

    return await database.write(store_secret)


@router.delete("/secrets/{coworld}/{secret}", responses=errors(Unauthorized, Forbidden, NotFound))
def delete_secret(coworld: Reference, secret: SecretName, session: SessionDep, principal: Writer) -> CoworldSecretRow:
    """Delete a secret of a game of the caller."""
    game = secrets.game_of(session, coworld, principal)
    return secrets.secret_row(secrets.delete_secret(session, game, secret), game)


@router.get(
    "/secret-values/{token}",
    response_class=Response,
    responses={**errors(NotFound), 200: {"content": {OCTETS: {}}}},
)
def get_secret_value(token: Annotated[str, Path(max_length=1000)], session: SessionDep, keys: KeysDep) -> Response:
    """Return a secret of a game to an episode of it. The address is signed, and expires with the episode."""
    value = launching.read_leased_secret(session, token, keys=keys)
    headers = {"Cache-Control": "no-store", "X-Content-Type-Options": "nosniff"}
    return Response(value, media_type=OCTETS, headers=headers)


async def _limited_body(request: Request, max_bytes: int) -> bytes:
    check_length(request, max_bytes)
    body = bytearray()
    async for piece in request.stream():
        body += piece
        if len(body) > max_bytes:
            raise too_large(max_bytes)
    return bytes(body)


# One Coworld


@router.get("/{coworld_id}", responses=errors(Unauthorized, NotFound))
def get_coworld(
    coworld_id: Id, session: SessionDep, principal: OptionalPrincipal, settings: SettingsDep
) -> CoworldResponse:
    """Return a version of a game; the images of its manifest are addresses that can be pulled."""
    return coworld_response(session, repository.coworld(session, coworld_id, principal), settings)


@router.get("/{coworld_id}/certification", responses=errors(Unauthorized, NotFound))
def get_certification(
    coworld_id: Id, session: SessionDep, principal: OptionalPrincipal, settings: SettingsDep
) -> CertificationStatus:
    """Return the state of a version's certification by this server."""
    return certification_status(repository.coworld(session, coworld_id, principal), settings)


@router.post("/{coworld_id}/certification/retry", responses=errors(Unauthorized, Forbidden, NotFound, Conflict))
def retry_certification(
    coworld_id: Id, session: SessionDep, principal: Writer, settings: SettingsDep, now: Now
) -> CertificationStatus:
    """Queue the certification and the failed smoke episodes of a version of the caller again."""
    coworld = repository.owned(session, coworld_id, principal)
    publishing.retry(session, coworld, now=now)
    return certification_status(coworld, settings)


@router.get(
    "/{coworld_id}/certification/transcript.md",
    response_class=Response,
    responses=IN_MARKDOWN,
)
def get_transcript(coworld_id: Id, session: SessionDep, principal: OptionalPrincipal) -> Response:
    """Return what the certification did, step by step."""
    coworld = repository.coworld(session, coworld_id, principal)
    certification = coworld.certification
    if certification is None or not certification.transcript:
        raise NotFound(f"{coworld.name} {coworld.version} has no transcript: its certification has not ended")
    return _markdown(certification.transcript)


@router.get("/{coworld_id}/episode-requests", responses=errors(Unauthorized, NotFound))
def list_episode_requests(
    coworld_id: Id,
    session: SessionDep,
    principal: OptionalPrincipal,
    page: Annotated[CursorPage, Depends(cursor_page(50, max_limit=200))],
    store: StoreDep,
    settings: SettingsDep,
    source: Annotated[RequestSource | None, Query(description="`coworld_upload` are the smoke episodes")] = None,
) -> EpisodeRequestPage:
    """Return the episodes of a version that the caller may see, newest first."""
    coworld = repository.coworld(session, coworld_id, principal)
    filters = EpisodeFilter(coworld_id=coworld.id, source=source)
    found = experience.episodes(session, filters, principal, page)
    wire = RequestWire(store, settings)
    return EpisodeRequestPage(entries=[wire.summary(row) for row in found.rows], next_cursor=found.next_cursor)


@router.get("/{coworld_id}/play.md", response_class=Response, responses=IN_MARKDOWN)
def get_guide(coworld_id: Id, session: SessionDep, principal: OptionalPrincipal, settings: SettingsDep) -> Response:
    """Return the guide to a version of a game."""
    coworld = repository.coworld(session, coworld_id, principal)
    return _markdown(guides.guide(session, coworld, server=settings.base_url()))


@router.post("/{name}/visibility", responses=errors(Unauthorized, Forbidden, NotFound))
def change_visibility(name: Name, body: VisibilityChange, session: SessionDep, admin: Admin) -> CoworldVisibility:
    """Make all versions of a game public; for administrators."""
    rows, changed = publishing.make_public(session, name)
    leagues = repository.leagues(session, rows[0], public=False)
    return CoworldVisibility(
        name=rows[0].name,
        visibility=body.visibility,
        changed=changed,
        versions=[
            CoworldVersionRow(id=public_id("cow", row.id), version=row.version, canonical=row.canonical) for row in rows
        ],
        private_league_ids=[public_id("league", league.id) for league in leagues],
        private_seed_ids=[public_id("lseed", seed.id) for seed in repository.seeds(session, leagues)],
    )


@guide_router.get("/play_{game}.md", response_class=Response, responses=IN_MARKDOWN)
def get_named_guide(game: Name, session: SessionDep, principal: OptionalPrincipal, settings: SettingsDep) -> Response:
    """Return the guide to a game by its name without signs between words: `/play_cogsvsclips.md`."""
    coworld = guides.named_in_guide(session, game, principal)
    return _markdown(guides.guide(session, coworld, server=settings.base_url()))
