"""Draw the preview cards of matches and seasons from public facts."""

from __future__ import annotations

import uuid
from collections.abc import Sequence
from dataclasses import dataclass

from sqlalchemy.orm import Session

from observatory.matches import repository as matches
from observatory.pages.card_style import (
    GOLD,
    HEIGHT,
    INK,
    LEFT,
    LINE,
    QUIET,
    RIGHT,
    WIDTH,
    background,
    rounded,
    shortened,
)
from observatory.pages.drawing import Line, Shape, Text, as_png, as_svg, fitting, visible
from observatory.pages.matches import match_line
from observatory.pages.schemas import MatchLine
from observatory.pages.seasons import season_card
from observatory.seasons import repository as seasons

__all__ = ["CardRow", "TableCard", "match_card", "season_preview"]

MAX_ROWS = 4
_STATUS = {
    "waiting": "Waits for a worker",
    "running": "Is being played",
    "failed": "The match failed",
    "cancelled": "The match was cancelled",
}


@dataclass(frozen=True)
class CardRow:
    """A line of a card: a policy and its score."""

    name: str
    score: float | None
    is_best: bool = False


@dataclass(frozen=True)
class TableCard:
    """A title, a place, and some policies with their scores."""

    title: str
    place: str
    """where it belongs, at the top right"""
    rows: Sequence[CardRow]
    note: str
    """a line below the title"""
    sentence: str

    def svg(self) -> str:
        return as_svg(self._shapes(), width=WIDTH, height=HEIGHT, title=f"{self.title}. {self.sentence}")

    def png(self) -> bytes:
        return as_png(self._shapes(), width=WIDTH, height=HEIGHT)

    def _shapes(self) -> list[Shape]:
        title, size = fitting(visible(self.title), width=RIGHT - LEFT, largest=72, smallest=36)
        shapes: list[Shape] = [
            *background(),
            Text(RIGHT, 104, shortened(visible(self.place), 36), 30, QUIET, "end"),
            Text(LEFT, 208, title, size, INK),
            Text(LEFT, 260, shortened(visible(self.note), 64), 30, QUIET),
        ]
        for number, row in enumerate(self.rows[:MAX_ROWS]):
            y = 350 + 70 * number
            name, text_size = fitting(visible(row.name), width=RIGHT - LEFT - 300, largest=44, smallest=26)
            colour = GOLD if row.is_best else INK
            shapes += [
                Line([(LEFT, y - 50), (RIGHT, y - 50)], LINE, 2),
                Text(LEFT, y, name, text_size, colour),
                Text(RIGHT, y, "–" if row.score is None else rounded(row.score), 44, colour, "end"),
            ]
        return shapes


def match_card(session: Session, match_id: uuid.UUID) -> TableCard:
    """Return the card of a match; raise `NotFound` when it does not exist or its season is not public."""
    match = matches.match(session, match_id, None)
    return card_of_line(match_line(match), match.pool.season.display_name)


def card_of_line(line: MatchLine, place: str) -> TableCard:
    """Return the card of a match, whose season or occasion is `place`."""
    scores = [player.score for player in line.players if player.score is not None]
    best = max(scores, default=None)
    has_winner = best is not None and scores.count(best) < len(scores)
    names = [f"{player.policy.name} v{player.policy.version}" for player in line.players]
    rows = [
        CardRow(name, player.score, has_winner and player.score == best)
        for name, player in zip(names, line.players, strict=True)
    ]
    if line.status == "completed":
        results = ", ".join(f"{row.name} {rounded(row.score)}" for row in rows if row.score is not None)
        sentence = f"{results} in {place}"
        note = f"Played {line.completed_at:%d %B %Y}" if line.completed_at is not None else ""
    else:
        note = _STATUS.get(line.status, line.status)
        sentence = f"{note} in {place}"
    return TableCard(visible(" – ".join(names)), place, rows, note, visible(sentence))


def season_preview(session: Session, reference: str) -> TableCard:
    """Return the card of a season; raise `NotFound` when it does not exist or is not public."""
    card = season_card(session, seasons.season(session, reference, None))
    rows = [
        CardRow(f"{number}. {row.policy.name} v{row.policy.version}", row.score, number == 1)
        for number, row in enumerate(card.top, 1)
    ]
    state = "Final table" if card.completed_at is not None else "Playing now" if card.started_at else "Not started yet"
    note = f"{_counted(card.entrants, 'policy', 'policies')}, {_counted(card.matches, 'match', 'matches')}"
    leader = card.leader
    sentence = card.summary
    if leader is not None:
        first = f"{leader.policy.name} v{leader.policy.version} by {leader.policy.author}"
        sentence = f"{first} leads {note} with {rounded(leader.score)}"
        if card.completed_at is not None:
            sentence = f"{first} won with {rounded(leader.score)}: {note}"
    return TableCard(visible(card.display_name), state, rows, note, visible(sentence))


def _counted(number: int, one: str, many: str) -> str:
    return f"{number} {one if number == 1 else many}"
