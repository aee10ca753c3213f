"""Say in words how the platform ladder plays a division."""

from __future__ import annotations

from typing import Any

from observatory.database.tables.leagues import Division, DivisionType
from observatory.leagues.ladder_settings import (
    BalancedRotation,
    CloneFill,
    Elo,
    Ladder,
    LadderDivision,
    OpenSkill,
    RandomFill,
    RoundRobin,
    ScalingRoster,
    Scheduler,
    Score,
    SettingsDocument,
    SwissNeighbor,
    TeamN,
    TeamPair,
    VariableSeat,
)
from observatory.public_ids import public_id

__all__ = ["describe", "structure"]


def describe(division: Division) -> dict[str, Any] | None:
    """Return the description of a division: what its commissioner wrote, else that of the ladder."""
    league = division.league
    if division.commissioner_description is not None or league.commissioner_key != "platform":
        return division.commissioner_description
    settings = SettingsDocument.model_validate(league.settings)
    if not settings.ladder.enabled:
        return None
    if division.type is DivisionType.STAGING:
        return _staging(settings.ladder)
    return {
        "round_schedule": _schedule(settings),
        "round_structure": structure(settings.ladder.scheduler),
        "leaderboard_rules": _leaderboard(settings.ladder),
        "scoring_mechanics": _moves(settings.ladder, public_id("div", division.id)),
    }


def _staging(ladder: Ladder) -> dict[str, Any]:
    gate = {} if ladder.qualification is None else ladder.qualification.gate
    lowest = gate.get("minimum_score")
    needs = f" and score at least {lowest:g}" if isinstance(lowest, int | float) else ""
    return {
        "round_schedule": "A qualification begins as soon as a member has to qualify",
        "round_structure": "Each new member plays one episode against itself",
        "scoring_mechanics": f"Members that play to the end{needs} start in the lowest competition; others are out",
    }


def structure(scheduler: Scheduler) -> str:
    """Say in words which entrants meet in a round."""
    match scheduler:
        case SwissNeighbor():
            return f"Neighbours in the table meet; {_at_least(scheduler.min_episodes_per_entrant)}"
        case RoundRobin():
            return f"Every entrant meets every other; {_at_least(scheduler.min_episodes_per_entrant)}"
        case BalancedRotation():
            return f"Entrants that have met least meet; {_either(scheduler)}"
        case RandomFill():
            return f"Entrants are drawn at random, those with the fewest episodes first; {_either(scheduler)}"
        case TeamPair():
            least = _at_least(scheduler.min_episodes_per_entrant)
            return f"Two entrants meet as teams of clones and play both sides on the same seed; {least}"
        case TeamN():
            of = "different entrants" if scheduler.distinct_teammates else "clones"
            return f"{scheduler.team_count} teams of {of} meet in {_episodes(scheduler.num_episodes)}"
        case VariableSeat():
            seats = f"{scheduler.seat_count_min} to {scheduler.seat_count_max}"
            least = _at_least(scheduler.min_episodes_per_entrant)
            return f"{seats} entrants meet, a number drawn for each episode; {least}"
        case ScalingRoster():
            return f"As many entrants meet as the largest table seats, in {_episodes(scheduler.episodes_per_round)}"
        case CloneFill():
            return f"Each entrant plays alone, in all seats, {_episodes(scheduler.episodes_per_entrant)}"


def _at_least(number: int) -> str:
    return f"each has at least {_episodes(number)}"


def _either(scheduler: BalancedRotation | RandomFill) -> str:
    if scheduler.num_episodes is not None:
        return f"{_episodes(scheduler.num_episodes)} in all"
    return _at_least(scheduler.min_episodes_per_entrant or 1)


def _episodes(number: int) -> str:
    return "1 episode" if number == 1 else f"{number} episodes"


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
    return ". ".join(sentences) or "Players stay in this division"
