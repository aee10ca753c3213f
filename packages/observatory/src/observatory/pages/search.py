"""One search over seasons, leagues, divisions, policies, people, players, Coworlds, rounds, episodes and matches.

Names are compared without case, anywhere in the name; ids from their beginning. Two names of policies find the matches
between them: `alpha beta` or `alpha vs beta`. Everything found may be seen by the caller: each kind of row asks its own
repository. The number of queries is constant. Ids are found along primary keys,
so that their cost does not grow with the number of matches.
"""

from __future__ import annotations

import re
import uuid
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Literal
from urllib.parse import quote

from pydantic import BaseModel
from sqlalchemy import ColumnElement, Select, and_, case, func, or_, select
from sqlalchemy.orm import InstrumentedAttribute, Session, aliased

from observatory.accounts.principal import Principal
from observatory.coworlds import repository as coworlds
from observatory.database.tables.accounts import Player, User
from observatory.database.tables.coworlds import Coworld
from observatory.database.tables.leagues import Division, League, LeagueGame, Membership, Round
from observatory.database.tables.matches import Match
from observatory.database.tables.policies import Policy, PolicyVersion
from observatory.database.tables.requests import EpisodeRequest
from observatory.database.tables.seasons import Pool, Season
from observatory.experience import repository as episodes
from observatory.leagues.repository import visible_divisions, visible_leagues
from observatory.pages.match_pairs import matches_between
from observatory.pages.names import author_name
from observatory.pages.people import has_page, person_key
from observatory.public_ids import public_id
from observatory.seasons.repository import visible as visible_seasons

__all__ = ["SearchHit", "SearchPage", "search"]

Kind = Literal["season", "league", "division", "policy", "person", "player", "coworld", "round", "episode", "match"]
PER_KIND = 8
MAX_CHARACTERS = 100
MAX_BY_ID = 100
"""rows of a kind whose id begins as the query does, and that are considered"""
MIN_ID_DIGITS = 6
"""of the beginning of an id"""
_ID = re.compile(r"(?:(?P<prefix>[a-z]+)_)?(?P<digits>[0-9a-f]{8}(?:-[0-9a-f-]*)?|[0-9a-f]{6,32})")
_PREFIXES: dict[str, tuple[Kind, ...]] = {
    "ereq": ("episode",),
    "round": ("round",),
    "league": ("league",),
    "div": ("division",),
    "cow": ("coworld",),
    "": ("match", "episode", "policy"),
}


_Named = Select[uuid.UUID, str, str]
_Versions = Select[uuid.UUID, str, int, str | None]


class SearchHit(BaseModel):
    """A page that fits. `url` is its address."""

    kind: Kind
    title: str
    about: str
    """where it belongs"""
    url: str


class SearchPage(BaseModel):
    query: str
    hits: list[SearchHit]
    """best first, at most a few of each kind"""


@dataclass(frozen=True)
class _Term:
    """A search term, parsed."""

    text: str
    """lower case"""

    def fits(self, column: InstrumentedAttribute[str] | InstrumentedAttribute[str | None]) -> ColumnElement[bool]:
        return func.lower(column).like(f"%{self._escaped}%", escape="\\")

    def order(self, column: InstrumentedAttribute[str] | InstrumentedAttribute[str | None]) -> ColumnElement[int]:
        """Sort an equal name first, then names that begin so, then names with a word that begins so."""
        name = func.lower(column)
        return case(
            (name == self.text, 0),
            (name.like(f"{self._escaped}%", escape="\\"), 1),
            (name.like(f"% {self._escaped}%", escape="\\"), 2),
            else_=3,
        )

    @property
    def _escaped(self) -> str:
        return re.sub(r"([%_\\])", r"\\\1", self.text)

    def closeness(self, name: str) -> int:
        """Return the same order for a name that was read."""
        lowered = name.lower()
        if lowered == self.text:
            return 0
        return 1 if lowered.startswith(self.text) else 2 if f" {self.text}" in lowered else 3


def search(session: Session, query: str, principal: Principal | None) -> SearchPage:
    """Return the pages that fit a query and that the caller may see."""
    text = " ".join(query.split())[:MAX_CHARACTERS]
    term = _Term(text.lower())
    if not term.text:
        return SearchPage(query=text, hits=[])
    named: list[SearchHit] = []
    for find in (_seasons, _leagues, _people, _divisions, _policies, _players, _coworlds):
        named += find(session, term, principal)
    named.sort(key=lambda hit: term.closeness(hit.title))
    first_by_url: dict[str, SearchHit] = {}
    for hit in (*_by_id(session, term.text, principal), *named, *_pairs(session, text, principal)):
        first_by_url.setdefault(hit.url, hit)
    return SearchPage(query=text, hits=list(first_by_url.values()))


def _by_id(session: Session, text: str, principal: Principal | None) -> Iterator[SearchHit]:
    match = _ID.fullmatch(text)
    digits = "" if match is None else match["digits"].replace("-", "")
    if match is None or not MIN_ID_DIGITS <= len(digits) <= 32:
        return
    bounds = uuid.UUID(digits.ljust(32, "0")), uuid.UUID(digits.ljust(32, "f"))
    for kind in _PREFIXES.get(match["prefix"] or "", ()):
        yield from _IDS[kind](session, bounds, principal)


_Bounds = tuple[uuid.UUID, uuid.UUID]


def _within(column: InstrumentedAttribute[uuid.UUID], bounds: _Bounds) -> ColumnElement[bool]:
    """Select rows by the beginning of their id: along the primary key first, then by the conditions of the query."""
    row = aliased(column.class_)
    row_id = getattr(row, column.key)
    first = select(row_id).where(row_id >= bounds[0], row_id <= bounds[1]).order_by(row_id).limit(MAX_BY_ID)
    return column.in_(select(first.subquery()))


def _matches_by_id(session: Session, bounds: _Bounds, principal: Principal | None) -> Iterator[SearchHit]:
    statement = (
        select(Match.id, Season.display_name, Pool.name, Match.status)
        .join(Pool, Match.pool_id == Pool.id)
        .join(Season, Pool.season_id == Season.id)
        .where(_within(Match.id, bounds), visible_seasons(principal))
    )
    for row_id, season, pool, status in session.execute(statement.order_by(Match.id).limit(PER_KIND)):
        title, about = f"Match {str(row_id)[:8]}", f"Match · {season} · {pool} · {status.value}"
        yield SearchHit(kind="match", title=title, about=about, url=f"/observatory/matches/{row_id}")


def _episodes_by_id(session: Session, bounds: _Bounds, principal: Principal | None) -> Iterator[SearchHit]:
    statement = (
        select(EpisodeRequest.id, Coworld.name, EpisodeRequest.status)
        .join(Coworld, EpisodeRequest.coworld_id == Coworld.id)
        .where(_within(EpisodeRequest.id, bounds), episodes.visible(principal))
    )
    for row_id, name, status in session.execute(statement.order_by(EpisodeRequest.id).limit(PER_KIND)):
        title, about = f"Episode {str(row_id)[:8]}", f"Episode · {name} · {status.value}"
        yield SearchHit(
            kind="episode", title=title, about=about, url=f"/observatory/episodes/{public_id('ereq', row_id)}"
        )


def _policies_by_id(session: Session, bounds: _Bounds, principal: Principal | None) -> Iterator[SearchHit]:
    yield from _policy_hits(session, _versions().where(_within(PolicyVersion.id, bounds)).order_by(PolicyVersion.id))


def _rounds_by_id(session: Session, bounds: _Bounds, principal: Principal | None) -> Iterator[SearchHit]:
    statement = (
        select(Round.id, Round.round_number, Division.name, League.name)
        .join(Division, Round.division_id == Division.id)
        .join(League, Division.league_id == League.id)
        .where(_within(Round.id, bounds), visible_divisions(principal))
    )
    for row_id, number, division, league in session.execute(statement.order_by(Round.id).limit(PER_KIND)):
        url = f"/observatory/rounds/{public_id('round', row_id)}"
        yield SearchHit(kind="round", title=f"Round {number}", about=f"Round · {league} · {division}", url=url)


def _leagues_by_id(session: Session, bounds: _Bounds, principal: Principal | None) -> Iterator[SearchHit]:
    yield from _league_hits(session, _league_rows(principal).where(_within(League.id, bounds)))


def _divisions_by_id(session: Session, bounds: _Bounds, principal: Principal | None) -> Iterator[SearchHit]:
    yield from _division_hits(session, _division_rows(principal).where(_within(Division.id, bounds)))


def _coworlds_by_id(session: Session, bounds: _Bounds, principal: Principal | None) -> Iterator[SearchHit]:
    statement = select(Coworld.id, Coworld.name, Coworld.version)
    statement = statement.where(_within(Coworld.id, bounds), coworlds.visible(principal)).order_by(Coworld.id)
    for row_id, name, version in session.execute(statement.limit(PER_KIND)):
        url = f"/observatory/coworlds/{public_id('cow', row_id)}"
        yield SearchHit(kind="coworld", title=name, about=f"Coworld · version {version}", url=url)


_IDS: dict[Kind, Callable[[Session, _Bounds, Principal | None], Iterator[SearchHit]]] = {
    "match": _matches_by_id,
    "episode": _episodes_by_id,
    "policy": _policies_by_id,
    "round": _rounds_by_id,
    "league": _leagues_by_id,
    "division": _divisions_by_id,
    "coworld": _coworlds_by_id,
}


def _seasons(session: Session, term: _Term, principal: Principal | None) -> Iterator[SearchHit]:
    statement = (
        select(Season.name, Season.display_name, Season.tournament_type)
        .where(
            Season.canonical, visible_seasons(principal), or_(term.fits(Season.name), term.fits(Season.display_name))
        )
        .order_by(term.order(Season.display_name), Season.display_name)
    )
    for name, title, kind in session.execute(statement.limit(PER_KIND)):
        yield SearchHit(kind="season", title=title, about=f"Season · {kind.value}", url=f"/observatory/seasons/{name}")


def _leagues(session: Session, term: _Term, principal: Principal | None) -> Iterator[SearchHit]:
    statement = _league_rows(principal).where(or_(term.fits(League.name), term.fits(LeagueGame.coworld_name)))
    yield from _league_hits(session, statement.order_by(term.order(League.name), League.name))


def _league_rows(principal: Principal | None) -> _Named:
    statement = select(League.id, League.name, LeagueGame.coworld_name)
    return statement.join(LeagueGame, League.game_id == LeagueGame.id).where(visible_leagues(principal))


def _league_hits(session: Session, statement: _Named) -> Iterator[SearchHit]:
    for row_id, name, game in session.execute(statement.limit(PER_KIND)):
        url = f"/observatory/leagues/{public_id('league', row_id)}"
        yield SearchHit(kind="league", title=name, about=f"League · {game}", url=url)


def _divisions(session: Session, term: _Term, principal: Principal | None) -> Iterator[SearchHit]:
    statement = _division_rows(principal).where(term.fits(Division.name))
    yield from _division_hits(session, statement.order_by(term.order(Division.name), Division.name))


def _division_rows(principal: Principal | None) -> _Named:
    statement = select(Division.id, Division.name, League.name).join(League, Division.league_id == League.id)
    return statement.where(visible_divisions(principal), Division.archived_at.is_(None))


def _division_hits(session: Session, statement: _Named) -> Iterator[SearchHit]:
    for row_id, name, league in session.execute(statement.limit(PER_KIND)):
        url = f"/observatory/divisions/{public_id('div', row_id)}"
        yield SearchHit(kind="division", title=name, about=f"Division · {league}", url=url)


def _policies(session: Session, term: _Term, principal: Principal | None) -> Iterator[SearchHit]:
    """Yield the newest version of each policy whose name or author fits."""
    newest = (
        select(PolicyVersion.policy_id, func.max(PolicyVersion.version).label("version"))
        .group_by(PolicyVersion.policy_id)
        .subquery()
    )
    statement = (
        _versions()
        .join(newest, and_(newest.c.policy_id == Policy.id, newest.c.version == PolicyVersion.version))
        .where(or_(term.fits(Policy.name), term.fits(User.name)))
        .order_by(term.order(Policy.name), Policy.name)
    )
    yield from _policy_hits(session, statement)


def _versions() -> _Versions:
    statement = select(PolicyVersion.id, Policy.name, PolicyVersion.version, User.name)
    return statement.join(Policy, PolicyVersion.policy_id == Policy.id).join(User, Policy.user_id == User.id)


def _policy_hits(session: Session, statement: _Versions) -> Iterator[SearchHit]:
    for row_id, name, version, author in session.execute(statement.limit(PER_KIND)):
        about = f"Policy v{version} · {author_name(author)}"
        yield SearchHit(kind="policy", title=name, about=about, url=f"/observatory/policies/{row_id}")


def _people(session: Session, term: _Term, principal: Principal | None) -> Iterator[SearchHit]:
    """Yield people with a page that the caller may see."""
    statement = select(User).where(term.fits(User.name), has_page(principal))
    for user in session.scalars(statement.order_by(term.order(User.name), User.name, User.id).limit(PER_KIND)):
        number = session.scalar(select(func.count()).where(Policy.user_id == user.id)) or 0
        about = f"Person · {number} {'policy' if number == 1 else 'policies'}"
        url = f"/observatory/people/{quote(person_key(session, user), safe='')}"
        yield SearchHit(kind="person", title=author_name(user.name), about=about, url=url)


def _pairs(session: Session, text: str, principal: Principal | None) -> Iterator[SearchHit]:
    """Yield the last matches between two policies whose names the query has."""
    for found in matches_between(session, text, principal, PER_KIND):
        about = f"Match · {found.season} · {found.status}"
        yield SearchHit(kind="match", title=found.title, about=about, url=f"/observatory/matches/{found.id}")


def _players(session: Session, term: _Term, principal: Principal | None) -> Iterator[SearchHit]:
    """Yield players in leagues that the caller may see, and the caller's own."""
    plays = select(Membership.id).join(League, Membership.league_id == League.id)
    plays = plays.where(Membership.player_id == Player.id, visible_leagues(principal))
    is_shown: ColumnElement[bool] = plays.exists()
    if principal is not None:
        is_shown = or_(is_shown, Player.user_id == principal.user_id)
    statement = (
        select(Player.id, Player.name, User.name)
        .join(User, Player.user_id == User.id)
        .where(term.fits(Player.name), Player.disabled_at.is_(None), is_shown)
        .order_by(term.order(Player.name), Player.name)
    )
    for row_id, name, owner in session.execute(statement.limit(PER_KIND)):
        about = f"Player · {author_name(owner)}"
        yield SearchHit(kind="player", title=name, about=about, url=f"/observatory/players/{row_id}")


def _coworlds(session: Session, term: _Term, principal: Principal | None) -> Iterator[SearchHit]:
    """Yield each name once: its canonical version, else its newest."""
    order = (term.order(Coworld.name), Coworld.name, Coworld.canonical.desc(), Coworld.created_at.desc())
    statement = select(Coworld.name, Coworld.version).where(term.fits(Coworld.name), coworlds.visible(principal))
    seen: set[str] = set()
    for name, version in session.execute(statement.order_by(*order).limit(PER_KIND * 10)):
        if name not in seen and len(seen) < PER_KIND:
            seen.add(name)
            yield SearchHit(
                kind="coworld", title=name, about=f"Coworld · version {version}", url=f"/observatory/coworlds/{name}"
            )
