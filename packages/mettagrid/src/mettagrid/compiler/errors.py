"""The errors and warnings of the compiler.

CompileError(ValueError)      the configuration cannot be played
  UnknownName                 a tag, resource, object, ... that the game does not have
ConfigWarning(UserWarning)    a name or setting without effect; an error with `strict=True`
"""

import difflib
from collections.abc import Collection


class CompileError(ValueError):
    """A configuration that cannot be played. The message begins with the path inside the configuration."""

    def __init__(self, path: str, message: str) -> None:
        super().__init__(f"{path}: {message}" if path else message)
        self.path = path


class UnknownName(CompileError):
    """A name that the game does not have."""

    def __init__(self, path: str, kind: str, name: str, known: Collection[str]) -> None:
        super().__init__(path, f"there is no {kind} {name!r} in this game. {close_names(name, known)}")
        self.name = name


class ConfigWarning(UserWarning):
    """A name or setting that has no effect in the game."""


def close_names(name: str, known: Collection[str]) -> str:
    """Return a sentence with similar names, or some that exist."""
    close = difflib.get_close_matches(name, known, n=3)
    if close:
        return f"Did you mean {' or '.join(repr(item) for item in close)}?"
    if not known:
        return "The game has none."
    some = sorted(known)[:8]
    return f"Known: {', '.join(map(repr, some))}{', ...' if len(known) > len(some) else ''}."
