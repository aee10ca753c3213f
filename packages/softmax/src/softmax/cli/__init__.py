"""The frame of our command-line programs; also the published names of the `softmax` command itself.

`softmax.cli.program` holds the frame, `softmax.cli.output` and `softmax.cli.errors` what commands print.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from softmax.commands.auth import get_login_url as get_login_url_cmd
    from softmax.commands.auth import get_token as get_token_cmd
    from softmax.commands.auth import login as login_cmd
    from softmax.commands.auth import logout as logout_cmd
    from softmax.commands.auth import set_token as set_token_cmd
    from softmax.commands.auth import status as status_cmd
    from softmax.main import app

__all__ = [
    "app",
    "get_login_url_cmd",
    "get_token_cmd",
    "login_cmd",
    "logout_cmd",
    "set_token_cmd",
    "status_cmd",
]


def __getattr__(name: str) -> Any:
    """Import a published name when it is first used, so that the frame does not import the commands."""
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    if name == "app":
        return importlib.import_module("softmax.main").app
    return getattr(importlib.import_module("softmax.commands.auth"), name.removesuffix("_cmd"))
