"""Episodes that were played elsewhere, uploaded as JSON lines: an older way to fill the statistics."""

from __future__ import annotations

from datetime import datetime

import anyio.to_thread
from pydantic import ValidationError
from sqlalchemy.orm import Session

from observatory.accounts.principal import Principal
from observatory.clock import Now
from observatory.database import DatabaseDep, SessionDep, new_id, own_transactions
from observatory.database.tables.policies import Upload
from observatory.episodes.recording import EpisodeFacts, PolicyFacts, record_episode
from observatory.episodes.schemas import BulkUploadComplete, BulkUploadResponse, UploadedEpisode
from observatory.errors import BadRequest, Forbidden, NotFound, TooLarge, Unauthorized, errors
from observatory.http.callers import Writer
from observatory.http.deps import SettingsDep, StoreDep
from observatory.http.routing import Router
from observatory.policies import repository as policies
from observatory.policies.service import own_version
from observatory.settings import MEGABYTE
from observatory.store import Missing, Store
from observatory.store.layout import EPISODE_UPLOADS
from softmax.wire import PresignedUploadUrlResponse

__all__ = ["router"]

router = Router(prefix="/stats/episodes/bulk_upload", tags=["bulk_episodes"])

EPISODES = "episodes"
JSON_LINES = "application/octet-stream"
MAX_EPISODES = 10_000


@router.post("/presigned-url", responses=errors(Unauthorized, Forbidden))
def begin_bulk_upload(
    session: SessionDep, principal: Writer, store: StoreDep, settings: SettingsDep, now: Now
) -> PresignedUploadUrlResponse:
    """Return a URL to upload episodes to: a file with one JSON document per line, as `application/octet-stream`."""
    upload_id = new_id()
    key = f"{EPISODE_UPLOADS}{principal.user_id}/{upload_id}.jsonl"
    session.add(Upload(id=upload_id, user_id=principal.user_id, kind=EPISODES, key=key, created_at=now))
    session.flush()
    url = store.upload_url(
        key, content_type=JSON_LINES, max_bytes=settings.max_body_bytes, seconds=settings.upload_url_seconds
    )
    return PresignedUploadUrlResponse(upload_url=url, s3_key=key, upload_id=upload_id)


@router.post("/complete", responses=errors(BadRequest, Unauthorized, Forbidden, NotFound, TooLarge))
@own_transactions
async def complete_bulk_upload(
    body: BulkUploadComplete,
    principal: Writer,
    database: DatabaseDep,
    store: StoreDep,
    settings: SettingsDep,
    now: Now,
) -> BulkUploadResponse:
    """Record the uploaded episodes: all of them, or none. They may be of the caller's policies only."""

    def find(session: Session) -> str:
        upload = policies.upload(session, body.upload_id, user_id=principal.user_id, kind=EPISODES)
        if upload is None or upload.completed_at is not None:
            raise BadRequest("You have no such upload, or it is completed")
        return upload.key

    key = await database.query(find)
    episodes = await anyio.to_thread.run_sync(_read, store, key, settings.max_body_bytes)
    response = await database.write(lambda session: _record(session, principal, body, episodes, now))
    await anyio.to_thread.run_sync(store.delete, key)
    return response


def _read(store: Store, key: str, max_bytes: int) -> list[UploadedEpisode]:
    size = store.size(key)
    if size is None:
        raise BadRequest("The episodes were not uploaded; PUT them to the upload URL first")
    if size > max_bytes:
        raise TooLarge(f"Episodes too large: {size // MEGABYTE} MB (max {max_bytes // MEGABYTE} MB)")
    try:
        lines = [line for line in store.get(key).split(b"\n") if line.strip()]
    except Missing:
        raise BadRequest("The episodes were not uploaded; PUT them to the upload URL first") from None
    if len(lines) > MAX_EPISODES:
        raise BadRequest(f"There are {len(lines)} episodes; at most {MAX_EPISODES} are taken at once")
    episodes = []
    for number, line in enumerate(lines, 1):
        try:
            episodes.append(UploadedEpisode.model_validate_json(line))
        except ValidationError as error:
            problem = error.errors(include_url=False)[0]
            place = ".".join(str(part) for part in problem["loc"])
            raise BadRequest(f"Line {number} is not an episode: {place}: {problem['msg']}") from None
    return episodes


def _record(
    session: Session,
    principal: Principal,
    body: BulkUploadComplete,
    episodes: list[UploadedEpisode],
    now: datetime,
) -> BulkUploadResponse:
    upload = policies.upload(session, body.upload_id, user_id=principal.user_id, kind=EPISODES)
    if upload is None or upload.completed_at is not None:
        raise BadRequest("You have no such upload, or it is completed")
    upload.completed_at = now
    for version_id in {policy.policy_version_id for episode in episodes for policy in episode.policies}:
        own_version(session, principal, version_id)
    ids = [record_episode(session, _facts(episode), now=now).id for episode in episodes]
    return BulkUploadResponse(episodes_created=len(ids), episode_ids=ids)


def _facts(episode: UploadedEpisode) -> EpisodeFacts:
    return EpisodeFacts(
        policies=[
            PolicyFacts(
                policy.policy_version_id,
                None,
                {agent.agent_id: (agent.reward, agent.metrics) for agent in policy.agents},
            )
            for policy in episode.policies
        ],
        game_stats=episode.game_stats,
        steps=episode.steps,
        tags=episode.tags,
        attributes=episode.attributes,
        replay_url=episode.replay_url,
        thumbnail_url=episode.thumbnail_url,
        eval_task_id=episode.eval_task_id,
    )
