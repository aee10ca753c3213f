"""What a manifest refers to: images, files and reporters that must exist, and that the uploader may use."""

from __future__ import annotations

import uuid
from collections.abc import Iterable, Mapping
from typing import Any

from sqlalchemy import select
from sqlalchemy.orm import Session

from observatory.accounts.principal import Principal
from observatory.coworlds import content, manifests, reporters
from observatory.database.tables.coworlds import ContentKind, ContentState, Coworld, Visibility
from observatory.database.tables.images import ContainerImage
from observatory.errors import BadRequest, Conflict, NotFound
from observatory.games.coworlds import coworlds
from observatory.images import service as images
from observatory.images.addresses import Registry
from observatory.public_ids import parse_public_id, public_id

__all__ = ["check_references", "publish_images", "pull_addresses", "with_image_ids", "with_pull_addresses"]

_PREFIX = "img_"


def with_image_ids(session: Session, manifest: Mapping[str, Any], registry: Registry) -> dict[str, Any]:
    """Return a manifest with the ids of images in place of their addresses in this registry.

    A client that uploads what it has downloaded sends such addresses.
    """
    head = f"{registry.host}/images/"
    names = [name for name in manifests.image_names(manifest) if name.startswith(head)]
    ids = {}
    for name in names:
        text, _, digest = name.removeprefix(head).partition("@")
        image_id = _uuid(text)
        image = None if image_id is None else session.get(ContainerImage, image_id)
        if image is not None and image.digest == digest:
            ids[name] = public_id("img", image.id)
    return manifests.with_images(manifest, ids)


def check_references(session: Session, principal: Principal, manifest: Mapping[str, Any]) -> None:
    """Raise `BadRequest` for an image, a file or a reporter that does not exist or that the caller may not use."""
    programs = manifests.programs(manifest)
    others = [name for name in manifests.image_names(manifest) if name.removeprefix("sha256:") not in programs]
    _check_images(session, principal, others)
    for sha256 in programs:
        _check_file(session, principal, ContentKind.PROGRAM, sha256, "program")
    for sha256 in manifests.player_files(manifest):
        _check_file(session, principal, ContentKind.PLAYER_FILE, sha256, "player file")
    viewer = manifests.viewer_bundle(manifest)
    if viewer is not None:
        _check_file(session, principal, ContentKind.VIEWER_BUNDLE, viewer, "replay viewer")
    for reference in manifests.reporters(manifest):
        if not coworlds().is_own_reporter(reference) and reporters.version(session, reference) is None:
            raise BadRequest(f"There is no reporter {reference[:200]!r} on this server; upload it first")


def publish_images(session: Session, coworld: Coworld) -> None:
    """Let everyone pull the images of a public Coworld."""
    if coworld.visibility is Visibility.PUBLIC:
        images.publish(session, _image_ids(manifests.image_names(coworld.manifest)))


def pull_addresses(session: Session, names: Iterable[str], registry: Registry) -> dict[str, str]:
    """Return the address at which each of the images with an id can be pulled."""
    addresses = {public_id("img", image.id): registry.pull_uri(image) for image in _images(session, names)}
    return {name: address for name, address in addresses.items() if address is not None}


def with_pull_addresses(session: Session, manifest: Mapping[str, Any], registry: Registry) -> dict[str, Any]:
    """Return a manifest whose images can be pulled; images of our own keep their names."""
    return manifests.with_images(manifest, pull_addresses(session, manifests.image_names(manifest), registry))


def _check_images(session: Session, principal: Principal, names: list[str]) -> None:
    for name in names:
        if name.startswith(_PREFIX):
            try:
                images.ready_image(session, principal, parse_public_id("img", name))
            except (Conflict, NotFound) as problem:
                raise BadRequest(problem.message) from None
        elif not coworlds().is_own_image(name):
            raise BadRequest(
                f"The image {name[:200]!r} is not on this server; upload it and refer to it by its id `img_...`, as "
                "`coworld upload-coworld` does"
            )


def _check_file(session: Session, principal: Principal, kind: ContentKind, sha256: str, noun: str) -> None:
    file = content.find(session, principal.user_id, kind, sha256)
    if file is None:
        raise BadRequest(f"You have not uploaded the {noun} sha256:{sha256}; upload it first")
    if file.state is not ContentState.READY:
        raise BadRequest(f"The {noun} sha256:{sha256} cannot be used: {file.detail}")


def _images(session: Session, names: Iterable[str]) -> Iterable[ContainerImage]:
    return session.scalars(select(ContainerImage).where(ContainerImage.id.in_(_image_ids(names))))


def _image_ids(names: Iterable[str]) -> list[uuid.UUID]:
    return [parse_public_id("img", name) for name in names if name.startswith(_PREFIX)]


def _uuid(text: str) -> uuid.UUID | None:
    try:
        return uuid.UUID(text)
    except ValueError:
        return None
