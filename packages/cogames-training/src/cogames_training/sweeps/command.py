"""`cogames sweep`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Literal

import typer

from cogames.commands.shared import options
from softmax.cli.errors import UsageError
from softmax.cli.output import print_data
from softmax.cli.program import examples

__all__ = ["sweep"]

SEARCH, TRAINING = "Search", "Training"

Searches = Annotated[
    list[str] | None,
    typer.Option(
        "--search",
        metavar="KEY=VALUES",
        help="Setting to search (repeatable): LOW..HIGH[:log], or A,B,C; only KEY: the guide's range.",
        show_default="the guide's tuning table",
        rich_help_panel=SEARCH,
    ),
]
Trials = Annotated[int, typer.Option("--trials", metavar="N", min=1, help="Training runs.", rich_help_panel=SEARCH)]
Metric = Annotated[
    str,
    typer.Option(
        "--metric", metavar="NAME", help="Metric to optimize, over the last tenth of a run.", rich_help_panel=SEARCH
    ),
]
Direction = Annotated[
    Literal["maximize", "minimize"],
    typer.Option("--direction", help="Whether more or less is better.", rich_help_panel=SEARCH),
]
Settings = Annotated[
    list[str] | None,
    typer.Option(
        "--set",
        metavar="KEY=VALUE",
        help="Setting of every trial (repeatable), as the recipes write it.",
        rich_help_panel=TRAINING,
    ),
]
Teacher = Annotated[
    str | None, typer.Option("--teacher", metavar="POLICY", help="Policy to learn from.", rich_help_panel=TRAINING)
]
Policy = Annotated[
    str | None,
    typer.Option(
        "--policy", "-p", metavar="POLICY", help="Network to train.", show_default="sparse", rich_help_panel=TRAINING
    ),
]
Steps = Annotated[
    int | None,
    typer.Option(
        "--steps", metavar="N", min=1, help="Agent steps of every trial; searched if not set.", rich_help_panel=TRAINING
    ),
]
Seed = Annotated[int, typer.Option("--seed", metavar="N", min=0, help="Seed of the sweep.", rich_help_panel=SEARCH)]
Device = Annotated[
    str, typer.Option("--device", metavar="DEVICE", help="auto, cpu, cuda or mps.", rich_help_panel=TRAINING)
]
Folder = Annotated[
    Path, typer.Option("--checkpoints", metavar="DIR", help="Folder of all runs.", rich_help_panel=options.OUTPUT)
]
Name = Annotated[
    str | None,
    typer.Option(
        "--run", metavar="NAME", help="Name of the sweep; the same name continues it.", rich_help_panel=options.OUTPUT
    ),
]


@examples(
    "cogames sweep --run first --steps 10000000 --trials 20",
    "cogames sweep --run second -m arena --teacher starter --search teacher_led_proportion --search ent_coef",
    "cogames sweep --run third --search trainer.optimizer.learning_rate=1e-4..1e-2:log --metric overview/reward",
)
def sweep(
    mission: options.Missions = None,
    cogs: options.Cogs = None,
    variant: options.Variants = None,
    policy: Policy = None,
    teacher: Teacher = None,
    steps: Steps = None,
    settings: Settings = None,
    device: Device = "auto",
    search: Searches = None,
    trials: Trials = 20,
    metric: Metric = "overview/reward",
    direction: Direction = "maximize",
    seed: Seed = 42,
    run: Name = None,
    checkpoints: Folder = Path("./train_dir"),
    format: options.OutputFormat = None,
) -> None:
    """Search for good training settings, with a report.

    Trains a policy several times; Optuna chooses the settings of each run from the scores of those before it. A sweep
    that was stopped continues where it was when the same command with its --run name runs again.
    """
    from cogames_training.recipes.binding import bind
    from cogames_training.recipes.cogsguard import sweep as make
    from cogames_training.recipes.grammar import merged, parse_assignments

    given: dict[str, object] = {
        "run": run,
        "data_dir": str(checkpoints),
        "device": device,
        "seed": seed,
        "trials": trials,
        "metric": metric,
        "direction": direction,
        "mission": mission or ["arena"],
        "variants": variant or [],
        "cogs": cogs,
        "search": dict(_search(text) for text in search or []),
    }
    if steps is not None:
        given["trainer"] = {"total_timesteps": steps}
    if policy is not None:
        given["policy_architecture"] = policy
    if teacher is not None:
        given["teacher"] = {"policy_uri": teacher}
    tool = bind(make, merged(given, parse_assignments(settings or [])))
    tool.check()
    results = tool.search_settings(quiet=format is not None)
    if format is not None:
        print_data(results.document(), format)


def _search(text: str) -> tuple[str, str | None]:
    key, equals, values = text.partition("=")
    if not key:
        raise UsageError(f"--search {text!r} is not KEY=VALUES", ["write --search ent_coef=0.005..0.02:log"])
    return key, values if equals else None
