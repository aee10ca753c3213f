"""Build the map of a mission or a map builder, show it, and save it.

    python -m mettagrid.mapgen.tools.gen my_game.missions.make_arena
    python -m mettagrid.mapgen.tools.gen mission.yaml --seed 3 --env-override game.map_builder.width=30
    python -m mettagrid.mapgen.tools.gen cave.map --show-mode none --output frozen.map

The first argument is a file (a mission, a map builder, or a Python file with `get_config` or `config`) or the dotted
name of a function that returns one. Saved maps are drawn maps: they load again as map builders and look the same with
every seed.
"""

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from mettagrid.config.mettagrid_config import MettaGridConfig
from mettagrid.map_builder.ascii import AsciiMapBuilder
from mettagrid.map_builder.map_builder import GameMap, HasSeed, MapBuilderConfig
from mettagrid.mapgen.tools._sources import apply_overrides, load_source
from mettagrid.mapgen.tools._yaml import to_yaml
from mettagrid.mapgen.utils.show import show_game_map
from mettagrid.mapgen.utils.storable_map import StorableMap


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(
        prog="python -m mettagrid.mapgen.tools.gen",
        description="Build the map of a mission or a map builder, show it, and save it.",
    )
    parser.add_argument("env_fn", help="a mission or map builder file, or the dotted name of a function")
    parser.add_argument(
        "--show-mode", choices=["ascii", "ascii_border", "none"], default="ascii_border", help="how to print the map"
    )
    parser.add_argument(
        "--env-override", action="append", default=[], metavar="PATH=VALUE", help="change the configuration first"
    )
    parser.add_argument("--seed", type=int, help="seed of the map, if the configuration has none")
    parser.add_argument("--output", type=Path, metavar="FILE", help="save the map as a drawn map")
    options = parser.parse_args(arguments)
    try:
        config = load_source(options.env_fn)
        apply_overrides(config, options.env_override)
        builder = config.game.map_builder if isinstance(config, MettaGridConfig) else config
        if options.seed is not None and isinstance(builder, HasSeed) and builder.seed is None:
            builder.seed = options.seed
        built = StorableMap.from_cfg(builder)
        if options.output:
            options.output.write_text(drawn_map(built), encoding="utf-8")
    except (ValueError, OSError) as error:
        print(f"error: {error}", file=sys.stderr)
        return 1
    if options.show_mode != "none":
        show_game_map(GameMap(built.grid), options.show_mode)
    return 0


def drawn_map(built: StorableMap) -> str:
    """Return a map as the YAML text of an `AsciiMapBuilder`."""
    names = {str(name) for name in built.grid.ravel()}
    legend = {char: name for name, char in built.name_to_char.items() if name in names}
    drawing = built.to_dict()["data"]
    config: MapBuilderConfig[Any] = AsciiMapBuilder.Config(map_data=drawing, char_to_map_name=legend)
    data = {**config.model_dump(mode="json"), "map_data": drawing}
    return to_yaml(data)


if __name__ == "__main__":
    sys.exit(main())
