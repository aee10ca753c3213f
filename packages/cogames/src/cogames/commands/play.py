"""`cogames play`."""

from __future__ import annotations

import logging
import sys
import uuid
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from cogames.commands.shared import choices, options
from cogames.commands.shared.failures import print_policies, show_failures
from cogames.commands.shared.redirection import prints_to_stderr
from softmax.cli.errors import fail
from softmax.cli.output import command_line, print_data, print_table
from softmax.cli.program import examples

if TYPE_CHECKING:
    from mettagrid.renderer.renderer import RenderMode

PlayPolicies = Annotated[
    list[str] | None,
    typer.Option(
        "--policy",
        "-p",
        metavar="POLICY",
        show_default="class=noop",
        rich_help_panel=options.POLICY,
        help="Policy of all agents, or one policy per team (repeatable).",
    ),
]
PlaySteps = Annotated[
    int | None,
    typer.Option(
        "--steps",
        "-s",
        metavar="N",
        min=1,
        help="Maximum steps of the episode (for the seed use --seed).",
        show_default="from mission",
        rich_help_panel=options.SIMULATION,
    ),
]
Autostart = Annotated[
    bool, typer.Option("--autostart", help="Start without waiting for a key.", rich_help_panel=options.SIMULATION)
]
ReplayFile = Annotated[
    Path | None,
    typer.Option(
        "--save-replay-file", metavar="FILE", help="File to save the replay in.", rich_help_panel=options.OUTPUT
    ),
]
Hidden = Annotated[bool, typer.Option(hidden=True)]


@examples(
    "cogames play -m arena -p starter",
    "cogames play -m arena -c 4 -p class=random -s 100 -r log",
    "cogames play -m four_score -p starter -p miner -p random -p noop      # one policy for each team",
    "cogames play -m four_score -p starter:1 -p random:2                   # mixed teams",
    "cogames play -m arena -p ./submission.zip --isolate --save-replay-dir replays",
)
def play(
    ctx: typer.Context,
    game: options.Game = "cogsguard",
    mission: options.Mission = None,
    variant: options.Variants = None,
    cogs: options.Cogs = None,
    policy: PlayPolicies = None,
    device: options.Device = "auto",
    isolate: options.Isolate = False,
    steps: PlaySteps = None,
    action_timeout_ms: options.ActionTimeout = 10_000,
    render: options.Render = "auto",
    seed: options.Seed = 42,
    map_seed: options.MapSeed = None,
    autostart: Autostart = False,
    save_replay_dir: options.ReplayDir = None,
    save_replay_file: ReplayFile = None,
    print_cvc_config: Hidden = False,
    print_mg_config: Hidden = False,
) -> None:
    """Play a game and see what happens.

    Plays one episode with one or more policies. Without --policy the agents do nothing.

    With one policy per team, each team has its own. Otherwise, or if a policy sets its share of the seats (NAME:N),
    every team is filled with all policies in turn.
    """
    if mission is None:
        choices.missing(ctx, "Missing: --mission / -m", game=game)
    if save_replay_dir is not None and save_replay_file is not None:
        fail("--save-replay-dir and --save-replay-file cannot be combined.", "pass one of them")
    view = resolve_view(render)
    chosen = choices.mission(
        mission,
        variants=variant,
        game=game,
        cogs=cogs,
        map_seed=seed if map_seed is None else map_seed,
        max_steps=steps,
    )
    limit = chosen.env.game.max_steps
    if not limit and view in ("none", "log"):
        fail(f"The mission {chosen.name!r} never ends, and --render {view} cannot be stopped by hand.", "add --steps N")
    device = choices.choose_device(device)
    texts = policy or ["class=noop"]
    policies = [choices.policy(ctx, text, device) for text in texts]
    if print_cvc_config:
        _print_mission(chosen.name, variant, cogs, game)
    if print_mg_config:
        print_data(chosen.env.model_dump(mode="json"), "json")
    replay_path = save_replay_file and choices.output_file(save_replay_file)
    if save_replay_dir is not None:
        replay_path = choices.output_file(save_replay_dir / f"{uuid.uuid4()}.json.z")

    from cogames.episodes.settings import PlaySettings
    from cogames.episodes.single import episode_stats, has_share, play_once

    print(f"Playing {chosen.name}")
    print(f"Max Steps: {limit or 'no limit'}, Render: {view}")
    if view == "log":
        log_to_stderr()
    with prints_to_stderr():
        outcome = play_once(
            chosen,
            policies,
            seed=seed,
            one_per_team=not any(map(has_share, texts)),
            render=view,
            autostart=autostart,
            replay_path=replay_path,
            settings=PlaySettings(action_timeout_ms, device, isolate),
        )
    failed = show_failures([outcome], outcome.policy_names)
    print(f"\nEpisode Complete!\nSteps: {outcome.steps}")
    stats = episode_stats(outcome)
    print_table(stats.headers, stats.rows, title="Episode Stats", right=range(1 if len(stats.headers) == 2 else 2, 5))
    print_policies([outcome], outcome.policy_names)
    if outcome.replay_path is not None:
        print(f"\nReplay saved!\nTo watch it, run:\n{command_line('cogames', 'replay', outcome.replay_path)}")
    if failed:
        raise typer.Exit(1)


def resolve_view(render: options.RenderName) -> RenderMode:
    """Resolve `auto`: a browser if there is a display, the terminal if there is one, otherwise the log."""
    if render != "auto":
        return render
    from mettagrid.util.display import has_display

    if has_display():
        return "gui"
    return "unicode" if sys.stdin.isatty() and sys.stdout.isatty() else "log"


def _print_mission(name: str, variants: list[str] | None, cogs: int | None, game: str) -> None:
    from cogames import missions
    from cogames.missions.files import is_mission_file

    if is_mission_file(name):
        fail("--print-cvc-config prints missions of a game; a file contains an environment.", "use --print-mg-config")
    mission = missions.get_mission(name, game=game).with_variants(variants or [])
    print_data((mission if cogs is None else mission.with_cogs(cogs)).model_dump(mode="json"), "json")


def log_to_stderr() -> None:
    """Show the output of the log renderer, which it writes to its logger, on stderr."""
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(logging.Formatter("%(levelname)s - %(name)s - %(message)s"))
    logger = logging.getLogger("mettagrid.renderer.log_renderer")
    logger.handlers[:] = [handler]
    logger.setLevel(logging.INFO)
    logger.propagate = False
