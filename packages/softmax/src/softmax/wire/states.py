"""The states and kinds that servers name in their documents."""

from enum import StrEnum

__all__ = ["AssayAxisName", "AssayStatus", "SeasonStatus", "StageKind", "StageStatus", "TournamentType"]


class SeasonStatus(StrEnum):
    """Whether a season has begun and ended."""

    not_started = "not_started"
    in_progress = "in_progress"
    complete = "complete"


class TournamentType(StrEnum):
    """Whether policies play one by one or in teams."""

    freeplay = "freeplay"
    team = "team"


class StageKind(StrEnum):
    """The work of a stage of a team season."""

    policy_eval = "policy_eval"
    sample_teams = "sample_teams"
    team_eval = "team_eval"
    score_policies = "score_policies"


class StageStatus(StrEnum):
    """How far a stage of a team season is."""

    complete = "complete"
    active = "active"
    pending = "pending"


class AssayStatus(StrEnum):
    """How far an assay run is."""

    pending = "pending"
    completed = "completed"
    failed = "failed"


class AssayAxisName(StrEnum):
    """The properties that an assay scores."""

    stability = "stability"
    efficiency = "efficiency"
    control = "control"
