"""Find the public replay of a match or a friendly match for frames on other sites."""

from __future__ import annotations

import re
import uuid
from dataclasses import dataclass
from html import escape
from urllib.parse import urlencode, urlsplit

from sqlalchemy.orm import Session

from observatory.database.tables.episodes import Episode
from observatory.database.tables.jobs import Job
from observatory.episodes import repository as episodes
from observatory.episodes.wire import EpisodeWire
from observatory.errors import NotFound
from observatory.friendlies import repository as friendlies
from observatory.live.rules import friendly_engine, season_engine
from observatory.matches import repository as matches
from observatory.pages.friendlies import friendly_card
from observatory.pages.match_cards import TableCard, match_card
from observatory.settings import Settings

__all__ = [
    "FRIENDLIES",
    "HEIGHT",
    "MIN_HEIGHT",
    "MIN_WIDTH",
    "WIDTH",
    "Embedded",
    "Place",
    "embedded",
    "iframe",
    "read_place",
    "replay_of",
    "viewer_place",
]

FRIENDLIES = "friendlies"
WIDTH, HEIGHT = 960, 600
MIN_WIDTH, MIN_HEIGHT = 200, 150
_PAGE = re.compile(r"/observatory/(?:embed/)?(?P<kind>matches|friendlies)/(?P<id>[0-9a-fA-F-]{36})/?")


@dataclass(frozen=True)
class Place:
    """A match, and a tick of it."""

    kind: str
    """`matches` or `friendlies`"""
    id: uuid.UUID
    tick: int | None = None

    @property
    def page(self) -> str:
        """Return the path of the page."""
        return f"/observatory/{self.kind}/{self.id}"

    @property
    def embed(self) -> str:
        """Return the path of the page for frames."""
        tick = "" if self.tick is None else f"?tick={self.tick}"
        return f"/observatory/embed/{self.kind}/{self.id}{tick}"

    @property
    def picture(self) -> str:
        return f"/observatory/api/{self.kind}/{self.id}/card.png"


@dataclass(frozen=True)
class Embedded:
    """The card of a match that everyone may see, the path of its replay, if there is one, and its engine."""

    card: TableCard
    replay: str | None
    engine: str


def embedded(session: Session, place: Place, wire: EpisodeWire) -> Embedded:
    """Return what a frame shows; `NotFound` for a match that is not public."""
    if place.kind == FRIENDLIES:
        friendly = friendlies.friendly(session, place.id, None)
        job = None if friendly.job_id is None else session.get(Job, friendly.job_id)
        engine = friendly_engine(session, friendly)
        replay = replay_of(session, None if job is None else job.episode_id, wire, engine)
        return Embedded(friendly_card(session, place.id), replay, engine)
    match = matches.match(session, place.id, None)
    episode_id = None if match.job is None else match.job.episode_id
    engine = season_engine(match.pool.season)
    return Embedded(match_card(session, place.id), replay_of(session, episode_id, wire, engine), engine)


def replay_of(session: Session, episode_id: uuid.UUID | None, wire: EpisodeWire, engine: str) -> str | None:
    """Return the path of the file with which the viewer shows a public episode."""
    if episode_id is None:
        return None
    try:
        episode: Episode = episodes.episode(session, episode_id, None)
    except NotFound:
        return None
    return wire.viewer_path(episode, engine)


def read_place(address: str, settings: Settings) -> Place:
    """Return the match that an address of this server names; `NotFound` for other addresses."""
    try:
        parts, base = urlsplit(address), urlsplit(settings.base_url())
    except ValueError:
        raise NotFound("This is not an address") from None
    page = _PAGE.fullmatch(parts.path.removeprefix(base.path.rstrip("/")))
    if parts.netloc.lower() != base.netloc.lower() or parts.scheme not in ("http", "https") or page is None:
        raise NotFound("This is not the address of a match on this server")
    tick = re.search(r"(?:^|&)tick=([0-9]{1,9})(?:&|$)", parts.query)
    try:
        return Place(page["kind"], uuid.UUID(page["id"]), None if tick is None else int(tick[1]))
    except ValueError:
        raise NotFound("This is not the address of a match on this server") from None


def iframe(place: Place, title: str, settings: Settings, *, width: int = WIDTH, height: int = HEIGHT) -> str:
    """Return the HTML with which another site shows a match."""
    return (
        f'<iframe src="{escape(settings.base_url() + place.embed)}" title="{escape(title)}" '
        f'width="{width}" height="{height}" loading="lazy" allow="fullscreen"></iframe>'
    )


def viewer_place(replay: str, place: Place) -> str:
    """Return the place at which the viewer opens, as it reads it from the page."""
    fields = {"replay": replay, "page": place.page}
    return urlencode(fields if place.tick is None else {**fields, "tick": str(place.tick)})
