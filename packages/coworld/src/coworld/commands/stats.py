"""`coworld stats`: statistics of episodes in one format."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from coworld.cli.options import Json
from softmax.cli.program import Entry, examples

__all__ = ["COMMANDS", "extract_paintarena", "schema", "validate"]

COMMANDS = [
    Entry("schema", "coworld.commands.stats:schema", "Print the JSON Schema of a stats document."),
    Entry("validate", "coworld.commands.stats:validate", "Check a stats document."),
    Entry("extract-paintarena", "coworld.commands.stats:extract_paintarena", "Make one from Paint Arena replays."),
]

File = Annotated[Path, typer.Argument(metavar="FILE", help="A stats document.")]
Inputs = Annotated[Path, typer.Argument(metavar="INPUTS", help="A JSON file that lists replays.")]
Output = Annotated[Path, typer.Argument(metavar="OUTDIR", help="The folder for episodes, stats.json and report.html.")]
Workers = Annotated[int, typer.Option("--workers", metavar="N", min=1, max=32, help="Replays read at a time.")]
Open = Annotated[bool, typer.Option("--open/--no-open", help="Open the report in the browser.")]


@examples("coworld stats schema")
def schema(json: Json = False) -> None:
    """Print the JSON Schema of a stats document; it is JSON in any case."""
    import json as format

    from coworld.stats import get_coworld_stats_schema

    print(format.dumps(get_coworld_stats_schema(), indent=2))


@examples("coworld stats validate stats.json")
def validate(file: File, json: Json = False) -> None:
    """Check a stats document, also what its numbers mean."""
    from coworld.cli.json_output import StatsDocument
    from coworld.stats import read_stats
    from softmax.cli.errors import fail
    from softmax.cli.output import print_json

    try:
        data = file.read_bytes()
    except OSError as error:
        fail(f"{file} could not be read: {error.strerror}", "check the path")
    block = read_stats(data, name=str(file))
    if json:
        print_json(StatsDocument(path=str(file), episodes=len(block.episodes), failures=len(block.failures)))
        return
    print(f"{file} is good: {len(block.episodes)} episodes, {len(block.failures)} failures")


@examples("coworld stats extract-paintarena inputs.json out --no-open")
def extract_paintarena(
    inputs: Inputs, output: Output, workers: Workers = 4, open_report: Open = True, json: Json = False
) -> None:
    """Make a stats document from Paint Arena replays. Exit code 1 when one could not be read."""
    from coworld.cli.browser import open_page
    from coworld.cli.json_output import StatsDocument
    from coworld.stats.paintarena import extract_batch
    from softmax.cli.output import print_error, print_json

    block = extract_batch(inputs, output, workers=workers)
    path, report = output / "stats.json", output / "report.html"
    if json:
        print_json(StatsDocument(path=str(path), episodes=len(block.episodes), failures=len(block.failures)))
    else:
        print(f"Stats: {path}")
        print(f"Report: {report}")
        print(f"Episodes: {len(block.episodes)}, failures: {len(block.failures)}")
    if open_report:
        open_page(report.absolute().as_uri())
    for failure in block.failures:
        print_error(f"Error: {failure.provenance.episode_id}: {failure.reason}")
    if block.failures:
        raise typer.Exit(1)
