"""HTTP endpoints of the pages that seasons and leagues share: front page, profile, search, episodes, Coworlds."""

from __future__ import annotations

import uuid
from typing import Annotated

from fastapi import Path, Query
from fastapi.responses import Response

from observatory.clock import ClockDep
from observatory.database import SessionDep
from observatory.errors import NotFound, Unauthorized, errors
from observatory.events import ChangeKind
from observatory.http.cached import cached
from observatory.http.callers import CurrentPrincipal, OptionalPrincipal
from observatory.http.deps import KeysDep, SettingsDep, StoreDep
from observatory.http.routing import Router
from observatory.pages import catalogue, episode_page, front, reports
from observatory.pages.coworld_schemas import CoworldCard, CoworldPage
from observatory.pages.episode_schemas import EpisodeFrames, EpisodePage
from observatory.pages.frame_links import FrameLinks
from observatory.pages.front_schemas import FrontPage, PolicyLeagues, Profile
from observatory.pages.league_endpoints import LoopDep
from observatory.pages.people import person_page
from observatory.pages.people_schemas import PersonPage
from observatory.pages.search import SearchPage, search

__all__ = ["router"]

router = Router(prefix="/observatory/api", tags=["pages"])

_SEASONS = (ChangeKind.SEASON, ChangeKind.STAGE, ChangeKind.MEMBERSHIP, ChangeKind.MATCH, ChangeKind.TABLE)
_LEAGUES = (
    ChangeKind.ACCOUNT,
    ChangeKind.COWORLD,
    ChangeKind.LEAGUE,
    ChangeKind.LEAGUE_ENTRY,
    ChangeKind.POLICY,
    ChangeKind.ROUND,
)
_EPISODES = (*_LEAGUES, ChangeKind.REQUEST, ChangeKind.EPISODE, ChangeKind.QUEUE)

EpisodeId = Annotated[str, Path(max_length=100, description="`ereq_...`")]
PersonKey = Annotated[str, Path(max_length=255, description="a name that one person has, or the id of a user")]
CoworldReference = Annotated[str, Path(max_length=200, description="a name, or `cow_...`")]


@router.get("/front", responses=errors(Unauthorized))
@cached(*_SEASONS, *_LEAGUES, ChangeKind.DIVISION, ChangeKind.ROUND_EPISODE, per_viewer=True)
def read_front(session: SessionDep, principal: OptionalPrincipal, loop: LoopDep) -> FrontPage:
    """Return seasons and leagues that the caller may see, and the caller's own entries."""
    return front.front_page(session, principal, loop)


@router.get("/profile", responses=errors(Unauthorized))
@cached(*_EPISODES, *_SEASONS, ChangeKind.HOSTED, per_viewer=True)
def read_profile(session: SessionDep, principal: CurrentPrincipal, clock: ClockDep) -> Profile:
    """Return the caller's entries, submissions, requests, episodes, players and tokens."""
    return front.profile(session, principal, now=clock())


@router.get("/policies/{policy_version_id}/leagues", responses=errors(Unauthorized, NotFound))
@cached(*_EPISODES, per_viewer=True)
def read_policy_leagues(
    policy_version_id: uuid.UUID, session: SessionDep, principal: OptionalPrincipal
) -> PolicyLeagues:
    """Return the leagues and the last episodes of a policy version."""
    return front.policy_leagues(session, policy_version_id, principal)


@router.get("/people/{person}", responses=errors(Unauthorized, NotFound))
@cached(*_SEASONS, *_LEAGUES, per_viewer=True)
def read_person(person: PersonKey, session: SessionDep, principal: OptionalPrincipal) -> PersonPage:
    """Return a person: policies, seasons, leagues, best results and last matches."""
    return person_page(session, person, principal)


@router.get("/search", responses=errors(Unauthorized))
def read_search(
    session: SessionDep, principal: OptionalPrincipal, q: Annotated[str, Query(max_length=200)] = ""
) -> SearchPage:
    """Return pages that fit a name, two names of policies or the beginning of an id, and that the caller may see."""
    return search(session, q, principal)


@router.get("/episodes/{episode}", responses=errors(Unauthorized, NotFound))
@cached(*_EPISODES, per_viewer=True)
def read_episode(episode: EpisodeId, session: SessionDep, principal: OptionalPrincipal, store: StoreDep) -> EpisodePage:
    """Return an episode of a Coworld: its seats, its files and what roles of the game wrote about it."""
    return episode_page.episode_page(session, episode, principal, store)


@router.get("/episodes/{episode}/frames", responses=errors(Unauthorized, NotFound))
def read_frames(
    episode: EpisodeId,
    session: SessionDep,
    principal: OptionalPrincipal,
    store: StoreDep,
    settings: SettingsDep,
    keys: KeysDep,
    response: Response,
) -> EpisodeFrames:
    """Return addresses of the episode's replay and reports for frames. They need no credentials and expire."""
    response.headers["Cache-Control"] = "no-store"
    return reports.frames(session, episode, principal, FrameLinks(keys, settings), store)


@router.get(
    "/episodes/{episode}/outputs/{output_id}",
    responses={200: {"content": {"text/plain": {}}}, **errors(Unauthorized, NotFound)},
    response_class=Response,
)
def read_output(
    episode: EpisodeId, output_id: uuid.UUID, session: SessionDep, principal: OptionalPrincipal, store: StoreDep
) -> Response:
    """Return what a role wrote, as plain text."""
    return reports.output(session, episode, output_id, principal, store)


@router.get("/coworlds", responses=errors(Unauthorized))
@cached(*_LEAGUES, per_viewer=True)
def list_coworlds(session: SessionDep, principal: OptionalPrincipal) -> list[CoworldCard]:
    """Return the games that the caller may see, each name once."""
    return catalogue.coworld_cards(session, principal)


@router.get("/coworlds/{coworld}", responses=errors(Unauthorized, NotFound))
@cached(*_EPISODES, per_viewer=True)
def read_coworld(
    coworld: CoworldReference, session: SessionDep, principal: OptionalPrincipal, settings: SettingsDep
) -> CoworldPage:
    """Return a version of a game: by `cow_...`, or the canonical version of a name, else its newest."""
    return catalogue.coworld_page(session, coworld, principal, settings)
