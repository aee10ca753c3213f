"""`coworld optimize`."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from coworld.cli.options import Json, Server, Timeout, UnsafeLocal
from softmax.cli.program import examples

if TYPE_CHECKING:
    from coworld.optimize.loop import Outcome
    from coworld.optimize.run_settings import RunSettings

__all__ = ["optimize"]

WORKBENCH_PORT = 3000

OptionalManifest = Annotated[
    str | None,
    typer.Argument(
        metavar="[MANIFEST]",
        help="A coworld_manifest.json: its path, folder or address, or the name of an installed one. "
        "By default the one of the current folder.",
        show_default=False,
    ),
]
PlayerDir = Annotated[
    Path | None,
    typer.Argument(
        metavar="[PLAYER]",
        help="The player's folder; it is not changed. Without it the workbench starts.",
        show_default=False,
    ),
]
Improve = Annotated[
    list[str] | None,
    typer.Option(
        "--improve",
        metavar="WORD",
        help="One word of the command that changes a copy (repeatable); by default the manifest's optimizer does.",
    ),
]
PlayerId = Annotated[
    str | None,
    typer.Option("--player", metavar="ID", help="The id of the player in the manifest; by default the first."),
]
Variants = Annotated[
    list[str] | None, typer.Option("--variant", metavar="ID", help="Variants to play in turn (repeatable).")
]
Opponents = Annotated[
    list[str] | None, typer.Option("--opponent", metavar="ID", help="Players in the other seats (repeatable).")
]
Iterations = Annotated[int, typer.Option("--iterations", "-n", metavar="N", min=0, help="Changes to try.")]
Pairs = Annotated[int, typer.Option("--pairs", metavar="N", min=1, help="Episodes of each version, on the same seeds.")]
Workers = Annotated[int, typer.Option("--workers", metavar="N", min=1, help="Episodes at a time.")]
Seed = Annotated[int, typer.Option("--seed", metavar="N", min=0, help="Seed for improvers that use random numbers.")]
State = Annotated[
    Path | None,
    typer.Option(
        "--state",
        metavar="DIR",
        help="The folder of the run, from which a killed run continues; by default `optimize`, for the workbench a "
        "folder in the user's data folder.",
        show_default=False,
    ),
]
Build = Annotated[
    list[str] | None,
    typer.Option("--build", metavar="WORD", help="One word of a command run in a changed copy (repeatable)."),
]
WriteBack = Annotated[bool, typer.Option("--write", help="Write the best version into the player's folder at the end.")]
Port = Annotated[
    int | None,
    typer.Option(
        "--port",
        metavar="PORT",
        min=1,
        max=65535,
        help=f"Port of the page; by default {WORKBENCH_PORT} for the workbench, a free one with PLAYER.",
        show_default=False,
    ),
]
OpenBrowser = Annotated[bool, typer.Option("--open-browser/--no-open-browser", help="Open the page in a browser.")]
Refresh = Annotated[
    bool, typer.Option("--refresh", help="Set the earlier state aside and fetch the optimizer's repository again.")
]
OptimizerRepo = Annotated[
    str | None,
    typer.Option("--optimizer-repo", metavar="URL", help="Git repository of an optimizer to run (https or file)."),
]
OptimizerRef = Annotated[
    str | None, typer.Option("--optimizer-ref", metavar="REF", help="Branch or tag of that repository.")
]
OptimizerDir = Annotated[
    Path | None,
    typer.Option(
        "--optimizer-dir",
        metavar="DIR",
        help="Folder of an optimizer to run; with `--optimizer-repo` the folder for checkouts.",
    ),
]


@examples(
    "coworld optimize coworld_manifest.json my-player --improve python --improve improve.py -n 1 --pairs 2",
    "coworld optimize my-player my-player --improve ./improve.sh -n 1 --pairs 4 --workers 2 --write",
    "coworld optimize my-player my-player -n 1 --pairs 2 --no-open-browser",
    "coworld optimize paintarena --port 3017 --no-open-browser",
)
def optimize(
    manifest: OptionalManifest = None,
    player_folder: PlayerDir = None,
    improve: Improve = None,
    player: PlayerId = None,
    variant: Variants = None,
    opponent: Opponents = None,
    iterations: Iterations = 3,
    pairs: Pairs = 12,
    workers: Workers = 1,
    seed: Seed = 0,
    state: State = None,
    build: Build = None,
    write: WriteBack = False,
    timeout_seconds: Timeout = 300.0,
    port: Port = None,
    open_browser: OpenBrowser = True,
    refresh: Refresh = False,
    optimizer_repo: OptimizerRepo = None,
    optimizer_ref: OptimizerRef = None,
    optimizer_dir: OptimizerDir = None,
    unsafe_local: UnsafeLocal = False,
    server: Server = None,
    json: Json = False,
) -> None:
    """Change a player, play both versions on the same seeds, keep the better one.

    A change is kept only when the 95 % interval of the difference is above zero. Without PLAYER a page starts on which
    the player, the variants and the opponents are chosen.
    """
    from coworld.cli.setting import check_words
    from coworld.manifest.arguments import downloaded
    from coworld.optimize.optimizer_source import OptimizerSource
    from coworld.optimize.run_settings import RunSettings
    from softmax.cli.errors import UsageError

    if player_folder is None and (json or write):
        raise UsageError(
            f"`{'--json' if json else '--write'}` needs PLAYER", ["name the player's folder after the manifest"]
        )
    if improve and (optimizer_repo or optimizer_dir):
        raise UsageError("`--improve` and `--optimizer-...` name two optimizers", ["leave one of them out"])
    if manifest is not None:
        manifest = downloaded(manifest, server)
    source = OptimizerSource(optimizer_repo, optimizer_ref, optimizer_dir)
    settings = RunSettings(
        player_folder=player_folder or Path("."),
        player=player,
        variants=variant or [],
        opponents=opponent or [],
        improve=check_words(improve or [], "--improve"),
        optimizer_folder=source.resolve(refresh=refresh),
        build=check_words(build or [], "--build"),
        iterations=iterations,
        pairs=pairs,
        workers=workers,
        seed=seed,
        timeout_seconds=timeout_seconds,
        unsafe=unsafe_local,
    )
    if manifest is None or player_folder is None:
        from coworld.cli.optimizer import serve_workbench

        workbench_port = port or WORKBENCH_PORT
        serve_workbench(manifest, settings, state, port=workbench_port, open_browser=open_browser, refresh=refresh)
        return
    folder = state or Path("optimize")
    outcome = _run(manifest, settings, folder, port=port or 0, open_browser=open_browser, refresh=refresh, as_json=json)
    if write and outcome.best != outcome.first:
        from coworld.optimize.versions import Versions

        Versions(folder / "versions").write(outcome.best, player_folder)
    _print(outcome, folder / "report.html", as_json=json)


def _run(
    manifest: str,
    settings: RunSettings,
    state: Path,
    *,
    port: int,
    open_browser: bool,
    refresh: bool,
    as_json: bool,
) -> Outcome:
    """Check the inputs, then run while a page shows the progress."""
    from contextlib import closing

    from coworld.cli.browser import open_page
    from coworld.manifest.arguments import opened
    from coworld.optimize.run_settings import prepare
    from coworld.optimize.server import WorkbenchServer
    from coworld.optimize.states import set_aside
    from coworld.optimize.workbench import Workbench
    from coworld.optimize.world_view import world_of
    from softmax.cli.output import note

    with opened(manifest) as package:
        run = prepare(package, settings)
        workbench = Workbench(settings, manifest=manifest, world=world_of(package), root=state, watching=True)
        with closing(workbench), WorkbenchServer(workbench, port=port) as server:
            if refresh and (old := set_aside(state)):
                note(f"Earlier run: {old}")
            note(f"Progress: {server.address}")
            if open_browser:
                open_page(server.address)
            return run.execute(state, tell=note if as_json else print, warn=note)


def _print(outcome: Outcome, report: Path, *, as_json: bool) -> None:
    from coworld.cli.json_output import OptimizeDocument
    from softmax.cli.errors import fail
    from softmax.cli.output import print_json

    if outcome.failed is not None and as_json:
        fail(f"No iteration had a proposal: {outcome.failed}", f"see {report}")
    if as_json:
        print_json(
            OptimizeDocument(
                first=outcome.first,
                best=outcome.best,
                best_folder=str(outcome.best_folder),
                kept=outcome.kept,
                decisions=list(outcome.decisions),
                report=str(report),
            )
        )
        return
    print(f"Kept: {outcome.kept} of {len(outcome.decisions)}")
    print(f"Best: {outcome.best_folder}")
    print(f"Report: {report}")
    if outcome.failed is not None:
        fail(f"No iteration had a proposal: {outcome.failed}", "correct the optimizer, and use `--refresh`")
