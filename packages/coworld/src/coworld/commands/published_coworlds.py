"""`coworld list`, `show`, `status`, `images`, `next-version`, `retry-certification`, `visibility` and `download`."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from coworld.cli.league import Cursor, LeagueServer, Offset, moment, print_document, print_line, print_next, print_rows
from coworld.cli.options import Json
from softmax.cli.output import note
from softmax.cli.program import examples

if TYPE_CHECKING:
    from coworld.server.upload_client import CoworldUploadClient
    from softmax.wire.coworlds import CertificationStatus

__all__ = [
    "download",
    "images",
    "list_coworlds",
    "next_version",
    "print_certification",
    "retry_certification",
    "show",
    "status",
    "visibility",
]

CoworldArg = Annotated[str, typer.Argument(metavar="COWORLD", help="A Coworld's id (cow_...), or its name.")]
NameArg = Annotated[str, typer.Argument(metavar="NAME", help="The name of a Coworld.")]
ImageArg = Annotated[str | None, typer.Argument(metavar="[IMAGE]", help="An image's id; without it, they are listed.")]
VisibilityArg = Annotated[Literal["public"], typer.Argument(help="The new visibility.")]
Rows = Annotated[int, typer.Option("--limit", metavar="N", min=1, max=500, help="Number of rows.")]
Folder = Annotated[Path, typer.Option("--output-dir", "-o", metavar="DIR", help="Folder for downloads.")]
Refresh = Annotated[bool, typer.Option("--refresh", help="Download it again.")]
WaitSmoke = Annotated[
    bool, typer.Option("--wait-hosted-smoke/--no-wait-hosted-smoke", help="Wait until the server has tried it.")
]
SmokeSeconds = Annotated[
    float, typer.Option("--hosted-smoke-timeout-seconds", metavar="SECONDS", min=1.0, help="How long to wait for that.")
]


def client_for(server: str | None) -> CoworldUploadClient:
    from coworld.server.upload_client import CoworldUploadClient

    return CoworldUploadClient.maybe_signed_in(server)


@examples("coworld list", "coworld list --json")
def list_coworlds(
    limit: Rows = 200, cursor: Cursor = None, offset: Offset = 0, server: LeagueServer = None, json: Json = False
) -> None:
    """List the Coworlds of a server, newest first."""
    with client_for(server) as client:
        page = client.list_coworlds(limit=limit, cursor=cursor, offset=offset)
    if json:
        print_document(page)
        return
    lines = [
        [row.id, row.name, row.version, "yes" if row.canonical else "no", row.visibility, moment(row.created_at)]
        for row in page
    ]
    headers = ["ID", "Name", "Version", "Canonical", "Visibility", "Created"]
    print_rows(headers, lines, empty="No Coworlds found")
    print_next(page.next_cursor)


@examples("coworld show paintarena", "coworld show cow_... --json")
def show(coworld: CoworldArg, server: LeagueServer = None, json: Json = False) -> None:
    """Show a published Coworld; --json has its manifest."""
    from coworld.server.coworld_download import resolve_coworld_id

    with client_for(server) as client:
        row = client.get_coworld(resolve_coworld_id(client, coworld))
    if json:
        print_document(row)
        return
    game = row.manifest.get("game", {})
    print_line(f"Coworld: {row.name} {row.version}")
    print_line(f"ID: {row.id}")
    print_line(f"Visibility: {row.visibility}, canonical: {'yes' if row.canonical else 'no'}")
    print_line(f"Manifest: sha256 {row.manifest_hash[:16]}, {row.size_bytes} bytes")
    if game.get("description"):
        print_line(f"Description: {game['description']}")
    variants = [[variant.get("id"), variant.get("name")] for variant in row.manifest.get("variants") or []]
    print_rows(["Variant", "Name"], variants, empty="No variants")


@examples("coworld status cow_...", "coworld status paintarena --wait-hosted-smoke")
def status(
    coworld: CoworldArg,
    wait_hosted_smoke: WaitSmoke = False,
    hosted_smoke_timeout_seconds: SmokeSeconds = 1800.0,
    server: LeagueServer = None,
    json: Json = False,
) -> None:
    """Show whether the server has tried and certified a Coworld."""
    from coworld.server.coworld_download import resolve_coworld_id
    from coworld.server.coworld_upload import smoke_status, wait_for_smoke

    with client_for(server) as client:
        coworld_id = resolve_coworld_id(client, coworld)
        smoke = None
        if wait_hosted_smoke:
            smoke = wait_for_smoke(client, coworld_id, seconds=hosted_smoke_timeout_seconds)
        smoke = smoke or smoke_status(client, coworld_id)
        row, certification = client.get_coworld(coworld_id), client.get_coworld_certification(coworld_id)
    if json:
        print_document(
            {
                "coworld_id": row.id,
                "name": row.name,
                "version": row.version,
                "canonical": row.canonical,
                "hosted_smoke": [episode.model_dump(mode="json") for episode in smoke.episodes],
                "certification": certification.model_dump(mode="json"),
            }
        )
        return
    print_line(f"Coworld: {row.name} {row.version} ({row.id}), canonical: {'yes' if row.canonical else 'no'}")
    lines = [[episode.id, episode.status, moment(episode.created_at)] for episode in smoke.episodes]
    print_rows(["Episode", "Status", "Created"], lines, empty="No smoke episodes yet")
    print_certification(certification)


def print_certification(row: CertificationStatus) -> None:
    print_line(f"Certification: {row.state}" + (f" at {row.failed_step}" if row.failed_step else ""))
    if row.failure is not None:
        print_line(f"  {row.failure.detail}")
        print_line(f"  {row.failure.remediation}")


@examples("coworld retry-certification cow_...")
def retry_certification(coworld: CoworldArg, server: LeagueServer = None, json: Json = False) -> None:
    """Let the server certify a Coworld again."""
    from coworld.server.coworld_download import resolve_coworld_id

    with client_for(server) as client:
        row = client.retry_coworld_certification(resolve_coworld_id(client, coworld))
    print_document(row) if json else print_certification(row)


@examples("coworld images", "coworld images img_...")
def images(
    image: ImageArg = None,
    limit: Rows = 200,
    cursor: Cursor = None,
    offset: Offset = 0,
    server: LeagueServer = None,
    json: Json = False,
) -> None:
    """List the container images that you may use, or show one."""
    with client_for(server) as client:
        if image is not None:
            row = client.get_image(image)
            if json:
                print_document(row)
                return
            for name, value in row.model_dump(mode="json").items():
                print_line(f"{name.replace('_', ' ').capitalize()}: {'-' if value is None else value}")
            return
        page = client.list_images(limit=limit, cursor=cursor, offset=offset)
    if json:
        print_document(page)
        return
    lines = [[row.id, row.name, row.version, row.status, row.public_image_uri] for row in page]
    print_rows(["ID", "Name", "Version", "Status", "Address"], lines, empty="No images found", right=[2])
    print_next(page.next_cursor)


@examples("coworld next-version paintarena")
def next_version(name: NameArg, server: LeagueServer = None, json: Json = False) -> None:
    """Print the version after the newest one of a Coworld."""
    from coworld.league.manifests import next_patch

    with client_for(server) as client:
        versions = [row.version for row in client.iter_coworlds_by_name(name)]
    version = next_patch(versions) if versions else "0.1.0"
    print_document({"name": name, "version": version}) if json else print(version)


@examples("coworld visibility paintarena public")
def visibility(name: NameArg, visibility: VisibilityArg, server: LeagueServer = None, json: Json = False) -> None:
    """Make all versions of a Coworld public. Administrators do this, with --elevated."""
    with client_for(server) as client:
        row = client.update_coworld_visibility(name, visibility)
    if json:
        print_document(row)
        return
    print_line(f"{row.name}: {row.visibility}" + ("" if row.changed else " (unchanged)"))
    for what, ids in (("leagues", row.private_league_ids), ("seeds", row.private_seed_ids)):
        if ids:
            note(f"These {what} are still private: {', '.join(ids)}")


@examples("coworld download paintarena", "coworld download cow_... -o coworlds --refresh")
def download(
    coworld: CoworldArg,
    output_dir: Folder = Path("coworld"),
    refresh: Refresh = False,
    server: LeagueServer = None,
    json: Json = False,
) -> None:
    """Download a Coworld to coworld/ID; `play`, `run-episode` and `certify` then take its id."""
    from coworld.server.coworld_download import download_coworld, is_downloaded, manifest_path, resolve_coworld_id

    with client_for(server) as client:
        coworld_id = resolve_coworld_id(client, coworld)
        if refresh or not is_downloaded(output_dir, coworld_id):
            download_coworld(client, coworld_id, output_dir)
        else:
            note("It is there already; --refresh downloads it again")
    path = manifest_path(output_dir, coworld_id)
    files = [str(file) for file in (path, path.with_name("coworld_images.json"), path.with_name("AGENTS.md"))]
    print_document({"files": files, "missing": []}) if json else print("\n".join(files))
