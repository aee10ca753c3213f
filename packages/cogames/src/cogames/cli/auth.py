"""Compatibility names for `cogames auth`; the commands are in `softmax.commands.auth`."""

from cogames.commands.auth import COMMANDS
from cogames.commands.shared.program import make_group_app
from softmax.commands.auth import get_login_url as get_login_url_cmd
from softmax.commands.auth import get_token as get_token_cmd
from softmax.commands.auth import login as login_cmd
from softmax.commands.auth import logout as logout_cmd
from softmax.commands.auth import set_token as set_token_cmd
from softmax.commands.auth import status as status_cmd

__all__ = [
    "auth_app",
    "get_login_url_cmd",
    "get_token_cmd",
    "login_cmd",
    "logout_cmd",
    "set_token_cmd",
    "status_cmd",
]

auth_app = make_group_app("auth", "Sign in, and act as a player.", COMMANDS)
