"""The steps of `coworld build`: read, fill in, check, build, resolve, write."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from coworld.build.compose import Service, read_compose, services_of
from coworld.build.docker_compose import read_with_docker_compose
from coworld.build.errors import BuildError
from coworld.build.images import ResolvedImage, resolve_image, tag_by_content
from coworld.build.package_files import build_viewer, copy_files
from coworld.build.provenance import Checkout, checkout_of, image_labels, pin_source_urls, source_epoch
from coworld.build.template import filled_template, image_entries, with_images, without_nulls
from coworld.build.tool import BuildTool, PullPolicy, find_build_tool
from coworld.errors import SourceError
from coworld.manifest.reader import read_authored_manifest
from coworld.models.manifest import CoworldManifest
from coworld.schema.validation import load_json_object

__all__ = ["BuiltCoworld", "build_coworld_manifest", "build_manifest"]


@dataclass(frozen=True)
class BuiltCoworld:
    """A finished build."""

    path: Path
    manifest: CoworldManifest
    engine: str
    images: Sequence[ResolvedImage]


def build_manifest(
    compose_file: Path,
    template_path: Path,
    version: str,
    output_path: Path,
    *,
    engine: str = "auto",
    pull: PullPolicy = "newer",
    build_options: Sequence[str] = (),
    note: Callable[[str], None] = lambda text: None,
) -> BuiltCoworld:
    """Build the images of a compose file, and write the manifest of a template with them.

    The template and all images that are not built here are checked before the first build. `build_options` are passed
    to `podman build` or `docker build`.

    Raises:
        ComposeError, BuildError: a service, the template or the build itself.
        ManifestError: the filled-in template breaks a rule.
        BuildToolMissing: neither podman nor docker works here.
        SourceError: a file cannot be read or written.
    """
    if not compose_file.is_file():
        raise BuildError(f"{compose_file} does not exist", hint="name the compose file: --compose FILE")
    template = load_json_object(template_path)
    project = template_path.absolute().parent
    services = read_services(compose_file)
    document = filled_template(template, services, version)
    read_authored_manifest(without_nulls(document))
    contexts = [service.build.context for service in services if service.build]
    pin_source_urls(document, [project, *contexts])
    tool = find_build_tool(engine)
    note(f"Engine: {tool.name}")
    names = dict.fromkeys(entry["image"] for entry in image_entries(document))
    platforms = {service.image: service.platform for service in services}
    to_build = {service.image for service in services if service.build}
    found = {
        name: resolve_image(name, tool, platform=platforms.get(name), pull=pull, note=note)
        for name in names
        if name not in to_build
    }
    checkout = checkout_of(project, ignore=output_path.absolute().parent)
    built = _build_services(services, document["game"]["name"], version, checkout, tool, pull, build_options)
    images = [found.get(name) or tag_by_content(name, built[name], tool, "built") for name in names]
    document = without_nulls(with_images(document, {image.image: image.reference for image in images}))
    manifest = read_authored_manifest(document)
    _write(document, manifest, project, output_path)
    return BuiltCoworld(output_path, manifest, tool.name, images)


def build_coworld_manifest(
    compose_file: Path,
    template_path: Path,
    version: str,
    output_path: Path,
    *,
    resolve_mutable_image_refs: bool = True,
) -> Path:
    """Build a Coworld and return the path of its manifest: `build_manifest` under its published name.

    Without `resolve_mutable_image_refs`, references to registries are not looked up: images on this machine are used.
    """
    pull: PullPolicy = "newer" if resolve_mutable_image_refs else "missing"
    return build_manifest(compose_file, template_path, version, output_path, pull=pull).path


def read_services(compose_file: Path) -> list[Service]:
    """Return the services of a compose file, read by `docker compose` if it is installed; raises ComposeError."""
    document = read_with_docker_compose(compose_file)
    return read_compose(compose_file) if document is None else services_of(document, compose_file)


def _build_services(
    services: Sequence[Service],
    game: str,
    version: str,
    checkout: Checkout | None,
    tool: BuildTool,
    pull: PullPolicy,
    options: Sequence[str],
) -> dict[str, str]:
    """Build every service that has a Dockerfile; return the ids by the names of the images."""
    epoch = source_epoch(checkout)
    built = {}
    for service in services:
        if service.build is not None:
            labels = image_labels(service.name, game=game, version=version, checkout=checkout, epoch=epoch)
            built[service.image] = tool.build(service, labels=labels, epoch=epoch, pull=pull, options=options)
    return built


def _write(document: dict[str, Any], manifest: CoworldManifest, project: Path, output_path: Path) -> None:
    folder = output_path.absolute().parent
    try:
        folder.mkdir(parents=True, exist_ok=True)
        build_viewer(manifest, project, folder)
        copy_files(manifest, project, folder)
        part = output_path.with_name(f".{output_path.name}.part")
        part.write_text(json.dumps(document, indent=2, ensure_ascii=False) + "\n", encoding="utf-8")
        part.replace(output_path)
    except OSError as error:
        raise SourceError(
            f"{error.filename or output_path} could not be written: {error.strerror}", hint="name another --output"
        ) from None
