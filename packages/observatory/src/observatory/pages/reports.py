"""Collect the output of a game's roles for the page of an episode: reports in frames, and texts."""

from __future__ import annotations

import uuid

from fastapi.responses import Response
from sqlalchemy.orm import Session

from observatory.accounts.principal import Principal
from observatory.coworlds import role_runs
from observatory.database.tables.requests import EpisodeRequest
from observatory.errors import NotFound
from observatory.experience import repository
from observatory.experience.wire import RequestWire, replay_key
from observatory.pages.episode_page import replay_kind
from observatory.pages.episode_schemas import EpisodeFrames, ReplayKind
from observatory.pages.frame_links import FrameLinks
from observatory.pages.matches import viewer_address
from observatory.store import Missing, Store

__all__ = ["frames", "output"]

HTML = "render-html"
MAX_TEXT_BYTES = 2 << 20


def frames(session: Session, text: str, principal: Principal | None, links: FrameLinks, store: Store) -> EpisodeFrames:
    """Return the addresses of the frames of an episode that the caller may see."""
    episode = repository.episode(session, text, principal)
    outputs = [output for run in role_runs.runs(session, episode) for output in run.outputs if output.type == HTML]
    return EpisodeFrames(
        **_replay(episode, links, store),
        output_urls={str(output.id): links.report(output) for output in outputs},
        live_url=links.spectators(episode),
    )


def _replay(episode: EpisodeRequest, links: FrameLinks, store: Store) -> dict[str, str | None]:
    kind = replay_kind(episode)
    if kind is ReplayKind.VIEWER:
        key = replay_key(episode)
        assert key is not None
        url = store.download_url(key, seconds=links.settings.download_url_seconds)
        return {"page_url": viewer_address(links.settings.as_path(url)), "replay_url": None}
    if kind is ReplayKind.HOSTED:
        return {"page_url": None, "replay_url": RequestWire(store, links.settings).replay_url(episode)}
    found = links.viewer(episode) if kind is ReplayKind.BUNDLE else None
    return {"page_url": None, "replay_url": None} if found is None else {"page_url": found[0], "replay_url": found[1]}


def output(session: Session, text: str, output_id: uuid.UUID, principal: Principal | None, store: Store) -> Response:
    """Return a file that a role wrote, as text."""
    episode = repository.episode(session, text, principal)
    outputs = [output for run in role_runs.runs(session, episode) for output in run.outputs]
    found = next((output for output in outputs if output.id == output_id), None)
    if found is None:
        raise NotFound("There is no such output of this episode")
    try:
        data = store.get(found.key)[:MAX_TEXT_BYTES]
    except Missing:
        raise NotFound("The output is not stored any more") from None
    headers = {"X-Content-Type-Options": "nosniff", "Content-Security-Policy": "sandbox", "Cache-Control": "no-store"}
    return Response(data, media_type="text/plain; charset=utf-8", headers=headers)
