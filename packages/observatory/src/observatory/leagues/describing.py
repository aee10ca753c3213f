"""Say in words how the platform ladder plays a division."""

from __future__ import annotations

from typing import Any

from observatory.database.tables.leagues import Division
from observatory.leagues.ladder_settings import Elo, Ladder, LadderDivision, OpenSkill, Score, SettingsDocument
from observatory.public_ids import public_id

__all__ = ["describe"]


def describe(division: Division) -> dict[str, Any] | None:
    """Return the description of a division: what its commissioner wrote, else that of the ladder."""
    league = division.league
    if division.commissioner_description is not None or league.commissioner_key != "platform":
        return division.commissioner_description
    settings = SettingsDocument.model_validate(league.settings)
    if not settings.ladder.enabled:
        return None
    return {
        "round_schedule": _schedule(settings),
        "round_structure": f"Seats are drawn by `{settings.ladder.scheduler.strategy}`",
        "leaderboard_rules": _leaderboard(settings.ladder),
        "scoring_mechanics": _moves(settings.ladder, public_id("div", division.id)),
    }


def _schedule(settings: SettingsDocument) -> str:
    ladder = settings.ladder
    if ladder.continuous is not None and ladder.continuous.enabled:
        return "Each new champion is graded alone, at once"
    if ladder.round_trigger == "new_policy":
        return "A round begins when a champion is new"
    minutes = settings.round_interval_minutes
    if minutes is None:
        return "A round begins when the last one has ended"
    return f"A round begins every {minutes} minutes" if minutes > 1 else "A round begins every minute"


def _leaderboard(ladder: Ladder) -> str:
    match ladder.ranking:
        case Elo():
            return f"Elo, from {ladder.ranking.initial_rating:g}, with K = {ladder.ranking.k_factor:g}"
        case OpenSkill():
            return "OpenSkill: the strength less three times its uncertainty"
        case Score():
            return f"Round scores: {ladder.ranking.standing_aggregation}"


def _moves(ladder: Ladder, division_id: str) -> str:
    rules = next((rule for rule in ladder.divisions if rule.division_id == division_id), None)
    rules = rules or LadderDivision(division_id=division_id)
    highest = rules.maximum_standing if isinstance(ladder.ranking, Score) else rules.maximum_rating
    lowest = rules.minimum_standing if isinstance(ladder.ranking, Score) else rules.minimum_rating
    limit = rules.disqualify_after_consecutive_failures
    sentences = [
        *([] if highest is None else [f"Players above {highest:g} move up"]),
        *([] if lowest is None else [f"Players below {lowest:g} move down"]),
        *([] if limit is None else [f"A policy that fails in {limit} rounds in a row is disqualified"]),
    ]
    return "; ".join(sentences) or "Players stay in this division"
