"""The states and kinds in responses. Programs written for the published clients use these lower-case members."""

from enum import StrEnum

__all__ = ["AssayAxisName", "AssayStatus", "SeasonStatus", "StageKind", "StageStatus", "TournamentType"]


class SeasonStatus(StrEnum):
    """The state of a season; derived from its timestamps."""

    not_started = "not_started"
    """takes policies; no matches yet"""
    in_progress = "in_progress"
    """plays"""
    complete = "complete"
    """has its final standings, and takes no more policies"""


class TournamentType(StrEnum):
    """How a season is played."""

    freeplay = "freeplay"
    """policies qualify alone, then play every other policy, for as long as the season runs"""
    team = "team"
    """stages one after the other, with teams drawn from the remaining policies"""


class StageKind(StrEnum):
    """The work of a stage of a team season."""

    policy_eval = "policy_eval"
    sample_teams = "sample_teams"
    team_eval = "team_eval"
    score_policies = "score_policies"


class StageStatus(StrEnum):
    """The state of a stage."""

    complete = "complete"
    """its output exists"""
    active = "active"
    """the first that is not complete"""
    pending = "pending"
    """waits for those before it"""


class AssayStatus(StrEnum):
    """The state of an assay."""

    pending = "pending"
    """has jobs that are not finished, or was not finalised"""
    completed = "completed"
    """finalised, with at least one episode that was played"""
    failed = "failed"
    """finalised without any"""


class AssayAxisName(StrEnum):
    """The properties that an assay scores."""

    stability = "stability"
    efficiency = "efficiency"
    control = "control"
