"""Episodes over HTTP."""

from __future__ import annotations

import uuid
from typing import Annotated

from fastapi import Query, Response
from fastapi.responses import RedirectResponse

from observatory.database import SessionDep
from observatory.episodes import repository
from observatory.episodes.repository import EpisodeFilter
from observatory.episodes.schemas import EpisodeQuery
from observatory.episodes.wire import REPLAY_FILE, SCENES_FILE, EpisodeWire, scenes_key
from observatory.errors import BadRequest, NotFound, Unauthorized, errors
from observatory.http.bodies import KILOBYTE
from observatory.http.callers import CurrentPrincipal, OptionalPrincipal
from observatory.http.deps import SettingsDep, StoreDep
from observatory.http.routing import Router, body_rule
from observatory.paging import Page, PageDep, set_total
from softmax.wire import EpisodeQueryResponse, EpisodeResponse

__all__ = ["router"]

router = Router(tags=["episodes"])


@router.get("/episodes", responses=errors(BadRequest, Unauthorized))
def list_episodes(
    session: SessionDep,
    principal: OptionalPrincipal,
    page: PageDep,
    response: Response,
    store: StoreDep,
    settings: SettingsDep,
    policy_version_id: uuid.UUID | None = None,
    tags: Annotated[str | None, Query(max_length=2000, description="`key:value,key:value`")] = None,
) -> list[EpisodeResponse]:
    """Return episodes, newest first."""
    filters = EpisodeFilter(policy_version_id=policy_version_id, tags=_parse_tags(tags))
    rows, total = repository.episodes(session, principal, filters, page)
    set_total(response, total)
    wire = EpisodeWire(store, settings)
    return [wire.response(episode) for episode in rows]


@router.get("/episodes/{episode_id}", responses=errors(Unauthorized, NotFound))
def read_episode(
    episode_id: uuid.UUID, session: SessionDep, principal: OptionalPrincipal, store: StoreDep, settings: SettingsDep
) -> EpisodeResponse:
    """Return one episode."""
    return EpisodeWire(store, settings).response(repository.episode(session, episode_id, principal))


@router.get(
    f"/episodes/{{episode_id}}/{REPLAY_FILE}",
    responses={307: {"description": "Where the replay is"}, **errors(Unauthorized, NotFound)},
    response_class=RedirectResponse,
    status_code=307,
)
def read_replay(
    episode_id: uuid.UUID, session: SessionDep, principal: OptionalPrincipal, store: StoreDep, settings: SettingsDep
) -> RedirectResponse:
    """Redirect to the replay of an episode in the store."""
    episode = repository.episode(session, episode_id, principal)
    if episode.replay_key is None:
        raise NotFound("This episode has no replay on this server")
    url = store.download_url(episode.replay_key, seconds=settings.download_url_seconds)
    return RedirectResponse(settings.as_path(url))


@router.get(
    f"/episodes/{{episode_id}}/{SCENES_FILE}",
    responses=errors(Unauthorized, NotFound),
    include_in_schema=False,
)
def read_scenes(
    episode_id: uuid.UUID, session: SessionDep, principal: OptionalPrincipal, store: StoreDep, settings: SettingsDep
) -> RedirectResponse:
    """Redirect to the scenes of an episode in the store, which the viewer of its game opens."""
    episode = repository.episode(session, episode_id, principal)
    if episode.replay_key is None:
        raise NotFound("This episode has no replay on this server")
    url = store.download_url(scenes_key(episode.replay_key), seconds=settings.download_url_seconds)
    return RedirectResponse(settings.as_path(url))


@router.post("/stats/episodes/query", responses=errors(Unauthorized))
@body_rule(256 * KILOBYTE)
def query_episodes(
    body: EpisodeQuery, session: SessionDep, principal: CurrentPrincipal, store: StoreDep, settings: SettingsDep
) -> EpisodeQueryResponse:
    """Return episodes by their policies and tags, newest first."""
    filters = EpisodeFilter(
        primary_policy_version_ids=body.primary_policy_version_ids,
        ids=body.episode_ids,
        tags=body.tag_filters or {},
    )
    rows, _ = repository.episodes(session, principal, filters, Page(body.limit or 200, body.offset))
    wire = EpisodeWire(store, settings)
    return EpisodeQueryResponse(episodes=[wire.with_tags(episode) for episode in rows])


def _parse_tags(text: str | None) -> dict[str, list[str]]:
    """`key:value,key:value`; several values of one key mean any of them."""
    filters: dict[str, list[str]] = {}
    for part in (text or "").split(","):
        key, colon, value = part.strip().partition(":")
        if part.strip() and not (key and colon):
            raise BadRequest("Tags are written `key:value,key:value`")
        if key:
            filters.setdefault(key, []).append(value)
    return filters
