"""`cogames run` and `cogames scrimmage`."""

from __future__ import annotations

import functools
from typing import TYPE_CHECKING, Any

import typer

from cogames.commands.shared import choices, options
from cogames.commands.shared.evaluation_tables import print_evaluation
from cogames.commands.shared.failures import show_failures
from cogames.commands.shared.redirection import prints_to_stderr
from softmax.cli.errors import fail
from softmax.cli.output import note, print_data
from softmax.cli.program import examples
from softmax.cli.progress import ProgressBar

if TYPE_CHECKING:
    from cogames.missions.arguments import ChosenMission
    from cogames.missions.bitworld import BitWorldMission


@examples(
    "cogames run -m arena -p starter",
    "cogames run -m machina_1 -p ./train_dir/my_run:v5",
    "cogames run -m 'arena.*' -p starter -p random -e 20",
    "cogames run -m machina_1 -p ./train_dir/my_run:v5,proportion=3 -p class=random,proportion=5",
    "cogames run -S cvc_evals -p starter -e 3 --format json",
    "cogames run -m bitworld.among_them -p amongthem -p bitworld_random_action",
)
def run(
    ctx: typer.Context,
    mission: options.Missions = None,
    mission_set: options.MissionSet = None,
    cogs: options.Cogs = None,
    variant: options.Variants = None,
    game: options.Game = "cogsguard",
    policy: options.Policies = None,
    device: options.Device = "auto",
    isolate: options.Isolate = False,
    episodes: options.Episodes = 10,
    steps: options.Steps = None,
    seed: options.Seed = 42,
    map_seed: options.MapSeed = None,
    action_timeout_ms: options.ActionTimeout = 250,
    workers: options.Workers = None,
    executor: options.ExecutorChoice = "local",
    ray_address: options.RayAddress = "auto",
    format: options.OutputFormat = None,
    save_replay_dir: options.ReplayDir = None,
) -> None:
    """Evaluate one or more policies on missions.

    Policies share the seats of a mission by their proportions. The number of seats per policy is fixed; which seats
    they are changes with every episode.
    """
    if not mission and mission_set is None:
        choices.missing(ctx, "Supply at least one: --mission / -m", game=game)
    if mission and mission_set is not None:
        fail("-m/--mission and -S/--mission-set cannot be combined.", "pass missions or a set")
    from cogames.missions.bitworld import bitworld_mission, split_names

    pixel_games, names = split_names(mission or [])
    missions: list[ChosenMission | BitWorldMission] = []
    if names or mission_set is not None:
        missions += choices.missions(
            names,
            mission_set=mission_set,
            variants=variant,
            game=game,
            cogs=cogs,
            map_seed=map_seed,
            max_steps=steps,
        )
    if pixel_games and variant:
        fail("BitWorld games have no variants", "omit --variant")
    missions += [bitworld_mission(name, cogs=cogs, max_steps=steps, seed=map_seed) for name in pixel_games]
    if not policy:
        choices.missing(ctx, "Supply at least one: --policy / -p")
    device = choices.choose_device(device)
    policies = [choices.policy(ctx, text, device) for text in policy]

    from cogames.episodes.evaluation import evaluate
    from cogames.episodes.executors import make_executor
    from cogames.episodes.settings import PlaySettings

    where = make_executor(executor, address=ray_address, workers=workers)
    talk = note if format else print
    if mission_set is not None:
        talk(f"Mission set {mission_set}: {len(missions)} missions")
    for chosen in missions:
        talk(f"{chosen.name}: {_count(len(policies), 'policy', 'policies')}, {_count(episodes, 'episode', 'episodes')}")
    with ProgressBar() as progress, prints_to_stderr():
        result = evaluate(
            missions,
            policies,
            episodes=episodes,
            seed=seed,
            settings=PlaySettings(action_timeout_ms, device, isolate, workers, save_replay_dir, where),
            on_progress=progress,
        )
    failed = [show_failures(part.outcomes, result.policy_names, prefix=f"{part.name}: ") for part in result.missions]
    if format:
        print_data(result.document(), format)
    else:
        print_evaluation(result)
    if any(failed):
        raise typer.Exit(1)


@examples("cogames scrimmage -m arena -p starter", "cogames scrimmage -m tutorial.miner -p my_policy.MyPolicy -e 20")
@functools.wraps(run)
def scrimmage(ctx: typer.Context, **arguments: Any) -> None:
    """Evaluate one policy that controls all agents.

    The same as `cogames run` with a single policy.
    """
    policy = arguments["policy"] or []
    if len(policy) > 1:
        fail("scrimmage accepts exactly one --policy / -p value.", "cogames run measures several policies together")
    if policy and choices.policy(ctx, policy[0], None).proportion != 1:
        fail("scrimmage does not support policy proportions.", "omit the proportion: the policy has every seat")
    run(ctx, **arguments)


scrimmage.__doc__ = """Evaluate one policy that controls all agents.

The same as `cogames run` with a single policy.
"""


def _count(number: int, singular: str, plural: str) -> str:
    return f"{number} {singular if number == 1 else plural}"
