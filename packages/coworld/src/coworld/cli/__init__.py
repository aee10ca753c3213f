"""Shared code of the commands: the program frame, options and output.

`app` is the `coworld` command as a Typer application. It and the command functions under their published names are
imported on first use.
"""

from importlib import import_module
from typing import Any

_PUBLISHED = {
    "app": "coworld.cli.table:app",
    "build": "coworld.commands.build:build",
    "certify": "coworld.commands.certify:certify",
    "main": "coworld.main:run",
    "optimize": "coworld.commands.optimize:optimize",
    "play": "coworld.commands.play:play",
    "replay": "coworld.commands.replay:replay",
    "run_episode": "coworld.commands.run_episode:run_episode",
    "scrimmage": "coworld.commands.scrimmage:scrimmage",
}

__all__ = sorted(_PUBLISHED)


def __getattr__(name: str) -> Any:
    if name not in _PUBLISHED:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    module, _, attribute = _PUBLISHED[name].partition(":")
    return getattr(import_module(module), attribute)


def __dir__() -> list[str]:
    return [*globals(), *__all__]
