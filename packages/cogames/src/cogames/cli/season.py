"""Compatibility names for `cogames season`; the commands are in `cogames.commands.season`."""

import typer

from cogames.commands.season import COMMANDS, LeaderboardType
from cogames.commands.season import leaderboard as season_leaderboard
from cogames.commands.season import list_seasons as season_list
from cogames.commands.season import matches as season_matches
from cogames.commands.season import pool_config as season_pool_config
from cogames.commands.season import progress as season_progress
from cogames.commands.season import show as season_show
from cogames.commands.season import stages as season_stages
from cogames.commands.season import teams as season_teams
from cogames.commands.season import versions as season_versions
from cogames.commands.shared.program import make_group_app
from softmax.wire import LeaderboardEntry, ScorePoliciesLeaderboardEntry, TeamSummary

__all__ = [
    "LEADERBOARD_TYPE_OPTION",
    "LeaderboardEntries",
    "LeaderboardType",
    "season_app",
    "season_leaderboard",
    "season_list",
    "season_matches",
    "season_pool_config",
    "season_progress",
    "season_show",
    "season_stages",
    "season_teams",
    "season_versions",
]

LeaderboardEntries = list[LeaderboardEntry] | list[ScorePoliciesLeaderboardEntry] | list[TeamSummary]

LEADERBOARD_TYPE_OPTION: LeaderboardType = typer.Option("policy", "--type", "-t", help="What to rank.")

season_app = make_group_app("season", "Show a server's seasons and their standings.", COMMANDS)
