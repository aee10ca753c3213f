"""`cogames ladder`."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from cogames.commands.shared import choices, options
from cogames.commands.shared.ladder_tables import print_ladder
from cogames.commands.shared.redirection import prints_to_stderr
from cogames.commands.shared.server import LoginServer, LongServer
from softmax.cli.errors import fail
from softmax.cli.output import decimal, note, print_data, warn
from softmax.cli.program import examples
from softmax.cli.progress import ProgressBar

if TYPE_CHECKING:
    from cogames.ladder import Entrant, PlayedLadder

LadderFormat = Literal["yaml", "json", "csv"]

TOURNAMENT = "Tournament"

Against = Annotated[
    list[str] | None,
    typer.Option(
        "--against",
        metavar="SET",
        help="Opponents (repeatable): `house` for all built-in scripted policies, or a policy.",
        rich_help_panel=options.POLICY,
    ),
]
Season = Annotated[
    str | None,
    typer.Option(
        "--season",
        metavar="SEASON",
        help="Entries of a season whose bundles you may download; they run in sandboxes.",
        rich_help_panel=options.POLICY,
    ),
]
System = Annotated[
    Literal["round-robin", "swiss"],
    typer.Option("--system", help="All pairs, or rounds of pairs with similar scores.", rich_help_panel=TOURNAMENT),
]
Rounds = Annotated[
    int | None,
    typer.Option(
        "--rounds",
        metavar="N",
        min=1,
        help="Rounds of a Swiss tournament.",
        show_default="the logarithm of the number of policies",
        rich_help_panel=TOURNAMENT,
    ),
]
Meet = Annotated[
    Literal["auto", "solo", "mixed", "teams"],
    typer.Option(
        "--meet",
        help="Alone on the same maps, beside the same partners, or as teams; auto: teams where there are several.",
        rich_help_panel=TOURNAMENT,
    ),
]
Maps = Annotated[
    int,
    typer.Option(
        "--episodes",
        "-e",
        metavar="N",
        min=1,
        help="Maps of each mission, for `swiss` in each round.",
        rich_help_panel=options.SIMULATION,
    ),
]
LadderSeed = Annotated[
    int,
    typer.Option("--seed", metavar="N", min=0, help="Seed of all maps.", rich_help_panel=options.SIMULATION),
]
Jobs = Annotated[
    int | None,
    typer.Option(
        "--jobs",
        "--workers",
        "-j",
        metavar="N",
        min=1,
        help="Processes that play; results do not depend on it.",
        show_default="the number of cores",
        rich_help_panel=options.SIMULATION,
    ),
]
Output = Annotated[
    Path | None,
    typer.Option(
        "--output",
        "-o",
        metavar="DIR",
        help="Folder of the ladder; the same command continues it.",
        show_default="outputs/cogames-ladder/DIGEST",
        rich_help_panel=options.OUTPUT,
    ),
]
Replays = Annotated[
    int,
    typer.Option("--replays", metavar="N", min=0, help="Most replays in the report.", rich_help_panel=options.OUTPUT),
]
DocumentFormat = Annotated[
    LadderFormat | None,
    typer.Option(
        "--format",
        metavar="FMT",
        help="Print a document: yaml or json, or the standings as csv.",
        rich_help_panel=options.OUTPUT,
    ),
]


@examples(
    "cogames ladder -p my_policy.MyPolicy --against house",
    "cogames ladder -p ./one.zip -p ./two.zip -p starter -m arena -m machina_1 -e 10 -o ladders/friday",
    "cogames ladder -p a.A -p b.B -p c.C -m four_score --system swiss --rounds 3",
    "cogames ladder -p my_policy.MyPolicy --season beta-cvc --format json",
)
def ladder(
    ctx: typer.Context,
    mission: options.Missions = None,
    mission_set: options.MissionSet = None,
    cogs: options.Cogs = None,
    variant: options.Variants = None,
    game: options.Game = "cogsguard",
    policy: options.Policies = None,
    against: Against = None,
    season: Season = None,
    server: LongServer = None,
    login_server: LoginServer = None,
    device: options.Device = "auto",
    isolate: options.Isolate = False,
    system: System = "round-robin",
    rounds: Rounds = None,
    meet: Meet = "auto",
    episodes: Maps = 4,
    steps: options.Steps = None,
    seed: LadderSeed = 42,
    map_seed: options.MapSeed = None,
    action_timeout_ms: options.ActionTimeout = 10_000,
    jobs: Jobs = None,
    executor: options.ExecutorChoice = "local",
    ray_address: options.RayAddress = "auto",
    output: Output = None,
    replays: Replays = 6,
    format: DocumentFormat = None,
) -> None:
    """Rate policies against each other, with a report.

    Plays all pairs, or a Swiss tournament, over missions and maps. Writes ratings with intervals, the head-to-head
    matrix, what decided each pairing, and one HTML file with the most telling replays. A run that was stopped continues
    where it was when the same command runs again.
    """
    if mission and mission_set is not None:
        fail("-m/--mission and -S/--mission-set cannot be combined.", "pass missions or a set")
    if rounds is not None and system != "swiss":
        fail("--rounds is for --system swiss", "a round-robin plays every pair once on each map; see -e")
    if not policy and not against and season is None:
        choices.missing(ctx, "Supply at least two policies: --policy / -p, --against house or --season")

    from cogames.episodes.executors import make_executor
    from cogames.ladder import Ladder, make_missions, play_ladder
    from cogames.ladder.entrants import with_unique_names

    names = mission or ([] if mission_set is not None else ["arena"])
    chosen = choices.missions(
        names, mission_set=mission_set, variants=variant, game=game, cogs=cogs, map_seed=map_seed, max_steps=steps
    )
    device = choices.choose_device(device)
    missions = make_missions(chosen, meet)
    entrants = _entrants(ctx, policy or [], against or [], device, isolate)
    if season is not None:
        entrants = with_unique_names([*entrants, *_season(season, output, server, login_server)])
    planned = Ladder(
        entrants,
        missions,
        system=system,
        rounds=(rounds or _default_rounds(len(entrants))) if system == "swiss" else 1,
        maps=episodes,
        seed=seed,
        action_timeout_ms=action_timeout_ms,
        device=device,
        isolate=isolate,
    )
    folder = output or Path("outputs/cogames-ladder") / planned.digest()[:12]
    note(f"Ladder of {len(entrants)} policies on {', '.join(part.name for part in missions)}; folder {folder}")
    try:
        with ProgressBar("games") as progress, prints_to_stderr():
            where = make_executor(executor, address=ray_address, workers=jobs)
            played = play_ladder(planned, folder, executor=where, replays=replays, on_progress=progress)
    except KeyboardInterrupt:
        note("Stopped; the same command continues the ladder")
        raise
    _warn(played)
    _show(played, format)


def _entrants(ctx: typer.Context, policies: list[str], against: list[str], device: str, isolate: bool) -> list[Entrant]:
    from cogames.ladder.entrants import make_entrants
    from cogames.ladder.house import installed_house

    texts = list(policies)
    for word in against:
        names = [word]
        if word == "house":
            names, missing = installed_house()
            if missing:
                note(f"The house set plays without {', '.join(missing)}: not installed")
        texts += [name for name in names if name not in texts]
    return make_entrants(texts, parse=lambda text: choices.policy(ctx, text, device), import_code=not isolate)


def _season(season: str, output: Path | None, server: str | None, login_server: str | None) -> list[Entrant]:
    """Return the entries of a season; a ladder with its own folder keeps those that it began with."""
    from cogames.commands.shared.server import client_for
    from cogames.ladder.season import season_entrants

    folder = Path("outputs/cogames-ladder/seasons") if output is None else output / "bundles"
    return season_entrants(lambda: client_for(server, login_server), season, folder, refresh=output is None, tell=warn)


def _default_rounds(entrants: int) -> int:
    return max(1, (entrants - 1).bit_length())


def _warn(played: PlayedLadder) -> None:
    from cogames.commands.shared.failures import show_last_words

    for failure in played.results.failures:
        how = failure.status.replace("_", " ")
        warn(f"{failure.name} failed in {failure.games} of {failure.of_games} games ({how}: {failure.message})")
    words = dict.fromkeys(text for record in played.records for text in record.last_words if text)
    show_last_words(next(iter(words), ""))
    for mission in played.results.plan["missions"]:
        scores = [row.scores[mission["name"]].mean for row in played.results.standings]
        if len(set(scores)) == 1:
            note(f"All policies scored {decimal(scores[0] or 0.0)} on {mission['name']}: it does not tell them apart")
    late = [standing for standing in played.results.standings if standing.timeouts]
    if late:
        names = ", ".join(f"{standing.name} ({standing.timeouts})" for standing in late)
        warn(f"Missed deadlines: {names}; results with them depend on the machine, see --action-timeout-ms")


def _show(played: PlayedLadder, format: LadderFormat | None) -> None:
    if format == "csv":
        from cogames.ladder.outputs import standings_csv

        sys.stdout.write(standings_csv(played.results))
    elif format is not None:
        print_data(played.results.document(), format)
    else:
        print_ladder(played.results)
        print(f"\nReport: {played.report}")
