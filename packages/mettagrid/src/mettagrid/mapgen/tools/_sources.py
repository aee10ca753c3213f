"""The inputs of the map tools: names of Python objects, and files."""

import runpy
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import yaml

from mettagrid.base_config import Config
from mettagrid.config.mettagrid_config import MettaGridConfig
from mettagrid.map_builder.map_builder import MapBuilderConfig
from mettagrid.util.module import load_symbol

_FILES = (".yaml", ".yml", ".json", ".map", ".py")


def load_source(source: str) -> MettaGridConfig | MapBuilderConfig[Any]:
    """Load a mission or map builder from a file or a Python object by its dotted name; raises `ValueError` otherwise.

    Python functions are called without arguments. A Python file must have `get_config` or `config`.
    """
    loaded = _from_file(Path(source)) if source.endswith(_FILES) else _from_name(source)
    if callable(loaded) and not isinstance(loaded, Config):
        loaded = _called(loaded, source)
    if not isinstance(loaded, (MettaGridConfig, MapBuilderConfig)):
        raise ValueError(f"{source} is a {type(loaded).__name__}, neither a mission nor a map builder.")
    return loaded


def apply_overrides(config: Config, overrides: Sequence[str]) -> None:
    """Change values given as `path=value`; the value is read as YAML."""
    for text in overrides:
        path, equals, value = text.partition("=")
        if not equals or not path:
            raise ValueError(f"The override {text!r} must have the form path=value.")
        config.override(path, yaml.safe_load(value))


def _from_name(name: str) -> Any:
    try:
        return load_symbol(name)
    except ModuleNotFoundError as error:
        raise ValueError(f"{name} is neither a Python object nor a {', '.join(_FILES)} file: {error}") from error


def _from_file(path: Path) -> Any:
    if not path.is_file():
        raise ValueError(f"The file {path} does not exist.")
    if path.suffix == ".py":
        names = runpy.run_path(str(path))
        if "get_config" not in names and "config" not in names:
            raise ValueError(f"{path} defines neither get_config nor config.")
        return names.get("get_config", names.get("config"))
    try:
        data = yaml.safe_load(path.read_text(encoding="utf-8"))
    except (yaml.YAMLError, UnicodeDecodeError) as error:
        raise ValueError(f"{path} cannot be read: {error}") from error
    kind = MapBuilderConfig if isinstance(data, dict) and "type" in data else MettaGridConfig
    try:
        return kind.model_validate(data)
    except (ValueError, TypeError) as error:
        raise ValueError(f"{path} cannot be read: {error}") from error


def _called(function: Callable[[], object], name: str) -> object:
    try:
        return function()
    except TypeError as error:
        raise ValueError(f"{name} cannot be called without arguments: {error}") from error
