"""The lines of a division: above which rating players move up, below which they move down, and what qualifies."""

from __future__ import annotations

from collections.abc import Sequence

from observatory.database.tables.leagues import Division, DivisionType
from observatory.leagues.ladder_settings import LadderDivision, Score, SettingsDocument
from observatory.pages.league_schemas import DivisionLines
from observatory.pages.round_lines import division_ref
from observatory.public_ids import public_id
from observatory.rounds.reading import PLATFORM

__all__ = ["lines_of", "zone"]


def lines_of(division: Division, siblings: Sequence[Division]) -> DivisionLines:
    """Return the lines of a division of a platform league; a commissioner has its own rules, which it describes."""
    league = division.league
    settings = SettingsDocument.model_validate(league.settings)
    if league.commissioner_key != PLATFORM or not settings.ladder.enabled:
        return _lines([])
    open_competitions = [
        other for other in siblings if other.type is DivisionType.COMPETITION and other.archived_at is None
    ]
    if division.type is DivisionType.STAGING:
        return _staging(settings, open_competitions)
    ladder = settings.ladder
    own = public_id("div", division.id)
    rules = next((rule for rule in ladder.divisions if rule.division_id == own), LadderDivision(division_id=own))
    by_standing = isinstance(ladder.ranking, Score)
    highest = rules.maximum_standing if by_standing else rules.maximum_rating
    lowest = rules.minimum_standing if by_standing else rules.minimum_rating
    above = min((other for other in open_competitions if other.level > division.level), key=_level, default=None)
    below = max((other for other in open_competitions if other.level < division.level), key=_level, default=None)
    limit = rules.disqualify_after_consecutive_failures
    sentences = []
    if above is not None and highest is not None:
        sentences.append(f"Players above {highest:g} move up to {above.name} after a round")
    if below is not None and lowest is not None:
        sentences.append(f"Players below {lowest:g} move down to {below.name} after a round")
    if limit is not None:
        sentences.append(f"A policy that is at fault in {limit} rounds in a row is disqualified")
    return DivisionLines(
        promote_above=highest if above is not None else None,
        promote_to=None if above is None or highest is None else division_ref(above),
        relegate_below=lowest if below is not None else None,
        relegate_to=None if below is None or lowest is None else division_ref(below),
        disqualify_after=limit,
        gate=None,
        gate_to=None,
        sentences=sentences,
    )


def _staging(settings: SettingsDocument, competitions: Sequence[Division]) -> DivisionLines:
    qualification = settings.ladder.qualification
    gate = None if qualification is None else qualification.gate.get("minimum_score")
    score = float(gate) if isinstance(gate, int | float) and not isinstance(gate, bool) else None
    target = min(competitions, key=_level, default=None)
    needs = "play an episode against itself to its end" + ("" if score is None else f" and score at least {score:g}")
    where = "" if target is None else f" to start in {target.name}"
    return _lines([f"A new member has to {needs}{where}"], gate=score, target=target)


def _lines(sentences: list[str], *, gate: float | None = None, target: Division | None = None) -> DivisionLines:
    return DivisionLines(
        promote_above=None,
        promote_to=None,
        relegate_below=None,
        relegate_to=None,
        disqualify_after=None,
        gate=gate,
        gate_to=None if target is None else division_ref(target),
        sentences=sentences,
    )


def _level(division: Division) -> int:
    return division.level


def zone(score: float | None, lines: DivisionLines) -> str | None:
    """Return whether a score is beyond one of the lines."""
    if score is None:
        return None
    if lines.promote_above is not None and score > lines.promote_above:
        return "promotion"
    if lines.relegate_below is not None and score < lines.relegate_below:
        return "relegation"
    return None
