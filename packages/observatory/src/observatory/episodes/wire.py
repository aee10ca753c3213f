"""Convert episodes to response models."""

from __future__ import annotations

import uuid
from dataclasses import dataclass

from observatory import games
from observatory.database.tables.episodes import Episode, EpisodePolicy
from observatory.policies.wire import version_summary
from observatory.settings import Settings
from observatory.store import Store
from softmax.wire import AgentResult, EpisodeResponse, EpisodeWithTags, PolicyResult, PolicyVersionSummary

__all__ = ["REPLAY_FILE", "SCENES_FILE", "EpisodeWire", "scenes_key"]

REPLAY_FILE = "replay.json.z"
SCENES_FILE = "scenes.z"
"""what spectators of a game see, beside a replay that the viewer cannot open"""
_NO_VERSION = uuid.UUID(int=0)


def viewer_file(engine: str) -> str:
    """Return the name of the file that an engine's viewer opens."""
    try:
        return games.season_game(engine).viewer_file
    except games.GameMissing:
        return REPLAY_FILE


def scenes_key(replay_key: str) -> str:
    """Return the key of the scenes beside a replay in the store."""
    return f"{replay_key.rpartition('/')[0]}/{SCENES_FILE}"


@dataclass(frozen=True)
class EpisodeWire:
    """Writes episodes; knows where their replays are found."""

    store: Store
    settings: Settings

    def response(self, episode: Episode) -> EpisodeResponse:
        return EpisodeResponse(
            id=episode.id,
            replay_url=self._replay_url(episode),
            thumbnail_url=episode.thumbnail_url,
            tags={tag.key: tag.value for tag in episode.tags},
            game_stats=episode.game_stats,
            policy_results=[self._policy_result(policy) for policy in episode.policies],
            steps=episode.steps,
            created_at=episode.created_at,
        )

    def with_tags(self, episode: Episode) -> EpisodeWithTags:
        rewards = {
            str(policy.policy_version_id): policy.avg_reward for policy in episode.policies if policy.policy_version_id
        }
        return EpisodeWithTags(
            id=episode.id,
            primary_policy_version_id=episode.primary_policy_version_id,
            replay_url=self._replay_url(episode),
            thumbnail_url=episode.thumbnail_url,
            attributes=episode.attributes,
            eval_task_id=episode.eval_task_id,
            created_at=episode.created_at,
            tags={tag.key: tag.value for tag in episode.tags},
            avg_rewards=rewards,
            job_id=episode.job_id,
        )

    def replay_path(self, episode: Episode) -> str | None:
        """Return the replay URL for pages: relative if it is on this server, which may have several host names."""
        url = self._replay_url(episode)
        return url and self.settings.as_path(url)

    def viewer_path(self, episode: Episode, engine: str) -> str | None:
        """Return the URL of the file that the engine's viewer opens; None if the episode has no replay."""
        name = viewer_file(engine)
        if name == REPLAY_FILE or episode.replay_key is None:
            return self.replay_path(episode)
        if episode.is_public:
            return f"/episodes/{episode.id}/{SCENES_FILE}"
        key = scenes_key(episode.replay_key)
        return self.settings.as_path(self.store.download_url(key, seconds=self.settings.download_url_seconds))

    def _replay_url(self, episode: Episode) -> str | None:
        """Return a permanent URL for a public episode, otherwise a signed URL that expires."""
        if episode.replay_key is None:
            return episode.replay_url
        if episode.is_public:
            return f"{self.settings.base_url()}/episodes/{episode.id}/{REPLAY_FILE}"
        return self.store.download_url(episode.replay_key, seconds=self.settings.download_url_seconds)

    @staticmethod
    def _policy_result(policy: EpisodePolicy) -> PolicyResult:
        version = policy.policy_version
        # An installed policy has no version, but the response needs an id.
        summary = (
            PolicyVersionSummary(id=_NO_VERSION, name=policy.name) if version is None else version_summary(version)
        )
        return PolicyResult(
            position=policy.position,
            policy=summary,
            num_agents=policy.num_agents,
            avg_reward=policy.avg_reward,
            avg_metrics=policy.avg_metrics,
            agents=[AgentResult(**agent) for agent in policy.agents],
        )
