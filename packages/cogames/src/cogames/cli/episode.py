"""Compatibility names for `cogames episode`; the commands are in `cogames.commands.episode`."""

from cogames.commands.episode import COMMANDS
from cogames.commands.episode import list_episodes as episode_list_cmd
from cogames.commands.episode import replay as episode_replay_cmd
from cogames.commands.episode import show as episode_show_cmd
from cogames.commands.shared.program import make_group_app

__all__ = ["episode_app", "episode_list_cmd", "episode_replay_cmd", "episode_show_cmd"]

episode_app = make_group_app("episode", "List, show and replay episodes.", COMMANDS)
