"""`cogames pickup`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from cogames.commands.shared import choices, options
from cogames.commands.shared.evaluation_tables import INTERVAL, bounds, number, print_replays
from cogames.commands.shared.failures import print_policies, show_failures
from cogames.commands.shared.redirection import prints_to_stderr
from softmax.cli.output import note, print_data, print_table
from softmax.cli.program import examples
from softmax.cli.progress import ProgressBar

if TYPE_CHECKING:
    from cogames.episodes.value_over_replacement import Pickup, Scenario

Candidate = Annotated[
    str | None,
    typer.Option("--policy", "-p", metavar="POLICY", help="Candidate to measure.", rich_help_panel=options.POLICY),
]
Pool = Annotated[
    list[str] | None,
    typer.Option("--pool", metavar="POLICY", help="Policy of the pool (repeatable).", rich_help_panel=options.POLICY),
]
TeamSize = Annotated[
    int | None,
    typer.Option(
        "--cogs",
        "-c",
        metavar="N",
        min=1,
        help="Number of cogs (agents).",
        show_default="4, or what the mission allows",
        rich_help_panel=options.MISSION,
    ),
]
OneMission = Annotated[
    str,
    typer.Option("--mission", "-m", metavar="MISSION", help="Mission name or file.", rich_help_panel=options.MISSION),
]
PickupSteps = Annotated[
    int,
    typer.Option(
        "--steps",
        "-s",
        metavar="N",
        min=1,
        help="Maximum steps per episode (for the seed use --seed).",
        rich_help_panel=options.SIMULATION,
    ),
]
DEFAULT_COGS = 4


@examples(
    "cogames pickup -p starter --pool random",
    "cogames pickup -m machina_1 -c 8 -p my_policy.MyPolicy --pool starter --pool random -e 5 --format json",
)
def pickup(
    ctx: typer.Context,
    mission: OneMission = "arena",
    cogs: TeamSize = None,
    variant: options.Variants = None,
    game: options.Game = "cogsguard",
    policy: Candidate = None,
    pool: Pool = None,
    device: options.Device = "auto",
    isolate: options.Isolate = False,
    episodes: options.Episodes = 1,
    steps: PickupSteps = 1000,
    seed: options.Seed = 50,
    map_seed: options.MapSeed = None,
    action_timeout_ms: options.ActionTimeout = 250,
    workers: options.Workers = None,
    format: options.OutputFormat = None,
    save_replay_dir: options.ReplayDir = None,
) -> None:
    """Measure what a policy adds to a pool of others.

    The candidate gets all seats of a team, then all but one, and so on down to none; policies of the pool get the
    others. Its value over replacement (VOR) is its agents' reward minus the reward of agents in a team without it.
    """
    if not policy:
        choices.missing(ctx, "Missing: --policy / -p")
    if not pool:
        choices.missing(ctx, "Supply at least one: --pool")
    chosen = choices.mission(
        mission,
        variants=variant,
        game=game,
        cogs=cogs,
        default_cogs=DEFAULT_COGS,
        map_seed=seed if map_seed is None else map_seed,
        max_steps=steps,
    )
    device = choices.choose_device(device)
    candidate, *others = [choices.policy(ctx, text, device) for text in (policy, *pool)]

    from cogames.episodes.settings import PlaySettings
    from cogames.episodes.value_over_replacement import measure

    talk = note if format else print
    talk(f"Pickup on {chosen.name}: {chosen.env.game.num_agents} cogs, {episodes} episodes each, seed {seed}")
    talk(f"Candidate: {policy}")
    talk(f"Pool: {', '.join(f'{place}:{text}' for place, text in enumerate(pool, 1))}")
    with ProgressBar() as progress, prints_to_stderr():
        result = measure(
            chosen,
            candidate,
            others,
            episodes=episodes,
            seed=seed,
            settings=PlaySettings(action_timeout_ms, device, isolate, workers, save_replay_dir),
            on_progress=progress,
        )
    failed = show_failures(result.outcomes, [result.candidate, *result.pool])
    if format:
        print_data(result.document(), format)
    else:
        print_pickup(result)
    if failed:
        raise typer.Exit(1)


def print_pickup(result: Pickup) -> None:
    scores = [
        (s.name, s.candidate_count, _mix(s), number(s.score), bounds(result.score_interval(s)))
        for s in result.scenarios
    ]
    print_table(
        ["Scenario", "Candidate", "Pool Mix", "Score", INTERVAL], scores, title="Scenario Scores", right=[1, 2, 3, 4]
    )
    print(f"\nReplacement Baseline {number(result.replacement_mean)}")
    print_table(
        ["Candidate Count", "Candidate Score", "VOR", INTERVAL],
        [
            (s.candidate_count, number(s.score), number(result.vor(s)), bounds(result.vor_interval(s)))
            for s in result.scenarios
            if s.candidate_count
        ],
        title="Value Over Replacement",
        right=[0, 1, 2, 3],
    )
    print_policies(result.outcomes, [result.candidate, *result.pool])
    interval = bounds(result.overall_interval())
    print(f"\nOverall VOR {number(result.overall_vor)}{'' if interval == '-' else f'  {INTERVAL} {interval}'}")
    print(f"Pool order in the mix: {', '.join(result.pool)}")
    print_replays([outcome.replay_path for outcome in result.outcomes if outcome.replay_path is not None])


def _mix(scenario: Scenario) -> str:
    return "/".join(map(str, scenario.pool_counts))
