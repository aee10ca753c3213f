"""Compatibility names for the `softmax` command; it is in `softmax.main`."""

from cogames.commands.auth import get_login_url as get_login_url_cmd
from cogames.commands.auth import get_token as get_token_cmd
from cogames.commands.auth import login as login_cmd
from cogames.commands.auth import logout as logout_cmd
from cogames.commands.auth import set_token as set_token_cmd
from cogames.commands.auth import status as status_cmd
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
