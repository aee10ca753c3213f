"""The registry of container images: the OCI distribution API at `/v2/`, which container engines speak.

Each image has its repository, `images/<id>`. Errors have the bodies that the specification of that API gives them.
"""

from __future__ import annotations

import uuid
from dataclasses import dataclass
from typing import Annotated, Any

import anyio.to_thread
from fastapi import Depends, Query, Request, Response
from fastapi.exceptions import RequestValidationError
from fastapi.responses import FileResponse, JSONResponse, RedirectResponse
from sqlalchemy.orm import Session

from observatory.clock import Now
from observatory.database import Database, DatabaseDep, SessionDep, own_transactions
from observatory.database.tables.images import Blob, BlobUpload, ContainerImage
from observatory.errors import ObservatoryError, Unauthorized
from observatory.http.deps import KeysDep, SettingsDep, StoreDep
from observatory.http.routing import Handler, Route, Router
from observatory.images import access, repository, service, uploads
from observatory.images.access import RegistryCaller
from observatory.images.addresses import REPOSITORIES, Registry, repository_name
from observatory.images.errors import (
    BlobUnknown,
    ManifestInvalid,
    ManifestUnknown,
    NameUnknown,
    RangeInvalid,
    code_of,
)
from observatory.images.manifests import (
    MAX_CONFIG_BYTES,
    MAX_MANIFEST_BYTES,
    Manifest,
    check_config,
    check_digest,
    parse_manifest,
)
from observatory.images.uploads import BlobReceiver, upload_locks
from observatory.settings import Settings
from observatory.store import Store
from observatory.store.folder import FolderStore
from observatory.store.layout import blob_key

__all__ = ["registry_of", "router"]

VERSION = {"Docker-Distribution-API-Version": "registry/2.0"}
IMAGE = "/images/{image_id}"
UPLOADS = IMAGE + "/blobs/uploads"


class RegistryRoute(Route):
    """A route whose error responses are those of a registry."""

    def get_route_handler(self) -> Handler:
        handler = super().get_route_handler()

        async def answered(request: Request) -> Response:
            try:
                return await handler(request)
            except ObservatoryError as error:
                return _refusal(request, error)
            except RequestValidationError:
                return _refusal(request, NameUnknown("There is no such image or upload"))

        return answered


router = Router(prefix="/v2", tags=["registry"], include_in_schema=False, route_class=RegistryRoute)


def registry_of(request: Request) -> Registry:
    """Return the registry under the address that the operator has set, else the one that the caller uses."""
    settings: Settings = request.app.state.settings
    return Registry(settings.public_url or str(request.base_url))


def _caller(request: Request, session: SessionDep, keys: KeysDep, now: Now) -> RegistryCaller:
    authorization = request.headers.get("authorization", "")
    credential = access.credential_of(authorization, request.headers.get("x-auth-token"))
    caller = access.find_caller(session, keys.secret, credential, now=now)
    if caller.user_id is not None:
        request.state.principal_name = caller.user_id
        shown = request.headers.get("x-auth-token") or authorization.partition(" ")[2]
        request.app.state.rate_limits.remember(shown.strip(), caller.user_id)
    return caller


Caller = Annotated[RegistryCaller, Depends(_caller)]


@router.get("/")
def check_version(request: Request, caller: Caller) -> Response:
    """Say that this is a registry, and let container engines find out how to sign in."""
    if "authorization" not in request.headers and "x-auth-token" not in request.headers:
        raise Unauthorized("Sign in, or ask for a token without credentials")
    return JSONResponse({}, headers=VERSION)


@router.get("/token")
def issue_token(request: Request, caller: Caller, keys: KeysDep) -> Response:
    """Return a bearer token for the credentials of the request, or for an anonymous caller."""
    credential = access.credential_of(request.headers.get("authorization", ""), request.headers.get("x-auth-token"))
    token = access.registry_token(keys.secret, credential)
    document = {"token": token, "access_token": token, "expires_in": access.REGISTRY_TOKEN_SECONDS}
    return JSONResponse(document, headers={"Cache-Control": "no-store"})


@router.api_route(IMAGE + "/blobs/{digest}", methods=["GET", "HEAD"])
def read_blob(
    image_id: uuid.UUID,
    digest: str,
    request: Request,
    session: SessionDep,
    caller: Caller,
    store: StoreDep,
    settings: SettingsDep,
) -> Response:
    """Send a blob, or a range of it."""
    blob = repository.readable_blob(session, image_id, check_digest(digest), caller)
    headers = {"Docker-Content-Digest": digest, "ETag": f'"{digest}"', "Content-Type": "application/octet-stream"}
    key = blob_key(digest)
    if request.method == "HEAD":
        if store.size(key) is None:
            raise BlobUnknown(f"The store has lost {digest}; push it again")
        return Response(headers={**headers, "Content-Length": str(blob.size), "Accept-Ranges": "bytes"})
    if isinstance(store, FolderStore):
        if not store.path(key).is_file():
            raise BlobUnknown(f"The store has lost {digest}; push it again")
        return FileResponse(store.path(key), headers=headers)
    return RedirectResponse(store.download_url(key, seconds=settings.download_url_seconds), 307, headers=VERSION)


@router.post(UPLOADS + "/")
@own_transactions
async def begin_upload(
    image_id: uuid.UUID,
    request: Request,
    caller: Caller,
    database: DatabaseDep,
    store: StoreDep,
    settings: SettingsDep,
    now: Now,
    mount: Annotated[str | None, Query(max_length=200)] = None,
    source: Annotated[str | None, Query(alias="from", max_length=300)] = None,
    digest: Annotated[str | None, Query(max_length=200)] = None,
) -> Response:
    """Begin an upload. With `mount` and `from` use a blob of another image; with `digest` the body is the blob."""

    def begin(session: Session) -> Blob | BlobUpload:
        image = repository.pushable(session, image_id, caller)
        if digest is not None:
            check_digest(digest)
        if mount is not None and source is not None:
            blob = _mounted(session, image, source, check_digest(mount), caller, settings=settings, now=now)
            if blob is not None:
                return blob
        return uploads.begin_upload(session, image, settings=settings, now=now)

    begun = await database.write(begin)
    if isinstance(begun, Blob):
        return _created(image_id, begun.digest)
    if digest is None:
        return _progress(image_id, begun.id, 0, 202)
    receiver = BlobReceiver(database, store, settings, begun.id)
    async with upload_locks.held(begun.id):
        await receiver.append(request, now=now)
        await receiver.finish(digest, now=now)
    return _created(image_id, digest)


def _mounted(
    session: Session, image: ContainerImage, source: str, digest: str, caller: RegistryCaller, **options: Any
) -> Blob | None:
    """Return a blob of another image that the image may now use; None if the caller has to send it."""
    try:
        source_id = uuid.UUID(source.removeprefix(REPOSITORIES))
        service.check_open(image)
        return service.mount_blob(session, image, source_id, digest, caller, **options)
    except (ValueError, NameUnknown, BlobUnknown):
        return None


@dataclass(frozen=True)
class _Upload:
    """An upload that a request names, and the caller of the request."""

    image_id: uuid.UUID
    id: uuid.UUID
    caller: RegistryCaller
    database: Database
    receiver: BlobReceiver

    async def check(self) -> None:
        """Raise unless the caller may push to the image and the upload is open."""
        await self.database.query(lambda session: repository.upload(session, self.image_id, self.id, self.caller))

    def progress(self, offset: int, status: int) -> Response:
        return _progress(self.image_id, self.id, offset, status)


async def _upload(
    image_id: uuid.UUID,
    upload_id: uuid.UUID,
    caller: Caller,
    database: DatabaseDep,
    store: StoreDep,
    settings: SettingsDep,
) -> _Upload:
    return _Upload(image_id, upload_id, caller, database, BlobReceiver(database, store, settings, upload_id))


UploadDep = Annotated[_Upload, Depends(_upload)]


@router.get(UPLOADS + "/{upload_id}")
@own_transactions
async def read_upload(upload: UploadDep) -> Response:
    """Say how much of an upload has arrived."""
    await upload.check()
    return upload.progress(await upload.receiver.offset(), 204)


@router.patch(UPLOADS + "/{upload_id}")
@own_transactions
async def continue_upload(upload: UploadDep, request: Request, now: Now) -> Response:
    """Receive the next part of a blob."""
    async with upload_locks.held(upload.id):
        await upload.check()
        try:
            offset = await upload.receiver.append(request, now=now)
        except RangeInvalid as error:
            error.headers = dict(upload.progress(await upload.receiver.offset(), 416).headers)
            raise
    return upload.progress(offset, 202)


@router.put(UPLOADS + "/{upload_id}")
@own_transactions
async def finish_upload(
    upload: UploadDep, request: Request, now: Now, digest: Annotated[str, Query(max_length=200)] = ""
) -> Response:
    """Receive the rest of a blob, if any, and check its digest."""
    async with upload_locks.held(upload.id):
        await upload.check()
        check_digest(digest)
        await upload.receiver.append(request, now=now)
        await upload.receiver.finish(digest, now=now)
    return _created(upload.image_id, digest)


@router.delete(UPLOADS + "/{upload_id}")
@own_transactions
async def cancel_upload(upload: UploadDep) -> Response:
    """End an upload and remove what has arrived."""
    async with upload_locks.held(upload.id):
        await upload.check()
        await upload.receiver.cancel()
    return Response(status_code=204, headers=VERSION)


@router.put(IMAGE + "/manifests/{reference}")
@own_transactions
async def put_manifest(
    image_id: uuid.UUID,
    reference: str,
    request: Request,
    caller: Caller,
    database: DatabaseDep,
    store: StoreDep,
    settings: SettingsDep,
    now: Now,
) -> Response:
    """Store the manifest of an image, after its blobs."""
    await database.query(lambda session: repository.pushable(session, image_id, caller))
    manifest = parse_manifest(await _limited_body(request), request.headers.get("content-type", ""))

    def check(session: Session) -> None:
        image = repository.pushable(session, image_id, caller)
        service.check_manifest(session, image, reference, manifest, settings=settings)

    def put(session: Session) -> None:
        image = repository.pushable(session, image_id, caller)
        service.put_manifest(session, image, reference, manifest, settings=settings, now=now)

    await database.query(check)
    await anyio.to_thread.run_sync(_check_config, store, manifest)
    await database.write(put)
    location = f"/v2/{repository_name(image_id)}/manifests/{manifest.digest}"
    return Response(
        status_code=201, headers={**VERSION, "Location": location, "Docker-Content-Digest": manifest.digest}
    )


@router.api_route(IMAGE + "/manifests/{reference}", methods=["GET", "HEAD"])
def read_manifest(image_id: uuid.UUID, reference: str, session: SessionDep, caller: Caller) -> Response:
    """Send the manifest of an image."""
    image = repository.pullable(session, image_id, caller)
    if image.manifest is None or image.digest is None or reference not in (image.tag, image.digest):
        raise ManifestUnknown(f"This image has no manifest {reference[:100]!r}")
    headers = {**VERSION, "Docker-Content-Digest": image.digest, "ETag": f'"{image.digest}"'}
    return Response(image.manifest, media_type=image.media_type, headers=headers)


@router.get(IMAGE + "/tags/list")
def list_tags(image_id: uuid.UUID, session: SessionDep, caller: Caller) -> Response:
    """Return the tag of an image."""
    image = repository.pullable(session, image_id, caller)
    tags = [] if image.tag is None else [image.tag]
    return JSONResponse({"name": repository_name(image.id), "tags": tags}, headers=VERSION)


async def _limited_body(request: Request) -> bytes:
    body = bytearray()
    async for piece in request.stream():
        body += piece
        if len(body) > MAX_MANIFEST_BYTES:
            raise ManifestInvalid(f"A manifest may have at most {MAX_MANIFEST_BYTES:,} bytes")
    return bytes(body)


def _check_config(store: Store, manifest: Manifest) -> None:
    if manifest.config.size > MAX_CONFIG_BYTES:
        raise ManifestInvalid(f"The configuration of an image may have at most {MAX_CONFIG_BYTES:,} bytes")
    check_config(store.get(blob_key(manifest.config.digest)), manifest)


def _progress(image_id: uuid.UUID, upload_id: uuid.UUID, offset: int, status: int) -> Response:
    headers = {
        **VERSION,
        "Location": f"/v2/{repository_name(image_id)}/blobs/uploads/{upload_id}",
        "Docker-Upload-UUID": str(upload_id),
        "Range": f"0-{max(0, offset - 1)}",
    }
    return Response(status_code=status, headers=headers)


def _created(image_id: uuid.UUID, digest: str) -> Response:
    location = f"/v2/{repository_name(image_id)}/blobs/{digest}"
    return Response(status_code=201, headers={**VERSION, "Location": location, "Docker-Content-Digest": digest})


def _refusal(request: Request, error: ObservatoryError) -> Response:
    headers = {name: value for name, value in error.headers.items() if name.lower() not in ("content-length",)}
    if error.status == 401:
        registry = registry_of(request)
        headers["WWW-Authenticate"] = f'Bearer realm="{registry.origin}/v2/token",service="{registry.host}"'
    document = {"errors": [{"code": code_of(error), "message": error.message}]}
    return JSONResponse(document, error.status, headers={**VERSION, **headers})
