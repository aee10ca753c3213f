"""Scene configurations travel between this package and the published mettagrid 0.26.20 and stay the same.

    python tests/compat/scene_interchange.py PUBLISHED_PYTHON

PUBLISHED_PYTHON is an interpreter that has the published package. Compared are

1. every model of `mettagrid.mapgen`: the same fields in the same order, with the same defaults and JSON schema;
2. examples of every scene: what one package dumps, the other reads and dumps as it would dump the example itself;
3. maps of the scenes listed in `SAME_MAPS`: cell for cell, with several seeds.

The file also runs under the published interpreter (`--describe`, `--reload`). Intended differences are in `INTENDED`.
"""

import argparse
import importlib
import json
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from config_interchange import class_called, describe_model, run_there, show_difference

SCENES = "mettagrid.mapgen.scenes"
OTHER_MODULES = ("mettagrid.mapgen.area", "mettagrid.mapgen.scene", "mettagrid.mapgen.mapgen")

# (class, field) -> why it differs.
_SHORT = "written as a number or a list, which both packages read back; the published one cannot read its own form"
INTENDED: dict[tuple[str, str], str] = {
    ("MapGenConfig", "instance"): "required; the published one has a default, which it refuses",
    ("MazeConfig", "room_size"): _SHORT,
    ("MazeConfig", "wall_size"): _SHORT,
}
BOUNDS = (
    "minimum",
    "maximum",
    "exclusiveMinimum",
    "exclusiveMaximum",
)  # ours may be narrower: nonsense is refused early

# Models that the published package cannot dump: they belong to no scene, and it asks every one for its scene.
NOT_DUMPED_THERE = ("InnerMirrorConfig", "LayoutArea", "LayoutConfig")

# Models that it dumps without their distributions, except inside a MapGen, where examples of them are.
EMPTIED_THERE = (
    "AutoConfig",
    "AutoConfigBSP",
    "AutoConfigGrid",
    "AutoLayoutConfig",
    "AutoSymmetryConfig",
    "MazeConfig",
    "RandomObjectsConfig",
)

# Parts that exist while a map is made and cannot be saved.
NOT_SAVED = ("CopyGridConfig", "MirroredConfig", "TransplantSceneConfig")


def scene(name: str, **fields: Any) -> dict[str, Any]:
    """Return the dump of a scene: `scene("random.Random", agents=2)`."""
    return {"type": f"{SCENES}.{name}.Config", **fields}


RANDOM = scene("random.Random", objects={"wall": 4, "hub": 2}, agents=1)
DRAWING = "##########\n#........#\n#..####..#\n#..#..#..#\n#.....#..#\n#..####..#\n#........#\n##########"
CHILD = {"scene": RANDOM, "where": {"tags": ["room"]}, "limit": 1, "order_by": "first", "lock": "a"}
AUTO = {
    "num_agents": 3,
    "layout": {"grid": 1, "bsp": 1},
    "grid": {"rows": ["uniform", 1, 3], "columns": 2},
    "bsp": {"area_count": 4},
    "room_symmetry": {"none": 1, "horizontal": 1, "vertical": 1, "x4": 1},
    "content": [{"scene": RANDOM}, {"scene": scene("maze.Maze"), "weight": 2.5}],
    "objects": {"hub": 0.01},
    "room_objects": {"chest": ["uniform", 0.01, 0.02], "hub": ["lognormal", 0.01, 0.1, 0.2]},
}

# Fields for examples: of classes that need some, and more of others. All classes that need none are made with none.
EXAMPLES: dict[str, list[dict[str, Any]]] = {
    "AsciiConfig": [{"uri": "a.map"}],
    "AutoConfigLayout": [{"grid": 1, "bsp": 2}],
    "AutoConfigRoomSymmetry": [{"none": 1, "horizontal": 2, "vertical": 3, "x4": 4}],
    "BSPConfig": [{"rooms": 3, "min_room_size": 2, "min_room_size_ratio": 0.2, "max_room_size_ratio": 0.8}],
    "BSPLayoutConfig": [{"area_count": 4}],
    "BiomeArenaConfig": [
        {"spawn_count": 4},
        {"spawn_count": 4, "asteroid_mask": {"step": 2}, "compounds": [["center", {"spawn_count": 2}]]},
    ],
    "BoundedLayoutConfig": [{"max_width": 3, "max_height": 4, "tag": "a"}],
    "ChildrenAction": [CHILD, {"scene": RANDOM, "where": "full", "instance_id": 2}],
    "CompoundConfig": [{"stations": ["a"], "corner_bundle": "none", "station_offsets": [[1, 2]], "seed": 3}],
    "ConvChainConfig": [{"pattern": DRAWING, "pattern_size": 3, "iterations": 2, "temperature": 1}],
    "ConvChainSlowConfig": [{"pattern": DRAWING, "pattern_size": 3, "iterations": 2, "temperature": 1}],
    "FourCornerCompoundsConfig": [{"num_compounds": 2, "hub_objects": ["a", "b"]}],
    "GridHubsConfig": [{"objects": {"hub": 3}, "agents": {"red": 2}}],
    "HorizontalMirrorConfig": [{"scene": RANDOM}],
    "InlineAsciiConfig": [{"data": "#.\n.@", "row": 1}],
    "LayoutArea": [{"width": 2, "height": 3, "tag": "a"}],
    "LayoutConfig": [{"areas": [{"width": 2, "height": 3, "tag": "a"}]}],
    "MapGenConfig": [
        {"instance": RANDOM, "width": 8, "height": 6, "seed": 2, "instances": 4},
        {"instance": scene("auto.Auto", **AUTO), "width": 8, "height": 6},
        {"instance": scene("maze.Maze", room_size=["uniform", 1, 3], wall_size=2), "width": 8, "height": 6},
        {
            "instance": scene("random_objects.RandomObjects", object_ranges=AUTO["room_objects"]),
            "width": 8,
            "height": 6,
        },
        {"instance": {"type": "mettagrid.map_builder.random_map.RandomMapBuilder.Config", "agents": 2}},
    ],
    "MeanDistanceConfig": [{"mean_distance": 2, "objects": {"hub": 1}}],
    "MirrorConfig": [{"scene": RANDOM, "symmetry": "x4"}, {"scene": scene("mirror.Mirror", scene=RANDOM)}],
    "MultiLeftAndRightConfig": [{"rows": 2, "columns": 2, "hub_ratio": 0.7, "total_hubs": 5}],
    "NopConfig": [{"children": [CHILD], "seed": 3, "transform": "rot_90"}],
    "RandomConfig": [{"objects": {"wall": 2}, "agents": {"red": 1}}],
    "RandomDcssSceneConfig": [{"wfc": True, "dcss": False}],
    "RandomSceneCandidate": [{"scene": RANDOM, "weight": 2}],
    "RandomSceneConfig": [{"candidates": [{"scene": RANDOM}]}],
    "RandomTransformConfig": [{"scene": RANDOM}],
    "RandomYamlSceneCandidate": [{"scene_file": "a.yaml"}],
    "RandomYamlSceneConfig": [{"candidates": [{"scene_file": "a.yaml", "weight": 2}]}],
    "RoomGridConfig": [{"layout": [["a", "b"]], "children": [CHILD]}],
    "SequentialBiomeArenaConfig": [{"spawn_count": 4}],
    "SpiralConfig": [{"objects": {"hub": 3}, "agents": 2}],
    "UniformExtractorParams": [{"building_distributions": {"hub": {"type": "normal"}}, "target_coverage": 0.1}],
    "VariedTerrainConfig": [{"objects": {"hub": 1}, "style": "dense"}],
    "VerticalMirrorConfig": [{"scene": RANDOM}],
    "WFCConfig": [{"pattern": DRAWING, "next_node_heuristic": "mrv"}],
    "X4MirrorConfig": [{"scene": RANDOM}],
    "YamlSceneConfig": [{"file": "a.yaml"}],
}

# Scenes that draw the same map from the same seed in both packages. Not among them: areas of scenes turned by 90 and
# 270 degrees, which the published package puts where the other turn would have them.
SAME_MAPS: dict[str, dict[str, Any]] = {
    "random": RANDOM,
    "inline": scene("inline_ascii.InlineAscii", data="#.\n.@", row=1),
    "mean distance": scene("mean_distance.MeanDistance", mean_distance=4, objects={"hub": 3, "chest": 2}),
    "room grid": scene("room_grid.RoomGrid", rows=2, columns=3, border_width=1, children=[{"scene": RANDOM}]),
    "room grid, one room": scene("room_grid.RoomGrid", rows=2, columns=2, border_width=2, children=[CHILD]),
    "turned": scene("room_grid.RoomGrid", rows=1, columns=3, transform="rot_180", children=[{"scene": RANDOM}]),
    **{
        f"mirror, {symmetry}": scene("mirror.Mirror", scene=RANDOM, symmetry=symmetry)
        for symmetry in ("horizontal", "vertical", "x4")
    },
    "forest": scene("biome_forest.BiomeForest"),
    "desert": scene("biome_desert.BiomeDesert"),
    "caves": scene("biome_caves.BiomeCaves"),
    "city": scene("biome_city.BiomeCity", pitch=7, road_width=1, jitter=2),
    "asteroid": scene("asteroid_mask.AsteroidMask", depth_max=5),
    "radial maze": scene("radial_maze.RadialMaze", arms=7, arm_width=2),
    "compound": scene("compound.Compound", hub_width=15, hub_height=13, stations=["a", "b"], spawn_count=9),
    "tight compound": scene("compound.Compound", layout="tight", hub_width=15, hub_height=15, stations=["a", "b"]),
    "quarters": scene("four_corner_compounds.FourCornerCompounds", compound={"hub_width": 7, "hub_height": 7}),
    "corners": scene("map_corner_placements.MapCornerPlacements", placements=[["a", 1], ["b", 2]], offset=3),
}
MAP_SIZES = ((24, 16), (21, 15))
MAP_SEEDS = (1, 2, 3)


def main(published_python: str) -> int:
    """Compare both packages; print what differs and a summary line; return the number of differences."""
    with tempfile.TemporaryDirectory() as folder:
        described = Path(folder, "described.json")
        run_there(published_python, __file__, "--describe", str(described))
        theirs, ours = json.loads(described.read_text()), json.loads(json.dumps(describe()))
        differences = [
            *_compare_models(theirs["models"], ours["models"]),
            *_compare_dumps(published_python, Path(folder), theirs["dumps"], ours["dumps"]),
            *_compare_maps(theirs["maps"], ours["maps"]),
        ]
    for difference in differences:
        print(difference)
    print(
        f"{len(theirs['models'])} scene models, {len(theirs['dumps'])} dumps and {len(theirs['maps'])} maps compared "
        f"with the published package: {len(differences)} differences ({len(INTENDED)} intended ones left out)"
    )
    return len(differences)


def _compare_models(theirs: dict[str, Any], ours: dict[str, Any]) -> Iterator[str]:
    for name, model in theirs.items():
        mine = ours.get(name)
        if mine is None:
            yield f"model {name} is missing here"
            continue
        yield from show_difference(f"model {name}, fields", list(model["fields"]), list(mine["fields"]))
        required = [field for field in mine["required"] if (name, field) not in INTENDED]
        yield from show_difference(f"model {name}, required", model["required"], required)
        for field, description in model["fields"].items():
            here = _comparable(mine["fields"].get(field), description)
            differs = show_difference(f"model {name}, field {field}", _comparable(description, description), here)
            if (name, field) not in INTENDED:
                yield from differs
            elif not list(differs):
                yield f"model {name}, field {field} is listed as an intended difference, but does not differ"


def _comparable(description: Any, there: Any) -> Any:
    """Return a field without bounds that the published one lacks, and without the default inside its schema.

    Defaults are compared as values; schemas leave out those that are made by a function.
    """
    if not isinstance(description, dict) or not isinstance(description.get("schema"), dict):
        return description
    schema = {
        key: value
        for key, value in description["schema"].items()
        if key != "default" and (key not in BOUNDS or key in there["schema"])
    }
    return {**description, "schema": schema}


def _compare_dumps(python: str, folder: Path, theirs: dict[str, Any], ours: dict[str, Any]) -> Iterator[str]:
    sent, answered = folder / "sent.json", folder / "answered.json"
    sent.write_text(json.dumps({name: ours[name] for name in theirs if name in ours}))
    run_there(python, __file__, "--reload", str(sent), str(answered))
    answers = json.loads(answered.read_text())
    for name, (cls, dump) in theirs.items():
        if name not in ours:
            yield f"example {name} is missing here"
            continue
        yield from show_difference(f"our {name} read there", dump, answers[name])
        here = class_called(cls).model_validate(dump).model_dump(mode="json")
        yield from show_difference(f"published {name} read here", json.dumps(ours[name][1]), json.dumps(here))


def _compare_maps(theirs: dict[str, Any], ours: dict[str, Any]) -> Iterator[str]:
    for name, rows in theirs.items():
        yield from show_difference(f"map {name}", rows, ours[name])


# ---- what both interpreters run ------------------------------------------------------------------------------------


def describe() -> dict[str, Any]:
    """Return all models with their fields, dumps of examples, and maps."""
    classes = model_classes()
    return {
        "models": {name: describe_model(cls) for name, cls in classes.items() if name not in NOT_SAVED},
        "dumps": {name: [place(config), config.model_dump(mode="json")] for name, config in examples(classes)},
        "maps": dict(maps()),
    }


def reload(source: Path, target: Path) -> None:
    """Load every dump in `source` and write what it dumps to."""
    dumps = json.loads(source.read_text())
    loaded = {name: class_called(cls).model_validate(data) for name, (cls, data) in dumps.items()}
    target.write_text(json.dumps({name: config.model_dump(mode="json") for name, config in loaded.items()}))


def model_classes() -> dict[str, Any]:
    """Return the public configuration classes of map generation, by name."""
    from pydantic import BaseModel

    importlib.import_module("mettagrid.config.mettagrid_config")  # first, for the published package's import order
    folders = importlib.import_module("mettagrid.mapgen").__path__
    files = sorted(path for folder in folders for path in Path(folder, "scenes").glob("[!_]*.py"))
    classes: dict[str, Any] = {}
    for name in [*OTHER_MODULES, *(f"{SCENES}.{path.stem}" for path in files)]:
        for value in vars(importlib.import_module(name)).values():
            if isinstance(value, type) and issubclass(value, BaseModel) and value.__module__ == name:
                classes[value.__name__] = value
    return {name: cls for name, cls in sorted(classes.items()) if "[" not in name and not name.startswith("_")}


def examples(classes: dict[str, Any]) -> Iterator[tuple[str, Any]]:
    """Named configurations, made alike on both sides."""
    for name, cls in classes.items():
        if name in NOT_DUMPED_THERE or name in EMPTIED_THERE:
            continue
        for number, fields in enumerate(EXAMPLES.get(name, [])):
            yield f"{name} {number}", cls.model_validate(fields)
        if not any(field.is_required() for field in cls.model_fields.values()) and name not in (
            "MapGenConfig",
            "SceneConfig",
        ):
            yield f"{name} plain", cls()


def maps() -> Iterator[tuple[str, list[str]]]:
    """Maps of all scenes in `SAME_MAPS`, one text per row."""
    mapgen = importlib.import_module("mettagrid.mapgen.mapgen").MapGen
    for name, config in SAME_MAPS.items():
        for width, height in MAP_SIZES:
            for seed in MAP_SEEDS:
                builder = mapgen.Config(seed=seed, width=width, height=height, border_width=1, instance=config)
                grid = builder.create().build().grid
                yield f"{name}, {width} x {height}, seed {seed}", [" ".join(row) for row in grid.tolist()]


def place(config: Any) -> str:
    """Return the path of a configuration's class, for `class_called`."""
    return f"{type(config).__module__}:{type(config).__name__}"


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description="Compare scenes with those of the published mettagrid.")
    parser.add_argument("published_python", nargs="?", help="interpreter that has the published package")
    parser.add_argument("--describe", type=Path, metavar="FILE", help=argparse.SUPPRESS)
    parser.add_argument("--reload", type=Path, nargs=2, metavar="FILE", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.describe:
        options.describe.write_text(json.dumps(describe()))
    elif options.reload:
        reload(*options.reload)
    elif options.published_python:
        sys.exit(1 if main(options.published_python) else 0)
    else:
        parser.error("name the interpreter that has the published package")
