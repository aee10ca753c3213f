"""Changes to a configuration as plain JSON. Each takes the `Editor` and edits in place; it may find nothing to do."""

from . import games, plain
from .editor import Editor

WEIGHTS = plain.WEIGHTS | games.WEIGHTS
LAST = {"nest", "nest_lists"}
"""mutations that make a config too deep to copy; they run after all others"""

__all__ = ["LAST", "WEIGHTS", "Editor"]
