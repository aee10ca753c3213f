"""Remove a part of a configuration, by the path of an error message."""

import re
from typing import Any

from pydantic import BaseModel

from mettagrid.config.mettagrid_config import GameConfig


def without_part(game: GameConfig, path: str) -> GameConfig | None:
    """Return a copy of the game without the innermost removable part on the path; `None` if there is none.

    Items of lists, entries of dictionaries and settings that may be `None` are removable.
    """
    copy = game.model_copy(deep=True)
    removable: tuple[Any, Any] | None = None
    here: Any = copy
    while path:
        key, path = _next_key(here, path)
        if key is None:
            break
        if isinstance(here, (list, dict)) or _may_be_none(here, key):
            removable = here, key
        here = here[key] if isinstance(here, (list, dict)) else getattr(here, key)
    if removable is None:
        return None
    owner, key = removable
    if isinstance(owner, (list, dict)):
        del owner[key]
    else:
        setattr(owner, key, None)
    return copy


def _next_key(here: Any, path: str) -> tuple[Any, str]:
    """Return the first key of a path and the rest; keys of dictionaries may have dots. `(None, "")` if not found."""
    path = path.removeprefix(".")
    if isinstance(here, list):
        match = re.match(r"\[(\d+)\]", path)
        if match and int(match[1]) < len(here):
            return int(match[1]), path[match.end() :]
        return None, ""
    if isinstance(here, dict):
        names = [str(name) for name in here]
    elif isinstance(here, BaseModel):
        names = list(type(here).model_fields)
    else:
        return None, ""
    fitting = [name for name in names if path == name or path.startswith((f"{name}.", f"{name}["))]
    if not fitting:
        return None, ""
    name = max(fitting, key=len)
    return name, path[len(name) :]


def _may_be_none(here: Any, key: Any) -> bool:
    if not isinstance(here, BaseModel) or getattr(here, key, None) is None:
        return False
    field = type(here).model_fields[key]
    return not field.is_required() and field.get_default(call_default_factory=True) is None
