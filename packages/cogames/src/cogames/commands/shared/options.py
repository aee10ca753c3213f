"""Options that several commands share, defined once."""

from pathlib import Path
from typing import Annotated, Literal

import typer

from softmax.cli.output import Format

__all__ = [
    "ActionTimeout",
    "Cogs",
    "Device",
    "Episodes",
    "Game",
    "Isolate",
    "MapSeed",
    "Mission",
    "MissionSet",
    "Missions",
    "OutputFormat",
    "Policies",
    "Render",
    "ReplayDir",
    "Seed",
    "Steps",
    "Variants",
    "Workers",
]

MISSION, POLICY, SIMULATION, OUTPUT = "Mission", "Policy", "Simulation", "Output"
POLICY_FORMS = "NAME, class=NAME[,data=FILE][,proportion=N][,kw.KEY=VALUE], or the path or URI of a bundle"

RenderName = Literal["auto", "gui", "unicode", "log", "none"]

Game = Annotated[str, typer.Option("--game", metavar="GAME", help="Game to play.", rich_help_panel=MISSION)]
Mission = Annotated[
    str | None,
    typer.Option("--mission", "-m", metavar="MISSION", help="Mission name or file.", rich_help_panel=MISSION),
]
Missions = Annotated[
    list[str] | None,
    typer.Option(
        "--mission",
        "-m",
        metavar="MISSION",
        help="Mission name, pattern with `*`, or file (repeatable).",
        rich_help_panel=MISSION,
    ),
]
MissionSet = Annotated[
    str | None,
    typer.Option(
        "--mission-set", "-S", metavar="SET", help="All missions of a set, such as cvc_evals.", rich_help_panel=MISSION
    ),
]
Variants = Annotated[
    list[str] | None,
    typer.Option("--variant", "-v", metavar="VARIANT", help="Change the rules (repeatable).", rich_help_panel=MISSION),
]
Cogs = Annotated[
    int | None,
    typer.Option(
        "--cogs",
        "-c",
        metavar="N",
        min=1,
        help="Number of cogs (agents), within the limits of the mission.",
        show_default="from mission",
        rich_help_panel=MISSION,
    ),
]
Policies = Annotated[
    list[str] | None,
    typer.Option(
        "--policy", "-p", metavar="POLICY", help=f"Policy (repeatable): {POLICY_FORMS}.", rich_help_panel=POLICY
    ),
]
Device = Annotated[
    str,
    typer.Option(
        "--device", metavar="DEVICE", help="Where networks run: auto, cpu, cuda, cuda:0, ...", rich_help_panel=POLICY
    ),
]
Isolate = Annotated[bool, typer.Option("--isolate", help="Run each policy in its own sandbox.", rich_help_panel=POLICY)]
Episodes = Annotated[
    int, typer.Option("--episodes", "-e", metavar="N", min=1, help="Number of episodes.", rich_help_panel=SIMULATION)
]
Steps = Annotated[
    int | None,
    typer.Option(
        "--steps",
        "-s",
        metavar="N",
        min=1,
        help="Maximum steps per episode (for the seed use --seed).",
        show_default="from mission",
        rich_help_panel=SIMULATION,
    ),
]
Seed = Annotated[
    int,
    typer.Option("--seed", metavar="N", min=0, help="Seed of the first episode.", rich_help_panel=SIMULATION),
]
MapSeed = Annotated[
    int | None,
    typer.Option(
        "--map-seed",
        metavar="N",
        min=0,
        help="Seed of procedural maps.",
        show_default="the episode's seed",
        rich_help_panel=SIMULATION,
    ),
]
ActionTimeout = Annotated[
    int,
    typer.Option(
        "--action-timeout-ms",
        metavar="MS",
        min=1,
        help="Time limit for an action; a late action becomes a noop.",
        rich_help_panel=SIMULATION,
    ),
]
ExecutorChoice = Annotated[
    Literal["local", "ray"],
    typer.Option(
        "--executor",
        help="Play on this machine, or on the nodes of a Ray cluster; results do not depend on it.",
        rich_help_panel=SIMULATION,
    ),
]
RayAddress = Annotated[
    str,
    typer.Option("--ray-address", metavar="ADDRESS", help="Ray cluster of --executor ray.", rich_help_panel=SIMULATION),
]
Workers = Annotated[
    int | None,
    typer.Option(
        "--workers",
        metavar="N",
        min=1,
        help="Processes that play episodes; results do not depend on it.",
        show_default="the number of cores",
        rich_help_panel=SIMULATION,
    ),
]
Render = Annotated[
    RenderName,
    typer.Option("--render", "-r", help="How to show the game.", rich_help_panel=SIMULATION),
]
OutputFormat = Annotated[
    Format | None,
    typer.Option("--format", metavar="FMT", help="Print a document: yaml or json.", rich_help_panel=OUTPUT),
]
ReplayDir = Annotated[
    Path | None,
    typer.Option("--save-replay-dir", metavar="DIR", help="Folder to save replays in.", rich_help_panel=OUTPUT),
]
