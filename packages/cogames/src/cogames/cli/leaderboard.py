"""Compatibility names for `cogames leaderboard` and `cogames submissions`, and for `NAME:VERSION` references."""

from cogames.commands.leaderboard import leaderboard as leaderboard_cmd
from cogames.commands.submissions import submissions as submissions_cmd

__all__ = ["leaderboard_cmd", "parse_policy_identifier", "parse_season_ref", "submissions_cmd"]


def parse_policy_identifier(identifier: str) -> tuple[str, int | None]:
    """Split `NAME`, `NAME:v3` or `NAME:3`; raise `ValueError` for anything else after the colon."""
    name, version = parse_season_ref(identifier)
    if version is None and ":" in identifier:
        raise ValueError(f"Invalid version format: {identifier}; write NAME, NAME:v3 or NAME:3")
    return name, version


def parse_season_ref(season_ref: str) -> tuple[str, int | None]:
    """Split `NAME`, `NAME:v3` or `NAME:3`; text after the colon that is not a version belongs to the name."""
    name, colon, version = season_ref.rpartition(":")
    digits = version.removeprefix("v")
    if colon and digits.isascii() and digits.isdigit():
        return name, int(digits)
    return season_ref, None
