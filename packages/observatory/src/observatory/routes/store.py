"""The two routes behind the folder store's URLs. They need no token: the URL is signed."""

from __future__ import annotations

from typing import Annotated

import anyio.to_thread
from fastapi import Header, Query, Request
from fastapi.responses import FileResponse, Response
from starlette.requests import ClientDisconnect

from observatory.errors import BadRequest, Conflict, Forbidden, NotFound, PreconditionFailed, TooLarge
from observatory.http.deps import StoreDep
from observatory.http.routing import Router
from observatory.store.base import Missing, Store, check_key, content_type_of
from observatory.store.folder import FolderStore, Incoming
from observatory.store.signed import Permit

__all__ = ["router"]

router = Router(prefix="/store", tags=["store"], include_in_schema=False)

_PIECE = 1024 * 1024
MEGABYTE = 1024 * 1024

Text = Annotated[str, Query(max_length=300)]


@router.put("/{key:path}")
async def put_object(
    key: str,
    request: Request,
    store: StoreDep,
    until: int = 0,
    type: Text = "",
    max: int = 0,
    once: Text = "",
    signature: Text = "",
) -> Response:
    """Receive an object. It is stored if and only if the response is 2xx."""
    folder = _folder(store)
    permit = Permit("PUT", _checked(key), until, type, max, once)
    folder.signer.check(permit, signature)
    _check_headers(folder, request, permit)
    if folder.was_used(once):
        raise Conflict("This URL was used already; ask for a new URL")
    await _receive(folder, permit, request)
    return Response(status_code=200)


@router.get("/{key:path}")
def get_object(
    key: str,
    store: StoreDep,
    until: int = 0,
    signature: Text = "",
    if_match: Annotated[str | None, Header(max_length=300)] = None,
) -> Response:
    """Send an object, or a range of it; 412 if it is not the one that `If-Match` names."""
    folder = _folder(store)
    folder.signer.check(Permit("GET", _checked(key), until), signature)
    path = folder.path(key)
    if not path.is_file():
        raise Missing(key)
    etag = folder.etag(key) or ""
    if if_match is not None and if_match.strip() not in ("*", etag):
        raise PreconditionFailed("The object was replaced; ask for a new URL")
    headers = {"X-Content-Type-Options": "nosniff", "Content-Security-Policy": "sandbox", "ETag": etag}
    return FileResponse(path, media_type=content_type_of(key), headers=headers)


def _folder(store: Store) -> FolderStore:
    if not isinstance(store, FolderStore):
        raise NotFound("Objects are not kept on this server")
    return store


def _checked(key: str) -> str:
    try:
        return check_key(key)
    except ValueError as error:
        raise Forbidden(str(error)) from None


def _check_headers(folder: FolderStore, request: Request, permit: Permit) -> None:
    """Reject an invalid upload before its body is read."""
    if permit.content_type and request.headers.get("content-type", "") != permit.content_type:
        raise Forbidden(f"This URL takes Content-Type {permit.content_type} only")
    length = request.headers.get("content-length")
    if length is not None and int(length) > permit.max_bytes:
        raise _too_large(folder, permit, int(length))


async def _receive(folder: FolderStore, permit: Permit, request: Request) -> None:
    """Stream the body to disk, a megabyte at a time, in threads."""
    with folder.receive(permit.key, once=permit.once) as incoming:
        waiting = bytearray()
        try:
            async for piece in request.stream():
                waiting += piece
                if incoming.size + len(waiting) > permit.max_bytes:
                    raise _too_large(folder, permit, incoming.size + len(waiting))
                if len(waiting) >= _PIECE:
                    await _write(incoming, waiting)
        except ClientDisconnect:
            raise BadRequest("The upload was interrupted") from None
        await _write(incoming, waiting)
        length = request.headers.get("content-length")
        if length is not None and int(length) != incoming.size:
            raise BadRequest(f"The upload has {incoming.size} bytes, but Content-Length is {length}")


async def _write(incoming: Incoming, waiting: bytearray) -> None:
    await anyio.to_thread.run_sync(incoming.write, bytes(waiting))
    waiting.clear()


def _too_large(folder: FolderStore, permit: Permit, size: int) -> TooLarge:
    folder.refuse_size(permit.key, size)
    return TooLarge(f"Too large: {size // MEGABYTE} MB (max {permit.max_bytes // MEGABYTE} MB)")
