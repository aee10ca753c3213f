"""Compatibility name for `mettagrid.util.display`: detect whether this machine can show a window."""

from mettagrid.util.display import has_display

__all__ = ["has_display"]
