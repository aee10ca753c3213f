"""`coworld report`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from coworld.cli.options import (
    BundleArg,
    EngineName,
    Json,
    Manifest,
    Maps,
    Platform,
    Pull,
    Server,
    UnsafeLocal,
)
from softmax.cli.program import examples

__all__ = ["report"]

Reporter = Annotated[str | None, typer.Option("--reporter", metavar="ID", help="Which reporter; by default the first.")]
Output = Annotated[Path, typer.Option("--output", "-o", metavar="FILE", help="The report to write.")]
Render = Annotated[
    Path | None,
    typer.Option("--render", metavar="FILE", help="Also write the page to this file; an unsafe one as text."),
]
Timeout = Annotated[
    float | None,
    typer.Option(
        "--timeout-seconds",
        metavar="SECONDS",
        min=1.0,
        help="Time for all of it: by default 300, or that of a component's limits.",
        show_default=False,
    ),
]


@examples("coworld report paintarena results -o report.zip --render report.html")
def report(
    manifest: Manifest,
    bundle: BundleArg,
    reporter: Reporter = None,
    output: Output = Path("report.zip"),
    render: Render = None,
    timeout_seconds: Timeout = None,
    engine: EngineName = "auto",
    pull: Pull = "missing",
    platform: Platform = None,
    maps: Maps = None,
    unsafe_local: UnsafeLocal = False,
    server: Server = None,
    json: Json = False,
) -> None:
    """Run a reporter on an episode."""
    from coworld.cli.json_output import RoleDocument
    from coworld.cli.roles import output_of
    from coworld.roles.report_checks import ReportRenderError, read_report
    from coworld.roles.wasm.run import WasmReporterFailed
    from coworld.runner.artifacts import write_file
    from softmax.cli.errors import fail
    from softmax.cli.output import print_json

    try:
        role_output = output_of(
            manifest,
            "reporter",
            bundle,
            role_id=reporter,
            timeout_seconds=timeout_seconds,
            engine=engine,
            maps=maps or [],
            unsafe=unsafe_local,
            pull=pull,
            platform=platform,
            server=server,
        )
    except WasmReporterFailed as error:
        if render is not None and error.refused:
            _write_text(render, next(iter(error.refused.values())))
        raise
    try:
        read = read_report(role_output.data)
    except ReportRenderError as error:
        if render is not None:
            _write_text(render, error.html)
        raise
    output.parent.mkdir(parents=True, exist_ok=True)
    write_file(output, role_output.data)
    if render is not None:
        if read.render is None:
            fail("The report has no page", "leave `--render` out; its files are in the zip")
        _write_page(render, *read.render)
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


def _write_page(file: Path, name: str, text: str) -> None:
    """Write a page that can be opened alone; it cannot use other files of the zip."""
    from coworld.roles.report_checks import assert_safe_render_html
    from coworld.roles.shown_page import sanitized_page
    from coworld.runner.artifacts import write_file

    if name.lower().endswith((".html", ".htm")):
        assert_safe_render_html(text, source=name)
        text = sanitized_page(text)
    write_file(file, text.encode())


def _write_text(file: Path, html: str) -> None:
    """Write the source of an unsafe page as text."""
    from coworld.roles.shown_page import shown_page
    from coworld.runner.artifacts import write_file
    from softmax.cli.output import note

    write_file(file, shown_page(html)[0].encode())
    note(f"The page is unsafe; {file} shows its source as text")
