"""`coworld certify`."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from coworld.cli.options import (
    EngineName,
    Json,
    Manifest,
    Maps,
    OutputDir,
    Platform,
    Pull,
    Server,
    Timeout,
    UnsafeLocal,
)
from softmax.cli.program import examples

if TYPE_CHECKING:
    from coworld.models.transcript import StepResult, TranscriptStep

__all__ = ["certify"]

ProfileName = Annotated[
    Literal["0.1.0", "guide", "0.1.26", "current"] | None,
    typer.Option("--profile", help="Whose rules must pass; by default the guide's or today's. The report says which."),
]
OpenReport = Annotated[bool, typer.Option("--open-report/--no-open-report", help="Open the report in the browser.")]
CheckSources = Annotated[
    bool, typer.Option("--check-sources", help="Look up declared source addresses, which uses the network.")
]


@examples("coworld certify paintarena --no-open-report", "coworld certify coworld_manifest.json --profile guide --json")
def certify(
    manifest: Manifest,
    profile: ProfileName = None,
    timeout_seconds: Timeout = 60.0,
    open_report: OpenReport = True,
    output_dir: OutputDir = None,
    check_sources: CheckSources = False,
    engine: EngineName = "auto",
    pull: Pull = "missing",
    platform: Platform = None,
    maps: Maps = None,
    unsafe_local: UnsafeLocal = False,
    server: Server = None,
    json: Json = False,
) -> None:
    """Try everything a Coworld promises: ten steps, the first failure stops."""
    from coworld.certification.certify import certify as certify_manifest
    from coworld.certification.certify import step_line
    from coworld.cli.browser import open_page
    from coworld.cli.setting import engine_beside
    from coworld.manifest.arguments import manifest_file
    from softmax.cli.output import note, print_json

    def print_step(result: StepResult, step: TranscriptStep) -> None:
        note(step_line(result)) if json else print(step_line(result), flush=True)

    with manifest_file(manifest, server=server) as path:
        report = certify_manifest(
            path,
            engine=engine_beside(path, engine, maps=maps or [], unsafe=unsafe_local, pull=pull, platform=platform),
            profile=profile,
            workspace=output_dir,
            timeout_seconds=timeout_seconds,
            check_sources=check_sources,
            on_step=print_step,
            uri=manifest,
        )
    page = Path(report.workspace or ".") / "certification_report.html"
    if json:
        print_json(report)
    else:
        for line in report.closing_lines():
            print(line)
        print(f"Report: {page}")
    if open_report:
        open_page(page.absolute().as_uri())
    if not report.certified:
        raise typer.Exit(1)
