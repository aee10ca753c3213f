"""The command line of the recipe runner.

    run.py recipes.experiment.cogsguard.train run=first trainer.batch_size=4096 'teacher={mode: sliced_cloner}'
    run.py train arena --dry-run
    run.py cogsguard.train -- run=first

Words after `--` are never flags. Dotted keys nest: `a.b=1` and `a={b: 1}` mean the same. A value is `true` or `false`,
`none` or `null`, a whole number (`5_000`), a number (`0.5`, `1e9`), a list or mapping (`[...]`, `{...}`) in JSON or
YAML, else text. Quotes inside a list or mapping make a text of anything.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import yaml

from softmax.cli.errors import UsageError

__all__ = ["Request", "merged", "parse_assignments", "parse_request", "parse_value"]

FLAGS = {
    "-v": "verbose",
    "--verbose": "verbose",
    "--dry-run": "dry_run",
    "--list": "list",
    "-h": "help",
    "--help": "help",
    "--debug": "debug",
}
USAGE = "run.py RECIPE.TOOL key=value ..."

_WHOLE = re.compile(r"[+-]?(?:0|[1-9]\d*(?:_\d+)*)")
_NUMBER = re.compile(r"[+-]?(?:\d[\d_]*\.?\d*|\.\d+)(?:[eE][+-]?\d+)?")
_KEY = re.compile(r"[^\s=.]+(?:\.[^\s=.]+)*")
_WORDS: dict[str, Any] = {"true": True, "false": False, "none": None, "null": None}


@dataclass
class Request:
    """A parsed command line: one or two words that name the tool, the flags, and the values by key, nested."""

    target: tuple[str, ...] = ()
    values: dict[str, Any] = field(default_factory=dict)
    verbose: bool = False
    dry_run: bool = False
    list: bool = False
    help: bool = False
    debug: bool = False


def parse_request(words: Sequence[str]) -> Request:
    """Parse the words after the program's name; raise `UsageError` for words that make no sense."""
    request = Request()
    assignments: list[str] = []
    target: list[str] = []
    only_values = False
    for word in words:
        if word == "--" and not only_values:
            only_values = True
        elif not only_values and word in FLAGS:
            setattr(request, FLAGS[word], True)
        elif not only_values and word.startswith("-") and "=" not in word:
            raise UsageError(f"Unknown flag {word}", [f"flags: {', '.join(FLAGS)}", f"usage: {USAGE}"])
        elif "=" not in word and not assignments and not only_values and _may_name_tool(target):
            target.append(word)
        else:
            assignments.append(word)
    request.target = tuple(target)
    request.values = parse_assignments(assignments)
    return request


def _may_name_tool(target: Sequence[str]) -> bool:
    """Return whether another word may belong to the target: the first, or the recipe after a tool without one."""
    return not target or (len(target) == 1 and "." not in target[0])


def parse_assignments(words: Sequence[str]) -> dict[str, Any]:
    """Parse `key=value` words into one nested mapping; later words win."""
    values: dict[str, Any] = {}
    for word in words:
        key, equals, text = word.partition("=")
        if not equals:
            raise UsageError(f"{word!r} is not key=value", [f"usage: {USAGE}"])
        if not _KEY.fullmatch(key):
            raise UsageError(
                f"{key!r} is not a key", ["write names with dots between them, such as trainer.batch_size=4096"]
            )
        try:
            value = parse_value(text)
        except ValueError as error:
            raise UsageError(f"{key}: {error}") from None
        for part in reversed(key.split(".")):
            value = {part: value}
        values = merged(values, value)
    return values


def parse_value(text: str) -> Any:
    """Parse a value; raise `ValueError` for a list or mapping that does not parse."""
    stripped = text.strip()
    if stripped[:1] not in ("{", "["):
        return _parse_scalar(text)
    try:
        return json.loads(stripped)
    except ValueError:
        pass
    try:
        return yaml.load(stripped, Loader=_FlowLoader)
    except yaml.YAMLError as error:
        problem = getattr(error, "problem", None) or "it does not parse"
        raise ValueError(f"{text!r} is neither JSON nor YAML: {problem}") from None


def merged(base: Mapping[str, Any], changes: Mapping[str, Any]) -> dict[str, Any]:
    """Return the base with the changes; mappings on both sides merge key by key."""
    result = dict(base)
    for key, value in changes.items():
        old = result.get(key)
        both = isinstance(old, Mapping) and isinstance(value, Mapping)
        result[key] = merged(old, value) if both else value  # type: ignore[arg-type]
    return result


def _parse_scalar(text: str) -> Any:
    stripped = text.strip()
    if stripped.lower() in _WORDS:
        return _WORDS[stripped.lower()]
    if _WHOLE.fullmatch(stripped):
        return int(stripped)
    if _NUMBER.fullmatch(stripped) and not re.fullmatch(r"[+-]?0\d+", stripped):  # 007 stays text
        try:
            return float(stripped)
        except ValueError:
            return text
    return text


class _FlowLoader(yaml.SafeLoader):
    """Reads YAML with our scalars instead of YAML's: `1e9` is a number and `no` is text."""

    yaml_implicit_resolvers: dict[str, list[tuple[str, re.Pattern[str]]]] = {}  # noqa: RUF012 - as PyYAML declares it


def _construct_text(loader: _FlowLoader, node: yaml.ScalarNode) -> Any:
    text = str(loader.construct_scalar(node))
    return _parse_scalar(text) if node.style is None else text


_FlowLoader.add_constructor("tag:yaml.org,2002:str", _construct_text)
