"""Commands from older documents that are more than another name for a current command."""

from __future__ import annotations

import functools
from pathlib import Path
from typing import Annotated, Any

import typer

from cogames.commands import evaluate as _evaluate
from cogames.commands import missions as _missions
from cogames.commands import tutorial
from cogames.commands.shared import choices, options
from softmax.cli.errors import CommandError, fail

MissionName = Annotated[str, typer.Argument(metavar="MISSION", help="Mission name or file.")]
Trainable = Annotated[bool, typer.Option("--trainable", "-t", help="A policy with a neural network.")]
Scripted = Annotated[bool, typer.Option("--scripted", "-s", help="A policy that follows rules.")]
Output = Annotated[Path, typer.Option("--output", "-o", metavar="FILE", help="File to write.")]
PolicyArgument = Annotated[str | None, typer.Argument(metavar="[POLICY]", help=f"{options.POLICY_FORMS}.")]
PolicyOption = Annotated[
    str | None, typer.Option("--policy", "-p", metavar="POLICY", help="Same as the POLICY argument.")
]


@functools.wraps(_evaluate.run)
def evaluate(ctx: typer.Context, **arguments: Any) -> None:
    _evaluate.run(ctx, **arguments)


def make_policy(
    trainable: Trainable = False,
    scripted: Scripted = False,
    output: Output = Path("my_policy.py"),
    force: tutorial.Force = False,
) -> None:
    """Write a new policy from a template."""
    tutorial.make_policy(trainable, scripted, output=output, force=force)


def evals(game: options.Game = "cogsguard", format: options.OutputFormat = None) -> None:
    """List missions for evaluation."""
    _missions.missions(evals=True, game=game, format=format)


def variants(game: options.Game = "cogsguard", format: options.OutputFormat = None) -> None:
    """List the variants."""
    _missions.missions(variants=True, game=game, format=format)


def describe(
    mission: MissionName,
    variant: options.Variants = None,
    cogs: options.Cogs = None,
    game: options.Game = "cogsguard",
    format: options.OutputFormat = None,
) -> None:
    """Show a mission."""
    _missions.missions(mission=mission, variant=variant, cogs=cogs, game=game, format=format)


def make_mission(
    ctx: typer.Context,
    mission: options.Mission = None,
    variant: options.Variants = None,
    cogs: options.Cogs = None,
    map_seed: options.MapSeed = None,
    width: _missions.Size = None,
    height: _missions.Size = None,
    game: options.Game = "cogsguard",
    format: options.OutputFormat = None,
    save: _missions.Save = None,
    published: _missions.Published = False,
) -> None:
    """Write the environment of a mission, with changes, to a file or to stdout."""
    if mission is None:
        choices.missing(ctx, "Missing: --mission / -m", game=game)
    _missions.missions(
        mission=mission,
        variant=variant,
        cogs=cogs,
        map_seed=map_seed,
        width=width,
        height=height,
        game=game,
        format=format or (None if save else "yaml"),
        save=save,
        published=published,
    )


def validate_policy(
    ctx: typer.Context,
    policy: PolicyArgument = None,
    policy_option: PolicyOption = None,
    mission: options.Mission = None,
    game: options.Game = "cogsguard",
    device: options.Device = "auto",
) -> None:
    """Validate a policy: play one episode of at most ten steps in this process."""
    text = policy or policy_option
    if text is None:
        choices.missing(ctx, "Missing: POLICY or --policy / -p")
    chosen = choices.mission(mission or "arena", variants=None, game=game)
    spec = choices.policy(ctx, text, choices.choose_device(device))

    from mettagrid.runner.boxed import validate_policy as validate

    try:
        result = validate(spec, chosen.env)
    except (ValueError, OSError, ImportError, TypeError) as error:
        raise CommandError(str(error)) from error
    print(f"Mission: {chosen.name}\nSteps: {result.steps}")
    if not result.ok:
        fail(f"The policy is not valid: {result.problem}")
    print("Policy validated successfully")
