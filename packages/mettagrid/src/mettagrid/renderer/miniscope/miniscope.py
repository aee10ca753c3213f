"""The renderer behind `render_mode="unicode"` under its published name."""

from mettagrid.terminal.renderer import TerminalRenderer

__all__ = ["MiniscopeRenderer"]


class MiniscopeRenderer(TerminalRenderer):
    """Shows the episode in the terminal and lets people act."""
