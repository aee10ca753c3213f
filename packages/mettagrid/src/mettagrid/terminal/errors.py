"""The errors of the terminal view.

TerminalError (a ValueError)
├── NoTerminals      this system has no terminals of the kind that is needed
└── TerminalLost     the terminal was closed while it was in use
"""

__all__ = ["NoTerminals", "TerminalError", "TerminalLost"]


class TerminalError(ValueError):
    """An error of the terminal view; the message says what to do."""


class NoTerminals(TerminalError):
    """Windows, mostly."""

    def __init__(self) -> None:
        super().__init__("The unicode view needs a POSIX terminal, which this system lacks; use the gui or log view")


class TerminalLost(TerminalError):
    """The terminal was closed while it was in use."""

    def __init__(self) -> None:
        super().__init__("The terminal was closed")
