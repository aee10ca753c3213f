"""`coworld upload-coworld`, `resolve-and-upload` and `patch-commissioner`: publish a game."""

from __future__ import annotations

import json as format
import tempfile
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from coworld.cli.league import LeagueServer, print_document, print_line
from coworld.cli.options import EngineName, Json, Maps, Platform, Pull, Timeout, UnsafeLocal
from coworld.commands.published_coworlds import SmokeSeconds, WaitSmoke, print_certification
from softmax.cli.errors import UsageError
from softmax.cli.output import note
from softmax.cli.program import examples

if TYPE_CHECKING:
    from coworld.server.upload_client import CoworldUploadClient
    from softmax.wire.coworlds import CoworldResponse

__all__ = ["patch_commissioner", "upload_coworld"]

AUTHOR_FAILED, SERVER_FAILED = 2, 3

ManifestArg = Annotated[
    str | None, typer.Argument(metavar="[MANIFEST]", help="A coworld_manifest.json, its folder, or an installed one.")
]
FromCoworld = Annotated[
    str | None,
    typer.Option("--from-coworld", metavar="COWORLD", help="Change this published one instead: its id or name."),
]
Version = Annotated[str | None, typer.Option("--version", metavar="VERSION", help="The new version.")]
Patch = Annotated[
    str | None, typer.Option("--patch", metavar="JSON", help="A JSON merge patch for the manifest, or its file.")
]
Images = Annotated[
    list[str] | None,
    typer.Option("--image", metavar="TARGET=IMAGE", help="Another image for game, ROLE, ROLE.ID or ROLE[0]."),
]
VisibilityOption = Annotated[
    Literal["public", "private"] | None,
    typer.Option("--visibility", help="`private` shows it to you and administrators only."),
]
WaitCertification = Annotated[
    bool,
    typer.Option("--wait-certification/--no-wait-certification", help="Wait until the server has certified it."),
]
CertificationSeconds = Annotated[
    float,
    typer.Option("--certification-timeout-seconds", metavar="SECONDS", min=1.0, help="How long to wait for that."),
]
SkipCertify = Annotated[
    bool, typer.Option("--certify/--no-certify", help="Certify it here first, unless it has passed before.")
]
NameArg = Annotated[str, typer.Argument(metavar="NAME", help="The name of your Coworld.")]
ImageArg = Annotated[str, typer.Argument(metavar="IMAGE", help="The commissioner's image, or its id (img_...).")]
RunnableId = Annotated[
    str | None,
    typer.Option("--runnable-id", metavar="ID", help="Which commissioner, if the manifest has several."),
]


def _client(server: str | None) -> CoworldUploadClient:
    from coworld.server.upload_client import CoworldUploadClient

    return CoworldUploadClient.from_login(server)


@examples(
    "coworld upload-coworld coworld_manifest.json",
    "coworld upload-coworld --from-coworld paintarena --version 0.2.1 --image game=my-game:latest",
)
def upload_coworld(
    manifest: ManifestArg = None,
    from_coworld: FromCoworld = None,
    version: Version = None,
    patch: Patch = None,
    image: Images = None,
    visibility: VisibilityOption = None,
    timeout_seconds: Timeout = 60.0,
    wait_hosted_smoke: WaitSmoke = True,
    hosted_smoke_timeout_seconds: SmokeSeconds = 1800.0,
    wait_certification: WaitCertification = False,
    certification_timeout_seconds: CertificationSeconds = 1800.0,
    certify: SkipCertify = True,
    engine: EngineName = "auto",
    pull: Pull = "missing",
    platform: Platform = None,
    maps: Maps = None,
    unsafe_local: UnsafeLocal = False,
    server: LeagueServer = None,
    json: Json = False,
) -> None:
    """Publish a Coworld: certify it here, send its images and its manifest, and wait until the server has tried it.

    Ends with 2 when the server says that the Coworld does not work, and with 3 when the server did not finish in time.
    """
    from coworld.cli.setting import engine_beside
    from coworld.manifest.arguments import manifest_file
    from coworld.manifest.package import load_package
    from coworld.server.coworld_upload import certified_here, updated_manifest
    from coworld.server.coworld_upload import upload_coworld as publish

    if (manifest is None) == (from_coworld is None):
        raise UsageError("Give either a manifest or --from-coworld", ["coworld upload-coworld coworld_manifest.json"])
    images = dict(map(_target, image or []))
    with _client(server) as client, ExitStack() as stack:
        if from_coworld is not None:
            path = _stored(client, from_coworld, Path(stack.enter_context(tempfile.TemporaryDirectory())))
        else:
            path = stack.enter_context(manifest_file(manifest or "", server=server))
        changed = path
        if version is not None or patch is not None or images:
            document = updated_manifest(format.loads(path.read_text()), version=version, patch=patch, images=images)
            changed = path.with_name(f".{path.stem}.upload.json")
            stack.callback(lambda: changed.unlink(missing_ok=True))
            changed.write_text(format.dumps(document, indent=2) + "\n")
        if certify and from_coworld is None:
            chosen = engine_beside(path, engine, maps=maps or [], unsafe=unsafe_local, pull=pull, platform=platform)
            certified_here(changed, chosen, timeout_seconds=timeout_seconds, say=note)
        row = publish(client, load_package(changed, strict=from_coworld is None), visibility=visibility, say=note)
        if not json:
            print_line(f"Uploaded: {row.name} {row.version}")
            print_line(f"Coworld ID: {row.id}")
        code = 0
        if wait_hosted_smoke:
            code = _wait_for_smoke(client, row.id, hosted_smoke_timeout_seconds)
        if wait_certification and not code:
            code = _wait_for_certification(client, row.id, certification_timeout_seconds)
        row = client.get_coworld(row.id)
    _print_uploaded(row, json=json)
    if code:
        raise typer.Exit(code)


def _stored(client: CoworldUploadClient, reference: str, folder: Path) -> Path:
    """Write the stored manifest of a published Coworld, whose images and files the server has."""
    from coworld.server.coworld_download import resolve_coworld_id
    from coworld.server.coworld_upload import stored_manifest

    path = folder / "coworld_manifest.json"
    path.write_text(format.dumps(stored_manifest(client, resolve_coworld_id(client, reference)), indent=2))
    return path


def _target(text: str) -> tuple[str, str]:
    target, equals, image = text.partition("=")
    if not target or not equals or not image:
        raise UsageError(f"--image {text!r} is not TARGET=IMAGE", ["write --image game=my-game:latest"])
    return target, image


def _wait_for_smoke(client: CoworldUploadClient, coworld_id: str, seconds: float) -> int:
    from coworld.server.coworld_upload import wait_for_smoke

    note("Waiting until the server has tried it (Ctrl-C stops the waiting, not the server)")
    smoke = wait_for_smoke(client, coworld_id, seconds=seconds)
    if smoke is None:
        note(f"The server had not tried it after {seconds:g} seconds; `coworld status {coworld_id}` tells more")
        return SERVER_FAILED
    if smoke.has_passed:
        return 0
    for episode in smoke.episodes:
        if episode.status != "completed":
            row = client.get_episode_request(episode.id)
            note(f"{episode.id} {row.status}: {row.error_type or ''} {row.error or ''}".rstrip())
    return AUTHOR_FAILED


def _wait_for_certification(client: CoworldUploadClient, coworld_id: str, seconds: float) -> int:
    from coworld.server.coworld_upload import wait_for_certification

    status = wait_for_certification(
        client, coworld_id, seconds=seconds, on_step=lambda step, result: note(f"{step}: {result}")
    )
    if status is None:
        note(f"It was not certified after {seconds:g} seconds; `coworld status {coworld_id}` tells more")
        return SERVER_FAILED
    if status.certified:
        return 0
    print_certification(status)
    return SERVER_FAILED if status.failure is not None and status.failure.retryable else AUTHOR_FAILED


def _print_uploaded(row: CoworldResponse, *, json: bool) -> None:
    if json:
        print_document(row)
        return
    print_line(f"Canonical: {'yes' if row.canonical else 'not yet'}")
    print_line(f"Visibility: {row.visibility}")


@examples("coworld patch-commissioner my-game my-commissioner:latest")
def patch_commissioner(
    name: NameArg,
    image: ImageArg,
    runnable_id: RunnableId = None,
    version: Version = None,
    server: LeagueServer = None,
    json: Json = False,
) -> None:
    """Publish your Coworld again with another commissioner."""
    from coworld.server.policy_upload import upload_image

    with _client(server) as client:
        row = client.patch_commissioner(
            coworld_name=name,
            container_image_id=upload_image(client, image, say=note),
            runnable_id=runnable_id,
            version=version,
        )
    if not json:
        print_line(f"Uploaded: {row.name} {row.version}")
        print_line(f"Coworld ID: {row.id}")
    _print_uploaded(row, json=json)
