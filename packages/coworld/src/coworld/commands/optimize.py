"""`coworld optimize`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from coworld.cli.options import Json, Manifest, Server, Timeout, UnsafeLocal
from coworld.cli.program import examples

__all__ = ["optimize"]

PlayerDir = Annotated[Path, typer.Argument(metavar="PLAYER", help="The player's folder; it stays as it is.")]
Improve = Annotated[
    list[str],
    typer.Option("--improve", metavar="WORD", help="One word of the command that changes a copy (repeatable)."),
]
PlayerId = Annotated[
    str | None,
    typer.Option("--player", metavar="ID", help="The player of the manifest that it is; by default the first."),
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
Seed = Annotated[int, typer.Option("--seed", metavar="N", min=0, help="For improvers that draw lots.")]
State = Annotated[Path, typer.Option("--state", metavar="DIR", help="Everything that is known; a killed run goes on.")]
Build = Annotated[
    list[str] | None,
    typer.Option("--build", metavar="WORD", help="One word of a command run in a changed copy (repeatable)."),
]
WriteBack = Annotated[bool, typer.Option("--write", help="Write the best version into the player's folder at the end.")]
OpenReport = Annotated[bool, typer.Option("--open-browser/--no-open-browser", help="Open the report at the end.")]


@examples(
    "coworld optimize coworld_manifest.json my-player --improve python --improve improve.py -n 1 --pairs 2",
    "coworld optimize my-player my-player --improve ./improve.sh -n 1 --pairs 4 --workers 2 --write",
)
def optimize(
    manifest: Manifest,
    player_folder: PlayerDir,
    improve: Improve,
    player: PlayerId = None,
    variant: Variants = None,
    opponent: Opponents = None,
    iterations: Iterations = 3,
    pairs: Pairs = 12,
    workers: Workers = 1,
    seed: Seed = 0,
    state: State = Path("optimize"),
    build: Build = None,
    write: WriteBack = False,
    timeout_seconds: Timeout = 300.0,
    open_browser: OpenReport = True,
    unsafe_local: UnsafeLocal = False,
    server: Server = None,
    json: Json = False,
) -> None:
    """Change a player, let both versions play the same seeds, keep what is better.

    A change is kept only when the 95 % interval of the difference is above zero.
    """
    from coworld.cli.browser import open_page
    from coworld.cli.documents import OptimizeDocument
    from coworld.cli.output import fail, note, print_json
    from coworld.cli.setting import check_words, opened
    from coworld.optimize import EpisodeArena, Versions, program
    from coworld.optimize import optimize as run

    words = check_words(improve)
    if not player_folder.is_dir():
        fail(f"There is no folder {player_folder}", hint="make a player with `coworld init player DIR`")
    with opened(manifest, server=server) as package:
        arena = EpisodeArena(
            package,
            player=player,
            variants=variant or [],
            opponents=opponent or [],
            budget_seconds=timeout_seconds,
            unsafe=unsafe_local,
        )
        outcome = run(
            player_folder,
            arena,
            program(words),
            state=state,
            iterations=iterations,
            pairs=pairs,
            workers=workers,
            seed=seed,
            build=check_words(build or []),
            manifest=package.path,
            tell=note if json else print,
        )
    if write and outcome.best != outcome.first:
        Versions(state / "versions").write(outcome.best, player_folder)
    report = state / "report.html"
    if json:
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
    else:
        print(f"Kept: {outcome.kept} of {len(outcome.decisions)}")
        print(f"Best: {outcome.best_folder}")
        print(f"Report: {report}")
    if open_browser:
        open_page(report.absolute().as_uri())
