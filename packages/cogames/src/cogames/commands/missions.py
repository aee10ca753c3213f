"""`cogames missions`: list missions, and show or save the environment of one."""

from __future__ import annotations

from dataclasses import asdict
from fnmatch import fnmatchcase
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from cogames.commands.shared import choices, options
from softmax.cli.errors import fail
from softmax.cli.output import Format, command_line, note, print_data, print_table, warn
from softmax.cli.program import examples

if TYPE_CHECKING:
    from mettagrid.config.mettagrid_config import MettaGridConfig

Pattern = Annotated[
    str | None, typer.Argument(metavar="[PATTERN]", help="List only names that contain this; `*` matches anything.")
]
Evals = Annotated[bool, typer.Option("--evals", help="List missions for evaluation.")]
VariantList = Annotated[bool, typer.Option("--variants", help="List the variants.")]
Size = Annotated[
    int | None, typer.Option(min=1, metavar="N", help="Size of a procedural map.", rich_help_panel=options.MISSION)
]
Save = Annotated[
    Path | None,
    typer.Option(
        "--save",
        "--output",
        "-o",
        metavar="FILE",
        help="Write the environment to a .yaml or .json file.",
        rich_help_panel=options.OUTPUT,
    ),
]

Published = Annotated[
    bool,
    typer.Option(
        "--published",
        help="Write a file that the published mettagrid 0.26 loads, with the map of --map-seed (default 42).",
        rich_help_panel=options.OUTPUT,
    ),
]
DRAWN_MAP_SEED = 42
"""map seed for files for the published package; the same default as `play`"""


@examples(
    "cogames missions",
    "cogames missions --evals energy",
    "cogames missions -m arena -v no_clips",
    "cogames missions -m arena -c 4 --save my_mission.yaml",
    "cogames missions -m arena --save for_mettagrid_0_26.yaml --published",
)
def missions(
    pattern: Pattern = None,
    evals: Evals = False,
    variants: VariantList = False,
    mission: options.Mission = None,
    variant: options.Variants = None,
    cogs: options.Cogs = None,
    map_seed: options.MapSeed = None,
    width: Size = None,
    height: Size = None,
    game: options.Game = "cogsguard",
    format: options.OutputFormat = None,
    save: Save = None,
    published: Published = False,
) -> None:
    """List missions, or show and save one.

    --mission shows one mission. --format prints its whole environment; --save writes it to a file that you can edit
    and pass to -m of other commands.
    """
    if mission is None and save is not None:
        fail("--save needs a mission.", "cogames missions -m MISSION --save FILE")
    if published and (mission is None or not (save or format)):
        fail(
            "--published needs a mission and --save or --format.", "cogames missions -m MISSION --save FILE --published"
        )
    if published and map_seed is None:
        map_seed = DRAWN_MAP_SEED
    if variants:
        _list_variants(pattern, game, format)
    elif mission is None:
        _list_missions(pattern, evals, game, format)
    else:
        chosen = choices.mission(mission, variants=variant, game=game, cogs=cogs, map_seed=map_seed)
        _resize(chosen.env, width, height)
        if published:
            _warn_of_misread_values(chosen.env)
        show_mission(chosen.name, chosen.env, format, save, published=published)


def show_mission(
    name: str, env: MettaGridConfig, format: Format | None, save: Path | None, *, published: bool = False
) -> None:
    """Print a summary of an environment, or all of it with `format`; with `save` write it to a file."""
    from cogames.missions.files import mission_document, save_mission_file

    if save is not None:
        save_mission_file(env, choices.output_file(save), published=published)
        note(f"Wrote {save}; play it with `{command_line('cogames', 'play', '-m', save)}`")
    if format:
        print_data(mission_document(env, published=published), format)
    elif save is None:
        _describe(name, env)


def _list_missions(pattern: str | None, evals: bool, game: str, format: Format | None) -> None:
    from cogames.missions.arguments import mission_rows

    rows = [row for row in mission_rows(evals=evals, game=game) if fnmatchcase(row.name, f"*{pattern or ''}*")]
    if format:
        print_data([asdict(row) for row in rows], format)
        return
    if not rows:
        note(f"No missions with {pattern!r} in their names{_elsewhere(pattern or '', game)}")
        return
    cells: list[list[str]] = []
    for row in rows:
        cells.append([row.name, row.cogs, row.map_size, row.description])
        cells += [[f"  {row.name}.{sub}", "", "", ""] for sub in row.sub_missions]
    print_table(["Mission", "Cogs", "Map Size", "Description"], cells)
    if not evals:
        note("\nMore: cogames missions --evals, cogames missions --variants, cogames missions -m MISSION")


def _elsewhere(pattern: str, game: str) -> str:
    """Return the end of the message for an empty list: names of other kinds that match, or the closest names."""
    from cogames import missions as library
    from cogames.missions.arguments import full_name
    from mettagrid.cogame.errors import UnknownMission

    try:
        matches = library.match(pattern if "*" in pattern else f"*{pattern}*", game=game)
    except UnknownMission as error:
        return f".{str(error).partition('not found.')[2]}"
    names = list(dict.fromkeys(full_name(name, game=game) for name in matches))
    return f" in this list; other matches: {', '.join(names[:8])}{', ...' if len(names) > 8 else ''}"


def _warn_of_misread_values(env: MettaGridConfig) -> None:
    """Warn of values that the published reader misreads (docs/decisions/0003-published-quirks.md)."""
    if '"$type"' in env.model_dump_json():
        warn("The published mettagrid misreads maxima, minima and filtered sums from files; this mission contains some")


def _list_variants(pattern: str | None, game: str, format: Format | None) -> None:
    from mettagrid.cogame.game import get_game

    matching = [variant for variant in get_game(game).variants if fnmatchcase(variant.name, f"*{pattern or ''}*")]
    if format:
        print_data([{"name": variant.name, "description": variant.description} for variant in matching], format)
        return
    print_table(["Variant", "Description"], [(variant.name, variant.description) for variant in matching])


def _describe(name: str, env: MettaGridConfig) -> None:
    game = env.game
    facts: list[tuple[str, Any]] = [
        ("Mission", name),
        ("Agents", game.num_agents),
        ("Max steps", game.max_steps or "no limit"),
        ("Map", type(game.map_builder).__qualname__.removesuffix(".Config").removesuffix("Config")),
        ("Observation", f"{game.obs.width}x{game.obs.height} cells, {game.obs.num_tokens} tokens"),
        ("Actions", ", ".join(action.name for action in game.actions.actions())),
        ("Resources", ", ".join(game.resource_names)),
        ("Objects", ", ".join(game.objects)),
        ("Rewards", ", ".join(dict.fromkeys(reward for agent in game.agents for reward in agent.rewards)) or "none"),
    ]
    width = max(len(label) for label, _ in facts)
    for label, value in facts:
        print(f"{label:{width}}  {value}")


def _resize(env: MettaGridConfig, width: int | None, height: int | None) -> None:
    builder = env.game.map_builder
    for name, size in (("width", width), ("height", height)):
        if size is None:
            continue
        if name not in type(builder).model_fields:
            fail("The map of this mission is drawn, so its size is fixed.", "choose a mission with a procedural map")
        setattr(builder, name, size)
