"""Container images over HTTP: what a client calls before and after it pushes to the registry."""

from __future__ import annotations

from typing import Annotated

from fastapi import Depends, Request, Response
from pydantic import BaseModel, Field

from observatory.clock import Now
from observatory.cursors import CursorPage, cursor_page, set_next_cursor
from observatory.database import DatabaseDep, SessionDep, own_transactions
from observatory.errors import Conflict, Forbidden, NotFound, Unauthorized, Unprocessable, errors
from observatory.http.callers import Admin, CurrentPrincipal, OptionalPrincipal, Writer
from observatory.http.deps import KeysDep, SettingsDep, StoreDep
from observatory.http.routing import Router
from observatory.images import repository, service
from observatory.images.collecting import collect_garbage
from observatory.public_ids import parse_public_id
from observatory.routes.registry import registry_of
from observatory.wire import Body
from softmax.wire.images import ContainerImageRow, ImageUpload

__all__ = ["router"]

router = Router(tags=["images"])

MAX_LIMIT = 1000


class ImageCreate(Body):
    """An image to be pushed."""

    name: str = Field(description="letters, digits, `.`, `_` and `-`")
    client_hash: str = Field(
        min_length=1, max_length=200, description="identifies the content; the same hash is not pushed twice"
    )


class ImageComplete(Body):
    id: str = Field(max_length=100, description="such as `img_0198...`")


class GarbageRemoved(BaseModel):
    """What a collection of garbage has removed."""

    uploads: int
    images: int
    blobs: int
    bytes: int


@router.post("/v2/container_images/upload", responses=errors(Unauthorized, Forbidden))
def begin_image_upload(
    body: ImageCreate,
    request: Request,
    session: SessionDep,
    principal: Writer,
    settings: SettingsDep,
    keys: KeysDep,
    now: Now,
) -> ImageUpload:
    """Return where to push an image; without `pre_signed_info` the caller has pushed it before."""
    return service.begin_image(
        session,
        principal,
        body.name,
        body.client_hash,
        registry=registry_of(request),
        settings=settings,
        keys=keys,
        now=now,
    )


@router.post("/v2/container_images/upload/complete", responses=errors(Unauthorized, Forbidden, NotFound, Conflict))
def complete_image_upload(
    body: ImageComplete, request: Request, session: SessionDep, principal: Writer, now: Now
) -> ContainerImageRow:
    """Complete an image whose manifest was pushed. A repeated request returns the same image."""
    image_id = parse_public_id("img", body.id, error=Unprocessable)
    return registry_of(request).row(service.complete_image(session, principal, image_id, now=now))


@router.get("/v2/container_images", responses=errors(Unauthorized))
def list_images(
    request: Request,
    response: Response,
    session: SessionDep,
    principal: CurrentPrincipal,
    page: Annotated[CursorPage, Depends(cursor_page(200, max_limit=MAX_LIMIT))],
) -> list[ContainerImageRow]:
    """Return the caller's images, newest first; `X-Next-Cursor` names the next page."""
    images = repository.images(session, principal.user_id, page)
    set_next_cursor(response, images.next_cursor)
    registry = registry_of(request)
    return [registry.row(image) for image in images.rows]


@router.get("/v2/container_images/{image_id}", responses=errors(Unauthorized, NotFound))
def read_image(image_id: str, request: Request, session: SessionDep, principal: OptionalPrincipal) -> ContainerImageRow:
    """Return an image of the caller, or one that a public Coworld uses."""
    return registry_of(request).row(repository.image(session, parse_public_id("img", image_id), principal))


@router.post("/admin/images/gc", responses=errors(Unauthorized, Forbidden))
@own_transactions
async def collect_image_garbage(admin: Admin, database: DatabaseDep, store: StoreDep, now: Now) -> GarbageRemoved:
    """Remove abandoned uploads, images that were never completed, and unused blobs, all older than a day."""
    removed = await collect_garbage(database, store, now)
    return GarbageRemoved(uploads=removed.uploads, images=removed.images, blobs=removed.blobs, bytes=removed.bytes)
