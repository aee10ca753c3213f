"""Missions, variants and their dependencies printed on a rich console."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from rich.console import Console

    from mettagrid.cogame.core import CoGameMission, CoGameMissionVariant
    from mettagrid.cogame.game import CoGame
    from mettagrid.config.mettagrid_config import MettaGridConfig
    from mettagrid.map_builder.map_builder import AnyMapBuilderConfig

__all__ = [
    "describe_mission",
    "print_evals",
    "print_mission_dependencies",
    "print_missions",
    "print_variant_graph",
    "print_variants",
]


def print_missions(game: CoGame, con: Console, mission_filter: str | None = None) -> None:
    """Print a game's missions with their sub-missions, or those with the filter in their names."""
    chosen = [mission for mission in game.missions if mission_filter is None or mission_filter in mission.name]
    if not chosen:
        con.print(f"No missions matching {mission_filter!r}")
        return
    _print_mission_table(chosen, game, con)
    con.print(
        "\nPlay one: cogames play -m MISSION, or -m MISSION.SUB_MISSION, or -m FILE; -c N sets the number of cogs"
    )


def print_evals(game: CoGame, con: Console) -> None:
    """Print a game's evaluation missions."""
    if not game.eval_missions:
        con.print("No eval missions found")
        return
    _print_mission_table(game.eval_missions, game, con)
    con.print(f"\nPlay one: cogames play -m {game.eval_missions[0].name}")


def print_variants(game: CoGame, con: Console) -> None:
    """Print a game's variants."""
    from rich.table import Table

    table = Table("Variant", "Description", title="Available Variants")
    for variant in game.variants:
        table.add_row(variant.name, variant.description)
    con.print(table)


def print_variant_graph(game: CoGame, con: Console) -> None:
    """Print the dependency tree of each variant that no other variant needs."""
    trees = [variant for variant in _roots(game.variants) if _dependencies(variant)]
    _print_trees("Variant Dependency Graph", trees, con, with_optional=True)


def print_mission_dependencies(game: CoGame, con: Console) -> None:
    """Print each mission with the trees of its default variant and of its own variants."""
    for mission in game.missions:
        variants = list(mission.variants().all())
        if mission.default_variant is not None and not mission.has_variant(mission.default_variant):
            variants.append(mission.find_variant(mission.default_variant))
        title = f"{mission.name} — {mission.description}"
        _print_trees(title, variants, con, with_optional=False)
        if not variants:
            con.print("  (no variant dependencies)", markup=False)


def describe_mission(mission_name: str, game_config: MettaGridConfig, mission_cfg: CoGameMission | None = None) -> None:
    """Print the main facts of a mission: agents, steps, map, actions, resources and objects."""
    from rich.table import Table

    from cogames.cli.base import console

    game = game_config.game
    table = Table("Setting", "Value", title=mission_name)
    if mission_cfg is not None:
        table.add_row("Description", mission_cfg.description)
        table.add_row("Variants", ", ".join(variant.name for variant in mission_cfg.variants().all()) or "none")
    table.add_row("Agents", str(game.num_agents))
    table.add_row("Max steps", str(game.max_steps))
    table.add_row("Map", _map_size(game.map_builder))
    table.add_row("Actions", ", ".join(action.name for action in game.actions.actions()))
    table.add_row("Resources", ", ".join(game.resource_names))
    table.add_row("Objects", ", ".join(game.objects))
    console.print(table)


def _print_mission_table(missions: Iterable[CoGameMission], game: CoGame, con: Console) -> None:
    from rich.table import Table

    descriptions = {variant.name: variant.description for variant in game.variants}
    table = Table("Mission", "Cogs", "Map Size", "Description")
    for mission in missions:
        cogs, size = f"{mission.min_cogs}-{mission.max_cogs}", _map_size(mission.map_builder)
        table.add_row(mission.name, cogs, size, mission.description)
        for sub_mission in mission.sub_missions:
            table.add_row(f"  {mission.name}.{sub_mission}", cogs, size, descriptions.get(sub_mission, ""))
    con.print(table)


def _print_trees(title: str, variants: Sequence[CoGameMissionVariant], con: Console, *, with_optional: bool) -> None:
    from rich.text import Text
    from rich.tree import Tree

    tree = Tree(Text(title))
    for variant in variants:
        _add(tree, variant, "", with_optional, ())
    con.print()
    con.print(tree)


def _add(tree: object, variant: CoGameMissionVariant, mark: str, with_optional: bool, above: tuple[str, ...]) -> None:
    from rich.text import Text
    from rich.tree import Tree

    assert isinstance(tree, Tree)
    branch = tree.add(Text(f"{variant.name} — {variant.description}{mark}"))
    if variant.name in above:  # a circle, which `make_env` refuses
        return
    for dependency, is_optional in _dependencies(variant):
        if with_optional or not is_optional:
            mark = " (optional)" if is_optional else ""
            _add(branch, dependency, mark, with_optional, (*above, variant.name))


def _dependencies(variant: CoGameMissionVariant) -> list[tuple[CoGameMissionVariant, bool]]:
    """Return the variants a variant builds on with their default settings, and whether each is optional."""
    deps = variant.dependencies()
    kinds = [*((kind, False) for kind in deps.required), *((kind, True) for kind in deps.optional)]
    return [(_default(kind), is_optional) for kind, is_optional in kinds]


def _default(kind: type[CoGameMissionVariant]) -> CoGameMissionVariant:
    name = kind.model_fields["name"].default
    description = kind.model_fields["description"].default
    return kind.model_construct(name=name, description=description)


def _roots(variants: Sequence[CoGameMissionVariant]) -> list[CoGameMissionVariant]:
    needed = {dependency.name for variant in variants for dependency, _ in _dependencies(variant)}
    return [variant for variant in variants if variant.name not in needed]


def _map_size(builder: AnyMapBuilderConfig) -> str:
    width, height = getattr(builder, "width", None), getattr(builder, "height", None)
    return f"{width}x{height}" if width and height else "drawn"
