"""The commands that this package adds to `cogames`."""

from softmax.cli.program import Entry

__all__ = ["COMMANDS"]

COMMANDS: list[Entry] = []
