"""The metadata of each page. Sites that show links are anonymous, so it contains what everyone may see."""

from __future__ import annotations

import uuid
from collections.abc import Sequence
from urllib.parse import quote

from sqlalchemy.orm import Session

from observatory.errors import ObservatoryError
from observatory.leagues import repository as leagues
from observatory.pages.friendlies import friendly_card
from observatory.pages.heads import Feed, Head
from observatory.pages.match_cards import match_card, season_preview
from observatory.pages.people import find_person, person_key
from observatory.public_ids import parse_public_id
from observatory.settings import Settings

__all__ = ["default_head", "head_of"]


def default_head(settings: Settings) -> Head:
    """Return the metadata of a page without its own."""
    return Head("Alignment League", "Watch policies play", settings)


def head_of(words: Sequence[str], session: Session, settings: Settings) -> Head:
    """Return the metadata of the page with these path segments."""
    try:
        match list(words):
            case ["matches", item]:
                return _match(session, uuid.UUID(item), settings)
            case ["friendlies", item]:
                return _friendly(session, uuid.UUID(item), settings)
            case ["seasons", item, *_]:
                return _season(session, item, settings)
            case ["leagues", item, *_]:
                return _league(session, item, settings)
            case ["people", item]:
                return _person(session, item, settings)
    except (ObservatoryError, ValueError):
        pass  # not there, or not public: the page itself reports it to its visitor
    return default_head(settings)


def _match(session: Session, match_id: uuid.UUID, settings: Settings) -> Head:
    card = match_card(session, match_id)
    return Head(
        card.title,
        card.sentence,
        settings,
        picture=f"/observatory/api/matches/{match_id}/card.png",
        path=f"/observatory/matches/{match_id}",
        has_embed=True,
    )


def _friendly(session: Session, friendly_id: uuid.UUID, settings: Settings) -> Head:
    card = friendly_card(session, friendly_id)
    return Head(
        card.title,
        card.sentence,
        settings,
        picture=f"/observatory/api/friendlies/{friendly_id}/card.png",
        path=f"/observatory/friendlies/{friendly_id}",
        has_embed=True,
    )


def _season(session: Session, reference: str, settings: Settings) -> Head:
    card = season_preview(session, reference)
    name = quote(reference, safe="")
    return Head(
        card.title,
        card.sentence,
        settings,
        picture=f"/observatory/api/seasons/{name}/card.png",
        path=f"/observatory/seasons/{name}",
        feed=Feed(f"/observatory/feeds/seasons/{name}", f"Results of {card.title}"),
    )


def _league(session: Session, public_id: str, settings: Settings) -> Head:
    league = leagues.league(session, parse_public_id("league", public_id), None)
    feed = Feed(f"/observatory/feeds/leagues/{public_id}", f"News of {league.name}")
    path = f"/observatory/leagues/{public_id}"
    return Head(league.name, f"A league of {league.game.name}", settings, path=path, feed=feed)


def _person(session: Session, key: str, settings: Settings) -> Head:
    user = find_person(session, key, None)
    own = quote(person_key(session, user), safe="")
    feed = Feed(f"/observatory/feeds/people/{own}", f"Results of {user.shown_name}")
    sentence = f"Policies and results of {user.shown_name}"
    return Head(user.shown_name, sentence, settings, path=f"/observatory/people/{own}", feed=feed)
