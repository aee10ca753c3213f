"""Parse untrusted YAML: reject duplicate keys and documents larger than a hand-written one."""

from __future__ import annotations

from typing import Any

import yaml

__all__ = ["read_yaml"]

MAX_VALUES = 20_000
"""with every alias expanded: a few lines of aliases can expand to more than fits in memory"""


def read_yaml(text: str) -> Any:
    """Return the document; raise `ValueError` with the problem and its place."""
    try:
        document = yaml.load(text, Loader=_EveryKeyOnce)  # a subclass of SafeLoader
    except yaml.YAMLError as error:
        raise ValueError(_problem(error)) from None
    except RecursionError:
        raise ValueError("it is nested too deeply") from None
    _check_size(document)
    return document


class _EveryKeyOnce(yaml.SafeLoader):
    """Rejects duplicate keys: one of the values would be lost silently."""

    def construct_mapping(self, node: yaml.MappingNode, deep: bool = False) -> dict[Any, Any]:
        seen: set[str] = set()
        for key, _ in node.value:
            if isinstance(key, yaml.ScalarNode):
                if key.value in seen:
                    raise yaml.constructor.ConstructorError(
                        None, None, f"duplicate key `{key.value:.60}`", key.start_mark
                    )
                seen.add(key.value)
        return super().construct_mapping(node, deep)


def _check_size(document: Any) -> None:
    waiting, values = [document], 0
    while waiting:
        value = waiting.pop()
        parts = value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
        values += 1 + len(parts)
        if values > MAX_VALUES:
            raise ValueError(f"it holds more than {MAX_VALUES} values")
        waiting += parts


def _problem(error: yaml.YAMLError) -> str:
    mark = getattr(error, "problem_mark", None)
    message = " ".join(str(getattr(error, "problem", None) or error).split())
    return message if mark is None else f"line {mark.line + 1}, column {mark.column + 1}: {message}"
