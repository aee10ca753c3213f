"""`coworld bundle`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from coworld.cli.league import LeagueServer
from coworld.cli.options import Json
from softmax.cli.program import examples

__all__ = ["bundle"]

Workspace = Annotated[
    str,
    typer.Argument(
        metavar="WORKSPACE", help="An episode's folder, as `coworld run-episode` writes it; or ereq_... of a server."
    ),
]
Output = Annotated[Path, typer.Option("--output", "-o", metavar="FILE", help="The bundle to write.")]
Include = Annotated[
    str | None,
    typer.Option(
        "--include",
        metavar="WORDS",
        help="Some of results,replay,error_info,game_logs,player_logs,player_artifact; by default all there is.",
    ),
]


@examples("coworld bundle results --output episode.zip", "coworld bundle results --include results,replay")
def bundle(
    workspace: Workspace,
    output: Output = Path("episode.zip"),
    include: Include = None,
    server: LeagueServer = None,
    json: Json = False,
) -> None:
    """Pack what an episode left behind, or download that of an episode on a server."""
    from coworld.bundle import parse_include, write_bundle
    from coworld.cli.json_output import BundleDocument
    from coworld.errors import BundleError
    from softmax.cli.errors import UsageError, hints_of
    from softmax.cli.output import print_json

    try:
        words = parse_include(include)
    except BundleError as error:
        raise UsageError(str(error), hints_of(error) or ()) from error
    output.parent.mkdir(parents=True, exist_ok=True)
    if workspace.startswith("ereq_") and not Path(workspace).exists():
        from coworld.server.episode_files import download_bundle

        bundle_manifest = download_bundle(server, workspace, output, include=words)
    else:
        bundle_manifest = write_bundle(Path(workspace), output, include=words)
    if json:
        print_json(
            BundleDocument(
                bundle=str(output),
                status=bundle_manifest.status,
                include=bundle_manifest.include,
                files=bundle_manifest.files,
            )
        )
        return
    print(f"Bundle: {output}")
    print(f"Status: {bundle_manifest.status}")
    print(f"Included: {', '.join(bundle_manifest.include)}")
