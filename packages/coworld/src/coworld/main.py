"""The `coworld` command as a program. Its commands are in `coworld.cli.table`, imported when it runs: an interrupt
meanwhile is reported like every other."""

import os
import sys
from typing import Any

__all__ = ["run"]


def run() -> None:
    """Run the command with the arguments of this process, and end the process."""
    for name, mode in (("stdin", "r"), ("stdout", "w"), ("stderr", "w")):
        if getattr(sys, name) is None:  # the parent process closed it; in this order each gets its old number
            setattr(sys, name, open(os.devnull, mode))  # noqa: SIM115
    try:
        from coworld.cli.table import app
    except KeyboardInterrupt:
        print("Error: Interrupted", file=sys.stderr)
        sys.exit(130)
    app(prog_name="coworld")


def __getattr__(name: str) -> Any:
    if name not in ("COMMANDS", "app"):
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from coworld.cli import table

    return getattr(table, name)
