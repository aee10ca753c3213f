"""Load and save missions as files: a saved environment, or a Python file that builds one."""

import json
import runpy
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from mettagrid.cogame.errors import MissionError
from mettagrid.config.mettagrid_config import MettaGridConfig

_SUFFIXES = (".yaml", ".yml", ".json", ".py")


def is_mission_file(name: str) -> bool:
    """Return whether a mission's name is a file name."""
    return name.endswith(_SUFFIXES)


def load_mission_file(name: str) -> MettaGridConfig:
    """Load the environment in a file; raise `MissionError` if the file is missing or is not an environment."""
    path = Path(name)
    if not path.exists():
        raise MissionError(f"The mission file {name!r} does not exist.")
    if not path.is_file():
        raise MissionError(f"The mission file {name!r} is a folder.")
    if path.suffix == ".py":
        return _run(path)
    data = _read(path)
    if not isinstance(data, dict):
        raise MissionError(f"The mission file {name!r} contains {type(data).__name__}; it must be a mapping.")
    try:
        return MettaGridConfig(**data)
    except (ValidationError, TypeError) as error:
        first = error.errors()[0] if isinstance(error, ValidationError) else {"loc": (), "msg": str(error)}
        place = ".".join(map(str, first["loc"]))
        raise MissionError(f"The mission file {name!r} is not a valid environment: {place}: {first['msg']}") from error


def save_mission_file(env: MettaGridConfig, path: Path, *, published: bool = False) -> None:
    """Write an environment as YAML or JSON, by the file's suffix; `load_mission_file` reads it back.

    With `published` the published mettagrid 0.26 loads the file too. It then contains one drawn map, not a generator.
    """
    if path.suffix not in (".yaml", ".yml", ".json"):
        raise MissionError(f"Cannot save a mission as {path.name!r}; use .yaml, .yml or .json.")
    data = mission_document(env, published=published)
    if path.suffix == ".json":
        path.write_text(json.dumps(data, indent=2) + "\n", encoding="utf-8")
        return
    import yaml

    dumper = getattr(yaml, "CSafeDumper", yaml.SafeDumper)
    path.write_text(yaml.dump(data, Dumper=dumper, sort_keys=False, allow_unicode=True), encoding="utf-8")


def mission_document(env: MettaGridConfig, *, published: bool = False) -> dict[str, Any]:
    """Return an environment as data for JSON or YAML; see `save_mission_file` for `published`."""
    if not published:
        return env.model_dump(mode="json")
    from cogames.missions.drawn_maps import published_document

    return published_document(env)


def _read(path: Path) -> object:
    text = path.read_text(encoding="utf-8")
    if path.suffix == ".json":
        try:
            return json.loads(text)
        except ValueError as error:
            raise MissionError(f"The mission file {str(path)!r} is not valid JSON: {error}") from error
    import yaml  # only files need it

    loader = getattr(yaml, "CSafeLoader", yaml.SafeLoader)  # ten times as fast
    try:
        return yaml.load(text, Loader=loader)
    except yaml.YAMLError as error:
        reason = " ".join(str(error).split())
        raise MissionError(f"The mission file {str(path)!r} is not valid YAML: {reason}") from error


def _run(path: Path) -> MettaGridConfig:
    names = runpy.run_path(str(path), run_name="game_config")
    if "get_config" in names:
        config = names["get_config"]()
    elif "config" in names:
        config = names["config"]
    else:
        raise MissionError(f"The mission file {str(path)!r} defines neither get_config() nor config.")
    if not isinstance(config, MettaGridConfig):
        raise MissionError(f"The mission file {str(path)!r} returns {type(config).__name__}, not a MettaGridConfig.")
    return config
