"""Collect the feeds of seasons, leagues, policies and people from what everyone may see."""

from __future__ import annotations

import uuid
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal
from urllib.parse import quote

from sqlalchemy import select
from sqlalchemy.orm import Session

from observatory.cursors import CursorPage
from observatory.database.tables.leagues import CompetitionEvent
from observatory.database.tables.matches import Match, MatchPlayer
from observatory.database.tables.seasons import Pool, PoolPlayer, Season
from observatory.errors import NotFound
from observatory.leagues import entries
from observatory.leagues import repository as leagues
from observatory.leagues.entries import EventFilter
from observatory.pages import repository
from observatory.pages.feeds import FeedDocument, FeedItem
from observatory.pages.match_cards import card_of_line
from observatory.pages.matches import match_line
from observatory.pages.people import find_person, last_matches, person_key
from observatory.policies import repository as policies
from observatory.public_ids import parse_public_id, public_id
from observatory.seasons import repository as seasons
from observatory.seasons.repository import visible as visible_seasons

__all__ = ["Feeds", "Topic"]

Topic = Literal["seasons", "leagues", "policies", "people"]
MAX_ITEMS = 30


@dataclass(frozen=True)
class Feeds:
    """Makes feeds with the addresses of this server."""

    session: Session
    base_url: str

    def feed(self, topic: Topic, key: str) -> FeedDocument:
        """Return the feed of a season, league, policy version or person; `NotFound` if it is not public."""
        match topic:
            case "seasons":
                return self._season(key)
            case "leagues":
                return self._league(key)
            case "policies":
                return self._policy(key)
            case "people":
                return self._person(key)

    def _season(self, reference: str) -> FeedDocument:
        season = seasons.season(self.session, reference, None)
        items = self._matches(season_id=season.id)
        if season.completed_at is not None:
            url = f"{self.base_url}/observatory/seasons/{quote(reference, safe='')}"
            end = FeedItem(
                f"urn:uuid:{season.id}", f"{season.display_name} has ended", season.summary, url, season.completed_at
            )
            items = _newest([*items, end])
        path = f"seasons/{quote(reference, safe='')}"
        return FeedDocument(
            f"{self.base_url}/observatory/feeds/{path}",
            f"{self.base_url}/observatory/{path}",
            f"{season.display_name} in the Alignment League",
            season.summary or f"Results of {season.display_name}",
            season.created_at,
            items,
        )

    def _league(self, league_id: str) -> FeedDocument:
        league = leagues.league(self.session, parse_public_id("league", league_id), None)
        return FeedDocument(
            f"{self.base_url}/observatory/feeds/leagues/{league_id}",
            f"{self.base_url}/observatory/leagues/{league_id}",
            f"{league.name} in the Alignment League",
            f"Rounds, promotions and champions of {league.name}",
            league.created_at,
            self._events(EventFilter(league_id=league.id)),
        )

    def _policy(self, version_id: str) -> FeedDocument:
        try:
            version = policies.version(self.session, uuid.UUID(version_id))
        except ValueError:
            raise NotFound(f"There is no policy version {version_id}") from None
        matches = self._matches(version_id=version.id)
        items = _newest([*matches, *self._events(EventFilter(policy_version_id=version.id))])
        name = f"{version.policy.name} v{version.version}"
        return FeedDocument(
            f"{self.base_url}/observatory/feeds/policies/{version.id}",
            f"{self.base_url}/observatory/policies/{version.id}",
            f"{name} in the Alignment League",
            f"Matches and league news of {name} by {version.policy.user.shown_name}",
            version.created_at,
            items,
        )

    def _person(self, key: str) -> FeedDocument:
        user = find_person(self.session, key, None)
        matches = [self._match_item(match) for match in last_matches(self.session, user.id, None, MAX_ITEMS)]
        own = quote(person_key(self.session, user), safe="")
        return FeedDocument(
            f"{self.base_url}/observatory/feeds/people/{own}",
            f"{self.base_url}/observatory/people/{own}",
            f"{user.shown_name} in the Alignment League",
            f"Matches and league news of {user.shown_name}",
            user.created_at,
            _newest([*matches, *self._events(EventFilter(user_id=user.id))]),
        )

    def _matches(self, *, season_id: uuid.UUID | None = None, version_id: uuid.UUID | None = None) -> list[FeedItem]:
        """Return the matches of a season, or with a policy version, that ended last."""
        ended = (
            select(Match.id)
            .join(Pool, Match.pool_id == Pool.id)
            .join(Season, Pool.season_id == Season.id)
            .where(Match.completed_order.is_not(None), visible_seasons(None))
            .order_by(Match.completed_order.desc())
            .limit(MAX_ITEMS)
        )
        if season_id is not None:
            ended = ended.where(Season.id == season_id)
        if version_id is not None:
            seats = select(MatchPlayer.match_id).join(PoolPlayer, MatchPlayer.pool_player_id == PoolPlayer.id)
            ended = ended.where(Match.id.in_(seats.where(PoolPlayer.policy_version_id == version_id)))
        ids = self.session.scalars(ended).all()
        statement = repository.with_players().where(Match.id.in_(ids)).order_by(Match.completed_order.desc())
        return [self._match_item(match) for match in self.session.scalars(statement)]

    def _match_item(self, match: Match) -> FeedItem:
        card = card_of_line(match_line(match), match.pool.season.display_name)
        url = f"{self.base_url}/observatory/matches/{match.id}"
        assert match.completed_at is not None
        return FeedItem(f"urn:uuid:{match.id}", card.title, card.sentence, url, match.completed_at)

    def _events(self, filters: EventFilter) -> list[FeedItem]:
        page = CursorPage(b"", limit=MAX_ITEMS)
        rows = entries.events(self.session, filters, page, None).rows
        return [
            FeedItem(
                f"urn:uuid:{row.id}", row.headline, row.summary or row.headline, self._event_url(row), row.created_at
            )
            for row in rows
        ]

    def _event_url(self, event: CompetitionEvent) -> str:
        if event.round_id is not None:
            return f"{self.base_url}/observatory/rounds/{public_id('round', event.round_id)}"
        if event.league_id is not None:
            return f"{self.base_url}/observatory/leagues/{public_id('league', event.league_id)}"
        return f"{self.base_url}/observatory"


def _newest(items: Iterable[FeedItem]) -> list[FeedItem]:
    return sorted(items, key=lambda item: item.at, reverse=True)[:MAX_ITEMS]
