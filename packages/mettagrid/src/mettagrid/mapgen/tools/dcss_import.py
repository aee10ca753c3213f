"""Create scenes from the drawings in a level file of Dungeon Crawl Stone Soup.

    python -m mettagrid.mapgen.tools.dcss_import arrival.des --output my_scenes

For each drawing (`NAME:`, then the lines between `MAP` and `ENDMAP`) that is more than a plain room, it writes a
`ConvChain` to `convchain/<name>.yaml`, and a `WFC` to `wfc/<name>.yaml` if that works for the drawing.
"""

import argparse
import re
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from mettagrid.mapgen.scene import SceneConfig
from mettagrid.mapgen.tools._yaml import to_yaml
from mettagrid.mapgen.utils.make_scene_config import make_convchain_config_from_pattern, make_wfc_config_from_pattern

_SOLID = frozenset("xXcvbmnotGlw ")  # rock, stone, metal, crystal, glass, trees, statues, lava, deep water, outside
_SMALLEST_DRAWING = 5
_MIN_SHARE = 0.1  # of walls, and of floor


@dataclass(frozen=True)
class DCSSMap:
    """A drawing and its name; the pattern has `#` for impassable cells and `.` for the rest."""

    name: str
    pattern: str


def process_map_source(ascii_source: str) -> str:
    """Return the lines of a level file as a pattern; short lines end outside the level."""
    lines = ascii_source.rstrip("\n").split("\n")
    width = max(len(line) for line in lines)
    return "\n".join("".join("#" if char in _SOLID else "." for char in line.ljust(width)) for line in lines)


def is_trivial(ascii_map: str) -> bool:
    """Return whether a pattern is too small, or too full or empty, to learn from."""
    lines = ascii_map.split("\n")
    share = ascii_map.count("#") / max(1, len(lines) * len(lines[0]))
    too_small = min(len(lines), len(lines[0])) < _SMALLEST_DRAWING
    return too_small or not _MIN_SHARE <= share <= 1 - _MIN_SHARE


def get_maps(text: str) -> Iterator[DCSSMap]:
    """Return the drawings in a level file that are suitable for a scene."""
    name, number = "", 0
    lines = iter(text.splitlines())
    for line in lines:
        if match := re.match(r"NAME:\s*(\S+)", line):
            name, number = match[1], 0
        if line.strip() != "MAP":
            continue
        drawing = []
        for row in lines:
            if row.strip() == "ENDMAP":
                break
            drawing.append(row)
        pattern = process_map_source("\n".join(drawing))
        number += 1
        if not is_trivial(pattern):
            safe = re.sub(r"\W+", "_", name or "drawing")
            yield DCSSMap(safe if number == 1 else f"{safe}_{number}", pattern)


def write_scenes(maps: Sequence[DCSSMap], folder: Path) -> list[Path]:
    """Write the scenes of all drawings; return the files."""
    written = []
    for drawing in maps:
        makers = {"convchain": make_convchain_config_from_pattern, "wfc": make_wfc_config_from_pattern}
        for kind, make in makers.items():
            scene = make(drawing.pattern)
            if scene is not None:
                written.append(folder / kind / f"{drawing.name}.yaml")
                _write(scene, written[-1])
    return written


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(
        prog="python -m mettagrid.mapgen.tools.dcss_import",
        description="Create scenes from the drawings in a level file of Dungeon Crawl Stone Soup.",
    )
    parser.add_argument("source", type=Path, help="the level file (.des)")
    parser.add_argument("--output", type=Path, default=Path("dcss"), help="folder for the scenes (default: dcss)")
    options = parser.parse_args(arguments)
    try:
        maps = list(get_maps(options.source.read_text(encoding="utf-8")))
    except (OSError, UnicodeDecodeError) as error:
        print(f"error: {options.source} cannot be read: {error}", file=sys.stderr)
        return 1
    if not maps:
        print(f"error: {options.source} has no drawings (lines between MAP and ENDMAP)", file=sys.stderr)
        return 1
    for path in write_scenes(maps, options.output):
        print(path)
    return 0


def _write(scene: SceneConfig, path: Path) -> None:
    data = scene.model_dump(mode="json", exclude_defaults=True)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(to_yaml(data), encoding="utf-8")


if __name__ == "__main__":
    sys.exit(main())
