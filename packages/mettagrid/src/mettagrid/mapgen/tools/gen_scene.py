"""Draw a scene from a file and show it.

python -m mettagrid.mapgen.tools.gen_scene cave.yaml --width 40 --height 20 --seed 3
"""

import argparse
import sys
from collections.abc import Sequence

from mettagrid.mapgen.mapgen import MapGen
from mettagrid.mapgen.scenes.yaml import load_scene
from mettagrid.mapgen.tools._sources import apply_overrides
from mettagrid.mapgen.utils.show import show_game_map


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(
        prog="python -m mettagrid.mapgen.tools.gen_scene", description="Draw a scene from a file and show it."
    )
    parser.add_argument("scene", help="YAML or JSON file with the scene's type and parameters")
    parser.add_argument("--width", type=int, required=True)
    parser.add_argument("--height", type=int, required=True)
    parser.add_argument(
        "--show-mode", choices=["ascii", "ascii_border", "none"], default="ascii_border", help="how to print the map"
    )
    parser.add_argument(
        "--scene-override", action="append", default=[], metavar="PATH=VALUE", help="change the scene first"
    )
    parser.add_argument("--seed", type=int)
    options = parser.parse_args(arguments)
    try:
        scene = load_scene(options.scene)
        apply_overrides(scene, options.scene_override)
        builder = MapGen.Config(
            instance=scene, width=options.width, height=options.height, border_width=0, seed=options.seed
        )
        game_map = builder.create().build()
    except (ValueError, OSError) as error:
        print(f"error: {error}", file=sys.stderr)
        return 1
    if options.show_mode != "none":
        show_game_map(game_map, options.show_mode)
    return 0


if __name__ == "__main__":
    sys.exit(main())
