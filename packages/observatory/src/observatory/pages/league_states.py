"""Describe the current state of a league and its divisions in words. Pure functions."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from observatory.commissioners.programs import CONTAINER
from observatory.database.tables.leagues import Division, League
from observatory.pages.league_schemas import DivisionCard, DivisionState, LeagueState, RoundLine
from observatory.rounds.loop import LastCheck

__all__ = ["Situation", "division_state", "league_state"]

NOT_DUE = "The next round is not due yet"


@dataclass(frozen=True)
class Situation:
    """Facts about a league that are not in its row."""

    ladder_enabled: bool
    problem: str | None = None
    """why the last conversation with its commissioner failed"""
    conversation: str | None = None
    """the phase of a conversation with its commissioner that takes place now"""


def division_state(
    league: League, division: Division, active: RoundLine | None, check: LastCheck | None, situation: Situation
) -> tuple[DivisionState, str, datetime | None]:
    """Return the state of a division, the reason, and when its next round is due."""
    if active is not None:
        return DivisionState.PLAYING, _progress(active), None
    if league.disabled_at is not None:
        return DivisionState.CLOSED, "The league is closed", None
    if division.archived_at is not None:
        return DivisionState.CLOSED, "The division is archived", None
    if league.rounds_paused_at is not None:
        return DivisionState.PAUSED, "The owner of the league has paused rounds", None
    if league.commissioner_key == CONTAINER:
        return _commissioned(situation)
    if not situation.ladder_enabled:
        return DivisionState.OFF, "The owner of the league has not enabled rounds yet", None
    if check is None:
        return DivisionState.WAITING, "The server has not checked yet whether a round is due", None
    if check.failed:
        return DivisionState.FAILED, f"No round can begin: {check.why}", None
    return DivisionState.WAITING, "The next round is due" if check.why == NOT_DUE else check.why, check.until


def _commissioned(situation: Situation) -> tuple[DivisionState, str, datetime | None]:
    if situation.conversation == "scheduling":
        return DivisionState.WAITING, "The commissioner is deciding which rounds to play", None
    if situation.conversation is not None:
        return DivisionState.WAITING, f"The commissioner is busy with a {situation.conversation}", None
    if situation.problem is not None:
        return DivisionState.FAILED, f"The commissioner failed: {situation.problem}", None
    return DivisionState.WAITING, "The commissioner has not asked for a round", None


def _progress(active: RoundLine) -> str:
    if not active.episodes:
        return f"Round {active.number} is being played"
    return f"Round {active.number}: {active.ended} of {active.episodes} episodes have ended"


def league_state(league: League, cards: Sequence[DivisionCard]) -> LeagueState:
    """Return the state of a league: what it plays, else when and why it plays next."""
    playing = [card for card in cards if card.round is not None]
    if playing:
        rounds = [f"round {card.round.number} of {card.name}" for card in playing if card.round is not None]
        sentence = f"Playing {_listed(rounds)}"
        if league.rounds_paused_at is not None:
            sentence += "; no further round begins, because the owner has paused the league"
        return LeagueState(state=DivisionState.PLAYING, sentence=sentence, next_at=None)
    if not cards:
        return LeagueState(state=DivisionState.OFF, sentence="The league has no divisions yet", next_at=None)
    due = [card for card in cards if card.next_at is not None]
    if due:
        card = min(due, key=lambda card: (card.next_at, -card.level))
        sentence = f"{card.why} in {card.name}" if len(cards) > 1 else card.why
        return LeagueState(state=card.state, sentence=sentence, next_at=card.next_at)
    failed = next((card for card in cards if card.state is DivisionState.FAILED), None)
    competitions = [card for card in cards if card.type == "competition"]
    card = failed or (competitions or list(cards))[0]
    return LeagueState(state=card.state, sentence=card.why, next_at=None)


def _listed(texts: Sequence[str]) -> str:
    return texts[0] if len(texts) == 1 else f"{', '.join(texts[:-1])} and {texts[-1]}"
