"""Commands that this distribution adds to other programs through the entry points in `pyproject.toml`."""

from softmax.cli.program import Entry

__all__ = ["SOFTMAX"]

SOFTMAX = [
    Entry("cogames", "cogames.softmax_cli:COMMANDS", "Play, evaluate and pack policies on this machine.", "Local Games")
]
"""commands of `softmax`"""
