"""`cogames runs`."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from softmax.cli.output import hint, note, print_data, print_table
from softmax.cli.program import CommandGroup, Entry, examples

if TYPE_CHECKING:
    from cogames_training.runs import Run

Checkpoints = Annotated[
    Path | None,
    typer.Option("--checkpoints", metavar="DIR", help="Folder of the runs.", show_default="DATA_DIR or ./train_dir"),
]
AsJson = Annotated[bool, typer.Option("--json", help="Print one JSON document.")]
RunNames = Annotated[
    list[str], typer.Argument(metavar="RUN", help="Runs to compare: names, paths, or `latest`.", show_default=False)
]
Output = Annotated[
    Path | None, typer.Option("--output", "-o", metavar="FILE", help="Write the page here, and do not open it.")
]
NoOpen = Annotated[bool, typer.Option("--no-open", help="Do not open the page in the browser.")]


def runs(ctx: typer.Context, checkpoints: Checkpoints = None, json: AsJson = False) -> None:
    """List training runs."""
    if ctx.invoked_subcommand is not None:
        ctx.obj = checkpoints
        return
    from cogames_training.runs import default_data_dir, find_runs

    folder = checkpoints or default_data_dir()
    found = find_runs(folder)
    if json:
        print_data([run.summary() for run in found], "json")
    elif not found:
        note(f"{folder} has no training runs")
        hint("`cogames tutorial train -m arena` starts one; --checkpoints names another folder")
    else:
        headers = ("Run", "Missions", "Policy", "Steps", "Score", "Status", "When")
        print_table(headers, map(_row, found), right=(3, 4))


@examples(
    "cogames runs show latest",
    "cogames runs show my_run other_run -o comparison.html",
    "cogames runs show ./elsewhere/my_run --no-open",
)
def show(
    ctx: typer.Context,
    run: RunNames,
    checkpoints: Checkpoints = None,
    output: Output = None,
    no_open: NoOpen = False,
) -> None:
    """Write a page with the learning curves of runs, and open it.

    The page has scores, losses, speed by phase and how to repeat each run. Its path is printed on stdout.
    """
    from cogames_training.reports.page import render_page
    from cogames_training.runs import default_data_dir, find_run
    from cogames_training.runs.atomic import write_file
    from cogames_training.runs.errors import explained

    folder = checkpoints or ctx.obj or default_data_dir()
    chosen = list({each.path.resolve(): each for each in (find_run(name, folder) for name in run)}.values())
    one = chosen[0].path / "report.html"
    page = output or (one if len(chosen) == 1 else chosen[0].path.parent / "comparison.html")
    with explained("write the page", page):
        page.parent.mkdir(parents=True, exist_ok=True)
        write_file(page, render_page(chosen).encode())
    print(page)
    if output is None and not no_open:
        import webbrowser

        if not webbrowser.open(page.resolve().as_uri()):
            note("No browser could be started")


def _row(run: Run) -> tuple[str, ...]:
    from cogames_training.reports.units import number, short_count

    return (
        run.name,
        ", ".join(run.missions) or "-",
        run.policy or "-",
        "-" if run.steps is None else short_count(run.steps),
        "-" if run.score is None else number(run.score),
        run.status,
        _when(run.started, datetime.now(UTC)),
    )


def _when(time: datetime, now: datetime) -> str:
    """Return how long ago a time was, or its date."""
    seconds = (now - time).total_seconds()
    for limit, size, unit in ((3600, 60, "min"), (2 * 86400, 3600, "h"), (14 * 86400, 86400, "days")):
        if 0 <= seconds < limit:
            return f"{int(seconds // size)} {unit} ago"
    return f"{time:%Y-%m-%d}"


GROUP = CommandGroup(
    [Entry("show", "cogames_training.commands.runs:show", "Show learning curves of runs in the browser.")],
    options=runs,
    works_alone=True,
)
