"""Compatibility names for `cogames matches` and `cogames match-artifacts`."""

from cogames.commands.matches import match_artifacts as match_artifacts_cmd
from cogames.commands.matches import matches as matches_cmd

__all__ = ["match_artifacts_cmd", "matches_cmd"]
