"""Run a tool of a recipe from a command line."""

from __future__ import annotations

import inspect
import sys
from collections.abc import Sequence

from cogames_training.recipes.grammar import Request, parse_request
from softmax.cli.errors import Explanation, UsageError, explain, is_interrupt, report
from softmax.cli.output import note, print_data, print_table, show_log

__all__ = ["main"]

PACKAGES = ("cogames_training", "cogames", "softmax", "mettagrid", "cogsguard")
USAGE = """\
usage: run.py RECIPE.TOOL [key=value ...]      recipes.experiment.cogsguard.train run=first trainer.batch_size=4096
       run.py TOOL RECIPE [key=value ...]      train cogsguard, or train MISSION

  -v, --verbose  print the settings before the work
  --dry-run      check and print the settings, and do nothing
  --list         list recipes and their tools
  -h, --help     show this, or the settings of a tool
  --debug        show where an error comes from
  --             all words after it are key=value

Values: true, false, none, 5_000, 0.5, 1e9, [1, 2], {mode: sliced_cloner}, else text. Dotted keys nest."""


def main(words: Sequence[str] | None = None) -> int:
    """Run the command line and return the exit code: 0, 1 (failed), 2 (wrong usage) or 130 (interrupted)."""
    arguments = list(sys.argv[1:] if words is None else words)
    show_log()
    try:
        return _run(parse_request(arguments))
    except (Exception, KeyboardInterrupt) as error:
        if "--debug" in arguments and not is_interrupt(error):
            import traceback

            traceback.print_exception(error)
        explanation = _explain(error)
        report(explanation)
        return explanation.exit_code


def _run(request: Request) -> int:
    if not request.target and not request.list:
        if request.help:
            print(USAGE)
            return 0
        raise UsageError("Name a tool", ["run.py --list", "run.py --help"])
    if request.list:
        return _list(request)

    from cogames_training.recipes.binding import bind
    from cogames_training.recipes.finding import find
    from cogames_training.recipes.tools import Tool

    found = find(request.target)
    if request.help:
        _print_help(found.name, found.maker)
        return 0
    tool = bind(found.maker, request.values)
    if not isinstance(tool, Tool):
        raise UsageError(
            f"{found.name} returns {type(tool).__name__}, not a tool", ["return a Tool of cogames_training"]
        )
    tool.check()
    if request.dry_run:
        print_data(tool.model_dump(mode="json"), "yaml")
        return 0
    if request.verbose:
        import yaml

        note(f"{found.name}:\n{yaml.safe_dump(tool.model_dump(mode='json'), sort_keys=False)}")
    return tool.invoke()


def _list(request: Request) -> int:
    from importlib import import_module

    from cogames_training.recipes.finding import RECIPES, makers

    wanted = request.target[-1] if request.target else None
    if wanted is not None and wanted not in RECIPES:
        RECIPES_HINT = f"recipes: {', '.join(RECIPES)}"
        raise UsageError(f"Recipe {wanted!r} not found", [RECIPES_HINT])
    rows = [
        (f"{recipe}.{name}", (inspect.getdoc(maker) or "").partition("\n")[0])
        for recipe, module in RECIPES.items()
        for name, maker in makers(import_module(module)).items()
        if wanted in (None, recipe)
    ]
    print_table(["Tool", "Description"], rows)
    return 0


def _print_help(name: str, maker: object) -> None:
    from cogames_training.recipes.binding import bind, describe, parameters_of

    assert callable(maker)
    function = getattr(maker, "func", maker)
    print(f"{name}: {inspect.getdoc(function) or ''}\n")
    parameters = [(each.name, f"default {each.default!r}") for each in parameters_of(maker).values()]
    if parameters:
        print_table(["Parameter", "Default"], parameters)
        print()
    tool = bind(maker, {}) if all(each.default is not each.empty for each in parameters_of(maker).values()) else None
    if tool is not None:
        print_table(["Setting", "Meaning"], list(describe(type(tool))))


def _explain(error: BaseException) -> Explanation:
    return explain(error, PACKAGES)
