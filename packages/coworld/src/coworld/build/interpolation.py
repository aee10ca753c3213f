"""Variables in a compose file: `$NAME`, `${NAME}`, `${NAME:-default}`, `${NAME:?message}`, `${NAME:+other}`, `$$`."""

from __future__ import annotations

import os
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from coworld.build.errors import ComposeError

__all__ = ["interpolate", "variables_beside"]

_VARIABLE = re.compile(
    r"\$(?:(?P<escaped>\$)|(?P<plain>[A-Za-z_]\w*)|\{(?P<name>[A-Za-z_]\w*)(?:(?P<operator>:?[-?+])(?P<word>[^}]*))?\})"
)


def interpolate(value: Any, variables: Mapping[str, str]) -> Any:
    """Return a document with the variables of all its strings replaced; keys stay as they are.

    Raises:
        ComposeError: a variable that the file requires is not set.
    """
    if isinstance(value, str):
        return _VARIABLE.sub(lambda match: _replacement(match, variables), value)
    if isinstance(value, list):
        return [interpolate(item, variables) for item in value]
    if isinstance(value, dict):
        return {key: interpolate(item, variables) for key, item in value.items()}
    return value


def _replacement(match: re.Match[str], variables: Mapping[str, str]) -> str:
    if match["escaped"]:
        return "$"
    name = match["plain"] or match["name"]
    operator, word = match["operator"] or "", match["word"] or ""
    value = variables.get(name)
    is_set = bool(value) if operator.startswith(":") else value is not None
    if operator.endswith("-"):
        return value if is_set and value is not None else word
    if operator.endswith("+"):
        return word if is_set else ""
    if operator.endswith("?") and not is_set:
        raise ComposeError(f"the compose file needs the variable {name}: {word or 'it is not set'}", hint=f"{name}=...")
    return value or ""


def variables_beside(compose_file: Path) -> dict[str, str]:
    """Return the variables of `.env` beside a compose file, and those of this process, which win."""
    variables: dict[str, str] = {}
    path = compose_file.parent / ".env"
    if path.is_file():
        for line in path.read_text(encoding="utf-8", errors="replace").splitlines():
            name, equals, value = line.strip().removeprefix("export ").partition("=")
            if equals and not name.startswith("#"):
                variables[name.strip()] = value.strip().strip("\"'")
    return variables | dict(os.environ)
