"""Find the maker of a tool from the words of a command line.

`recipes.experiment.cogsguard.train`, `cogsguard.train` and `train cogsguard` are the same. `train MISSION` is the
recipe `cogsguard` with that mission. Modules of the user work too: `my_recipes.mine.train`.
"""

from __future__ import annotations

import difflib
import functools
import importlib
import inspect
import os
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from types import ModuleType
from typing import Any

from cogames_training.recipes.tools import Tool
from softmax.cli.errors import CommandError, UsageError

__all__ = ["RECIPES", "TOOLS", "Found", "find", "makers"]

RECIPES = {"cogsguard": "cogames_training.recipes.cogsguard"}
"""our recipes by name"""
TOOLS = ("train", "evaluate", "evaluate_remote", "play", "replay", "sweep")
PREFIXES = ("recipes.experiment.", "recipes.prod.", "recipes.")


@dataclass(frozen=True)
class Found:
    """A maker with the name under which it was found."""

    name: str
    maker: Callable[..., Any]


def find(target: Sequence[str]) -> Found:
    """Return the maker; raise `UsageError` for words without a tool and `CommandError` for a tool not found."""
    if len(target) == 2:
        tool, recipe = target
    else:
        recipe, dot, tool = target[0].rpartition(".")
        if not dot:
            raise UsageError(f"{target[0]!r} is not RECIPE.TOOL", [f"tools: {', '.join(TOOLS)}", "run.py --list"])
    module = _module(recipe)
    if module is None:
        return _of_mission(recipe, tool)
    known = makers(module)
    if tool not in known:
        close = difflib.get_close_matches(tool, known, n=2)
        hints = [f"did you mean {' or '.join(f'{recipe}.{each}' for each in close)}?"] if close else []
        raise CommandError(
            f"{recipe} has no tool {tool!r}", [*hints, f"tools of {recipe}: {', '.join(known) or 'none'}"]
        )
    return Found(f"{recipe}.{tool}", known[tool])


def makers(module: ModuleType) -> dict[str, Callable[..., Any]]:
    """Return the makers of a module: its tools, and public functions defined in it that say they return one."""
    found: dict[str, Callable[..., Any]] = {}
    for name, value in vars(module).items():
        if name.startswith("_") or not callable(value):
            continue
        is_tool = inspect.isclass(value) and issubclass(value, Tool) and value.__module__ == module.__name__
        is_maker = inspect.isfunction(value) and (name in TOOLS or value.__module__ == module.__name__)
        if is_tool or is_maker:
            found[name] = value
    return found


def _module(recipe: str) -> ModuleType | None:
    """Return a recipe's module: ours for a bare name, otherwise the user's before ours."""
    if recipe not in RECIPES:
        folder = os.getcwd()
        if folder not in sys.path:
            sys.path.insert(0, folder)
        try:
            return importlib.import_module(recipe)
        except ModuleNotFoundError as error:
            if error.name is None or not (recipe == error.name or recipe.startswith(f"{error.name}.")):
                raise CommandError(f"{recipe} cannot be imported: {error}") from error
        except (ImportError, SyntaxError) as error:
            raise CommandError(f"{recipe} cannot be imported: {error}") from error
    name = next((recipe.removeprefix(prefix) for prefix in PREFIXES if recipe.startswith(prefix)), recipe)
    return importlib.import_module(RECIPES[name]) if name in RECIPES else None


def _of_mission(recipe: str, tool: str) -> Found:
    """Return a tool of `cogsguard` for a mission, if there is a mission with that name."""
    from cogames import missions
    from mettagrid.cogame.errors import MissionError

    name = next((recipe.removeprefix(prefix) for prefix in PREFIXES if recipe.startswith(prefix)), recipe)
    known = makers(importlib.import_module(RECIPES["cogsguard"]))
    try:
        missions.get_mission(name)
    except MissionError:
        close = difflib.get_close_matches(name, [*RECIPES, *missions.list()], n=3)
        hints = [f"did you mean {' or '.join(close)}?"] if close else []
        raise CommandError(
            f"Recipe {recipe!r} not found",
            [*hints, f"write {' or '.join(RECIPES)}, a mission (cogames missions), or a module of yours"],
        ) from None
    if tool not in known:
        raise CommandError(f"{recipe} has no tool {tool!r}", [f"tools: {', '.join(known)}"])
    if "mission" not in inspect.signature(known[tool]).parameters:
        return Found(f"{recipe}.{tool}", known[tool])
    return Found(f"{recipe}.{tool}", functools.partial(known[tool], mission=name))
