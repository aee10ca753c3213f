"""Configurations travel between this package and the published mettagrid 0.26.20 and stay the same.

    python tests/compat/config_interchange.py PUBLISHED_PYTHON

PUBLISHED_PYTHON is an interpreter that has the published package. Three things are compared:

1. what it dumps (defaults, every model, rooms, the recorded games) loads here and dumps again as it does there;
2. what we dump with `to_published()` is what it would dump, loads there, and dumps again the same;
3. every model has the same fields in the same order, with the same defaults, constraints and JSON schema.

The file also runs under the published interpreter (`--describe`, `--reload`), so both sides tell the same things
through the same code. Intended differences are in `INTENDED`, with their reasons.
"""

import argparse
import gzip
import importlib
import json
import os
import pkgutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

HERE = Path(__file__).resolve().parent

PACKAGES = ("mettagrid.config", "mettagrid.map_builder")
MODULES = ("mettagrid.base_config", "mettagrid.test_support.map_builders")

# (class, field) -> why it differs.
INTENDED: dict[tuple[str, str], str] = {
    ("MoveActionConfig", "handlers"): "typed here; published keeps whatever is in the list",
    ("MaxGameValue", "$type"): "written so that a maximum does not read as a sum",
    ("MinGameValue", "$type"): "written so that a minimum does not read as a sum",
    ("EventConfig", "nearest"): "a concept of ours; `to_published()` writes the chain of events it stands for",
}

QUERY = {"query_type": "query", "source": "t", "filters": [{"filter_type": "tag", "target": "actor", "tag": "a"}]}
FILTER = {"filter_type": "not", "inner": {"filter_type": "periodic", "period": 2}}
VALUE = {"item": "ore_red"}
SUM = {"values": [VALUE, {"name": "s", "scope": "game"}], "weights": [1, 2.5]}
HANDLER = {"name": "h", "filters": [FILTER], "mutations": [{"mutation_type": "add_tag", "tag": "a"}]}

# Arguments for classes that need some; all others are made with none.
EXAMPLES: dict[str, list[dict[str, Any]]] = {
    "AOEConfig": [HANDLER | {"radius": 2}],
    "AddTagMutation": [{"tag": "a"}],
    "AgentConfig": [{"rewards": {"r": {"reward": SUM, "per_tick": True}}, "on_tick": HANDLER, "tags": ["a"]}],
    "AgentReward": [{"reward": SUM}],
    "AllOf": [{"handlers": [HANDLER, {"handler_type": "first_match", "handlers": [HANDLER]}]}],
    "AsciiMapBuilderConfig": [{"map_data": "#@\n#x", "char_to_map_name": {"x": "chest"}}],
    "AttackMutation": [{"on_success": [{"mutation_type": "swap"}], "vibe_bonus": {"default": 1}}],
    "ChoiceAsciiMapBuilderConfig": [{"map_options": ["#@", "@#"], "char_to_map_name": {}, "seed": 3}],
    "ClearInventoryMutation": [{"target": "actor", "limit_name": "g"}],
    "ClosureQuery": [{"source": QUERY, "candidates": "c", "edge_filters": [FILTER], "max_items": 3}],
    "ConstValue": [{"value": 2}],
    "EventConfig": [{"target_query": "t"}, HANDLER | {"target_query": QUERY, "timesteps": [1, 2], "fallback": "e"}],
    "GameConfig": [
        {
            "objects": {"wall": {"pydantic_type": "wall"}, "o": {"name": "o", "on_use_handler": HANDLER}},
            "territories": {"t": {"tag_prefix": "team:", "presence": {"p": HANDLER}}},
            "events": {"e": {"target_query": "type:wall"}},
            "materialize_queries": [{"tag": "m", "query": QUERY}],
            "render": {"agent_huds": {"b": {"resource": "hp"}, "a": {"resource": "energy"}}},
        }
    ],
    "GameValueFilter": [{"target": "actor", "value": SUM, "min": {"value": 2}}],
    "GridObjectConfig": [
        {"name": "o", "aoes": {"x": HANDLER}, "on_use_handler": HANDLER, "inventory": {"initial": {"a": 1}}}
    ],
    "InventoryConfig": [{"limits": {"g": {"base": 1, "resources": ["a"], "modifiers": {"b": 2}}}}],
    "InventoryValue": [{"item": "a", "scope": "game"}],
    "MaterializedQuery": [{"tag": "m", "query": QUERY}],
    "MaxDistanceFilter": [{"query": QUERY, "radius": 3, "target": "actor"}],
    "MaxGameValue": [{"values": [VALUE, {"value": 1}]}],
    "MazeConfigMapBuilderConfig": [{"width": 7, "height": 5, "start_pos": [1, 1], "end_pos": [5, 3]}],
    "MinGameValue": [{"values": [VALUE, {"value": 1}]}],
    "NotFilter": [{"inner": FILTER}],
    "ObjectNameMapBuilderConfig": [{"map_data": [["wall", "empty"]]}],
    "ObsConfig": [{"observation_radius_value": SUM, "global_obs": {"obs": {"q": VALUE}}}],
    "ObservationFeatureSpec": [{"id": 1, "name": "a", "normalization": 2}],
    "OrFilter": [{"inner": [FILTER, FILTER]}],
    "PeriodicFilter": [{"period": 3, "start_on": 1}],
    "Query": [QUERY, {"source": QUERY, "max_items": VALUE, "order_by": "random"}],
    "QueryCountValue": [{"query": QUERY}],
    "QueryInventoryMutation": [{"query": QUERY, "deltas": {"a": 1}, "source": "actor", "transfer_stats": {"a": "s"}}],
    "QueryInventoryValue": [{"query": QUERY, "item": "a"}],
    "QueryPlaceAdjacentMutation": [{"query": QUERY}],
    "RatioGameValue": [{"numerator": VALUE, "denominator": {"value": 2}}],
    "RaycastQuery": [{"source": "s", "max_range": VALUE, "directions": ["north"]}],
    "RaycastSpawnMutation": [{"object_type": "o", "max_range": {"value": 3}}],
    "RecomputeMaterializedQueryMutation": [{"tag_prefix": "m"}],
    "RemoveTagMutation": [{"tag": "a"}],
    "RemoveTagsWithPrefixMutation": [{"prefix": "a"}],
    "RenderAsset": [{"asset": "x", "resources": {"a": 1}, "tags": ["t"]}],
    "RenderHudConfig": [{"resource": "hp"}],
    "RenderStatusBarConfig": [{"resource": "hp", "rank": 2}],
    "ResourceDeltaMutation": [{"target": "actor", "deltas": {"a": -1}}],
    "ResourceFilter": [{"target": "target", "resources": {"a": 1}}],
    "ResourceLimitsConfig": [{"base": 1, "resources": ["a"]}],
    "ResourceTransferMutation": [{"from_target": "actor", "to_target": "target", "resources": {"a": -1}}],
    "SetGameValueMutation": [{"value": VALUE, "delta": 2}, {"value": {"name": "s"}, "source": {"value": 1}}],
    "SetRelativeTargetMutation": [{"direction": "northeast"}],
    "SharedTagPrefixFilter": [{"tag_prefix": "team:"}],
    "SpawnObjectMutation": [{"object_type": "o"}],
    "StatValue": [{"name": "s", "delta": True}],
    "StatWriter": [{"name": "s", "value": SUM}],
    "StatsMutation": [{"stat": "s", "source": SUM, "target": "agent"}],
    "SumGameValue": [SUM, {"values": [SUM, {"query": QUERY}], "log": True}],
    "TagFilter": [{"target": "actor", "tag": "a"}],
    "TagPrefixFilter": [{"target": "actor", "tag_prefix": "a"}],
    "TerritoryConfig": [{"tag_prefix": "team:", "on_enter": {"e": HANDLER}}],
    "TerritoryControlConfig": [{"territory": "t"}],
    "VibeFilter": [{"target": "actor", "vibe": "default"}],
}


def main(published_python: str) -> int:
    """Compare both packages; print what differs and a summary line; return the number of differences."""
    with tempfile.TemporaryDirectory() as folder:
        described = Path(folder, "described.json")
        run_there(published_python, __file__, "--describe", str(described))
        theirs = json.loads(described.read_text())
        ours = json.loads(json.dumps(describe()))
        shared = {name: dump for name, dump in ours["dumps"].items() if name in theirs["dumps"]}
        differences = [
            *_compare_models(theirs["models"], ours["models"]),
            *_compare_dumps(theirs["dumps"], shared),
            *_compare_reading_here(theirs["dumps"]),
            *_compare_reading_there(published_python, Path(folder), shared),
        ]
    for difference in differences:
        print(difference)
    print(
        f"{len(theirs['models'])} models and {len(theirs['dumps'])} dumps compared with the published package: "
        f"{len(differences)} differences ({len(INTENDED)} intended ones left out)"
    )
    return len(differences)


def _compare_models(theirs: dict[str, Any], ours: dict[str, Any]) -> Iterator[str]:
    for name, model in theirs.items():
        mine = ours.get(name)
        if mine is None:
            yield f"model {name} is missing here"
            continue
        ours_alone = {key for key in mine["fields"] if key not in model["fields"] and (name, key) in INTENDED}
        if list(model["fields"]) != [key for key in mine["fields"] if key not in ours_alone]:
            yield f"model {name}: fields {list(model['fields'])} there, {list(mine['fields'])} here"
        for part in sorted(model["fields"].keys() | mine["fields"].keys()):
            differs = show_difference(
                f"model {name}, field {part}", model["fields"].get(part), mine["fields"].get(part)
            )
            if (name, part) not in INTENDED:
                yield from differs
            elif not list(differs):
                yield f"model {name}, field {part} is listed as an intended difference, but does not differ"
        yield from show_difference(f"model {name}, required", model["required"], mine["required"])


def _compare_dumps(theirs: dict[str, Any], ours: dict[str, Any]) -> Iterator[str]:
    """Yield objects that do not dump to the same text in both packages, key order included."""
    for name, dump in theirs.items():
        yield from show_difference(
            f"dump {name}", json.dumps(dump["first"]), json.dumps(ours.get(name, {}).get("first"))
        )


def _compare_reading_here(theirs: dict[str, Any]) -> Iterator[str]:
    """Loaded here, a published dump dumps to what the published package makes of it when it loads its own dump."""
    for name, dump in theirs.items():
        mine = to_published(class_called(dump["class"]).model_validate(dump["first"]))
        yield from show_difference(f"published dump {name} read here", json.dumps(dump["again"]), json.dumps(mine))


def _compare_reading_there(published_python: str, folder: Path, ours: dict[str, Any]) -> Iterator[str]:
    sent, answered = folder / "sent.json", folder / "answered.json"
    sent.write_text(json.dumps({name: [dump["class"], dump["first"]] for name, dump in ours.items()}))
    run_there(published_python, __file__, "--reload", str(sent), str(answered))
    for name, answer in json.loads(answered.read_text()).items():
        yield from show_difference(f"our dump {name} read there", json.dumps(answer), json.dumps(ours[name]["again"]))


def show_difference(subject: str, there: Any, here: Any) -> Iterator[str]:
    """Yield the first place where two things differ, if they do."""
    if there == here:
        return
    text_there, text_here = str(there), str(here)
    start = next((i for i, (a, b) in enumerate(zip(text_there, text_here, strict=False)) if a != b), 0)
    start = max(0, start - 40)
    yield f"{subject}\n    there: {text_there[start : start + 160]}\n    here:  {text_here[start : start + 160]}"


def run_there(python: str, script: str, *arguments: str) -> None:
    """Run a script under another interpreter, which finds its own packages."""
    environment = {key: value for key, value in os.environ.items() if key != "PYTHONPATH"}
    environment["METTAGRID_LOG_LEVEL"] = "ERROR"
    subprocess.run([python, "-W", "ignore", str(Path(script).resolve()), *arguments], check=True, env=environment)


# ---- what both interpreters run ------------------------------------------------------------------------------------


def describe() -> dict[str, Any]:
    """Return all models with their fields, and dumps of examples."""
    models = {name: describe_model(cls) for name, cls in model_classes().items()}
    dumps = {}
    for name, config in examples():
        first = to_published(config)
        again = to_published(type(config).model_validate(first))
        dumps[name] = {"class": f"{type(config).__module__}:{type(config).__name__}", "first": first, "again": again}
    return {"models": models, "dumps": dumps}


def reload(source: Path, target: Path) -> None:
    """Load every dump in `source` and write what it dumps to."""
    dumps = json.loads(source.read_text())
    target.write_text(
        json.dumps({name: to_published(class_called(cls).model_validate(data)) for name, (cls, data) in dumps.items()})
    )


def model_classes() -> dict[str, Any]:
    """Return every public model class by name."""
    from pydantic import BaseModel

    importlib.import_module("mettagrid.config.mettagrid_config")  # first, for the published package's import order
    classes: dict[str, Any] = {}
    for module in module_names():
        for value in vars(importlib.import_module(module)).values():
            if isinstance(value, type) and issubclass(value, BaseModel) and value.__module__ == module:
                classes[value.__name__] = value
    private = {name for name in classes if name.startswith("_") or "[" in name}
    return {name: cls for name, cls in sorted(classes.items()) if name not in private}


def module_names() -> list[str]:
    names = list(MODULES)
    for package in PACKAGES:
        paths = importlib.import_module(package).__path__
        names += [info.name for info in pkgutil.walk_packages(paths, f"{package}.") if ".mettagrid_c_" not in info.name]
    return names


def describe_model(cls: Any) -> dict[str, Any]:
    """Fields in order, each with its JSON schema (types and constraints) and default."""
    from pydantic_core import PydanticUndefined, to_jsonable_python

    cls.model_rebuild()
    schema = cls.model_json_schema()
    if "$ref" in schema:
        schema = schema["$defs"][schema["$ref"].split("/")[-1]]
    properties = schema.get("properties", {})
    fields = {}
    for name in [*cls.model_fields, *(key for key in properties if key not in cls.model_fields)]:
        field = cls.model_fields.get(name)
        default = PydanticUndefined if field is None else field.get_default(call_default_factory=True)
        fields[name] = {
            "schema": without_words(properties.get(name)),
            "default": "(none)" if default is PydanticUndefined else to_jsonable_python(default),
            "kept when dumping": field is None or not field.exclude,
        }
    return {"fields": fields, "required": sorted(schema.get("required", [])), "extra": cls.model_config.get("extra")}


def without_words(schema: Any) -> Any:
    """Return a JSON schema without its descriptions."""
    if isinstance(schema, dict):
        return {key: without_words(value) for key, value in schema.items() if key not in ("description", "title")}
    return [without_words(item) for item in schema] if isinstance(schema, list) else schema


def examples() -> Iterator[tuple[str, Any]]:
    """Named configurations, made alike on both sides."""
    import inspect

    from mettagrid.config.mettagrid_config import MettaGridConfig

    for name, cls in model_classes().items():
        if inspect.isabstract(cls) or name == "MapBuilderConfig":
            continue
        for number, arguments in enumerate(EXAMPLES.get(name, [])):
            yield f"{name} {number}", cls.model_validate(arguments)
        if not any(field.is_required() for field in cls.model_fields.values()):
            yield f"{name} plain", cls()
    for arguments in ({"num_agents": 2}, {"num_agents": 3, "width": 5, "border_width": 0, "with_walls": True}):
        yield f"EmptyRoom {arguments}", MettaGridConfig.EmptyRoom(**arguments)
    for name, data in recorded_games():
        yield name, MettaGridConfig.model_validate(data)


def recorded_games() -> Iterator[tuple[str, Any]]:
    """Yield the oracle's configurations; maxima and minima, which published files cannot tell from sums, as objects."""
    folder = Path(os.environ.get("METTAGRID_ORACLE") or HERE.parents[2] / "shared" / "oracle")
    for path in sorted(folder.glob("*/*.json*")):
        if not path.name.endswith(".meta.json"):
            content = path.read_bytes()
            text = gzip.decompress(content) if path.suffix == ".gz" else content
            yield path.name, with_objects(json.loads(text))


def with_objects(data: Any) -> Any:
    from mettagrid.config import game_value
    from mettagrid.config.handler_config import Handler

    if isinstance(data, list):
        return [with_objects(item) for item in data]
    if not isinstance(data, dict):
        return data
    fields = {key: with_objects(value) for key, value in data.items() if key != "$type"}
    if isinstance(fields.get("move"), dict) and "handlers" in fields["move"]:
        fields["move"]["handlers"] = [Handler.model_validate(handler) for handler in fields["move"]["handlers"]]
    return getattr(game_value, data["$type"])(**fields) if "$type" in data else fields


def to_published(config: Any) -> Any:
    """Return a dump without what the published package cannot read; that package ignores the context."""
    return config.model_dump(mode="json", context={"published": True})


def class_called(name: str) -> Any:
    module, _, cls = name.partition(":")
    importlib.import_module("mettagrid.config.mettagrid_config")
    return getattr(importlib.import_module(module), cls)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description="Compare configurations with those of the published mettagrid.")
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
