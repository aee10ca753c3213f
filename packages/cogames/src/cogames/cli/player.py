"""Compatibility names for `cogames auth player`; the commands are in `cogames.commands.player`."""

from cogames.commands.player import COMMANDS, CREDENTIALS
from cogames.commands.player import create as create_player_cmd
from cogames.commands.player import create_credential as create_credential_cmd
from cogames.commands.player import list_credentials as list_credentials_cmd
from cogames.commands.player import list_players as list_players_cmd
from cogames.commands.player import login as login_player_cmd
from cogames.commands.player import logout as logout_player_cmd
from cogames.commands.player import revoke_credential as revoke_credential_cmd
from cogames.commands.shared.program import make_group_app

__all__ = [
    "create_credential_cmd",
    "create_player_cmd",
    "credentials_app",
    "list_credentials_cmd",
    "list_players_cmd",
    "login_player_cmd",
    "logout_player_cmd",
    "player_app",
    "revoke_credential_cmd",
]

player_app = make_group_app("player", "Manage players and act as one.", COMMANDS)
credentials_app = make_group_app("credentials", "Manage tokens of a player.", CREDENTIALS)
