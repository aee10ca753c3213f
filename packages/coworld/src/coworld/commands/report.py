"""`coworld report`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from coworld.cli.options import BundleArg, EngineName, Json, Manifest, Maps, Server, Timeout, UnsafeLocal
from softmax.cli.program import examples

__all__ = ["report"]

Reporter = Annotated[str | None, typer.Option("--reporter", metavar="ID", help="Which reporter; by default the first.")]
Output = Annotated[Path, typer.Option("--output", "-o", metavar="FILE", help="The report to write.")]
Render = Annotated[
    Path | None,
    typer.Option("--render", metavar="FILE", help="Also write the report's page to this file, after its check."),
]


@examples("coworld report paintarena results -o report.zip --render report.html")
def report(
    manifest: Manifest,
    bundle: BundleArg,
    reporter: Reporter = None,
    output: Output = Path("report.zip"),
    render: Render = None,
    timeout_seconds: Timeout = 300.0,
    engine: EngineName = "auto",
    maps: Maps = None,
    unsafe_local: UnsafeLocal = False,
    server: Server = None,
    json: Json = False,
) -> None:
    """Run a reporter on an episode."""
    from coworld.cli.json_output import RoleDocument
    from coworld.cli.roles import output_of
    from coworld.roles.report_checks import assert_safe_render_html, read_report
    from coworld.runner.artifacts import write_file
    from softmax.cli.errors import fail
    from softmax.cli.output import print_json

    role_output = output_of(
        manifest,
        "reporter",
        bundle,
        role_id=reporter,
        timeout_seconds=timeout_seconds,
        engine=engine,
        maps=maps or [],
        unsafe=unsafe_local,
        server=server,
    )
    read = read_report(role_output.data)
    output.parent.mkdir(parents=True, exist_ok=True)
    write_file(output, role_output.data)
    if render is not None:
        if read.render is None:
            fail("The report has no page", "leave `--render` out; its files are in the zip")
        page, text = read.render
        if page.lower().endswith((".html", ".htm")):
            assert_safe_render_html(text, source=page)  # a standalone page cannot use other files of the zip
        write_file(render, text.encode())
    if json:
        document = read.manifest.model_dump(exclude_none=True)
        listed = [*read.files]
        print_json(
            RoleDocument(role="reporter", id=role_output.id, output=str(output), files=listed, document=document)
        )
        return
    print(f"Report: {output}")
    print(f"Files: {', '.join(read.files)}")
    if read.events is not None:
        print(f"Events: {len(read.events)}")
    if render is not None:
        print(f"Page: {render}")
