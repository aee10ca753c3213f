"""Sign the addresses of third-party pages: an address names what is shown, needs no credentials, and expires."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from observatory.coworlds import manifests
from observatory.database.tables.coworlds import RoleOutput
from observatory.database.tables.requests import EpisodeRequest, EpisodeRequestStatus, RequestSource
from observatory.experience.wire import replay_key
from observatory.hosting.places import folder_of
from observatory.http.frames import frame_url
from observatory.keys import Keys
from observatory.live.places import spectator_token
from observatory.settings import Settings
from observatory.signing import Signer

__all__ = ["FRAMES", "REPLAY", "FrameLinks", "read_link"]

FRAMES = "/observatory/frames"
REPLAY = "_coworld/replay"
"""the replay, beside the files of its viewer"""
LINK_SECONDS = 6 * 3600


def read_link(keys: Keys, text: str) -> dict[str, Any] | None:
    """Return what a link shows; None if it has expired or was not signed here."""
    return _signer(keys).read(text)


def _signer(keys: Keys) -> Signer:
    return Signer(keys.secret, "frame")


@dataclass(frozen=True)
class FrameLinks:
    """Makes links for frames."""

    keys: Keys
    settings: Settings

    def viewer(self, episode: EpisodeRequest) -> tuple[str, str] | None:
        """Return the addresses of the game's replay viewer and of the replay; None without a viewer or a replay."""
        key, sha256 = replay_key(episode), manifests.viewer_bundle(episode.coworld.manifest)
        if key is None or sha256 is None:
            return None
        options = episode.coworld.manifest["game"]["replay_viewer"]
        content = {"viewer": sha256, "replay": key, "gzip": options.get("replay_compression") == "gzip"}
        folder = f"{FRAMES}/replays/{self._sign(content)}/"
        return frame_url(self.settings, f"{folder}index.html"), frame_url(self.settings, folder + REPLAY)

    def report(self, output: RoleOutput) -> str:
        """Return the address of a report in HTML."""
        return frame_url(self.settings, f"{FRAMES}/reports/{self._sign({'report': output.key})}/page.html")

    def spectators(self, episode: EpisodeRequest) -> str | None:
        """Return the address of the game's own page for spectators; None if the episode cannot be watched now."""
        is_playing = episode.status in (EpisodeRequestStatus.SUBMITTED, EpisodeRequestStatus.RUNNING)
        if not is_playing or episode.job_id is None or episode.source is RequestSource.LOBBY:
            return None
        return frame_url(self.settings, folder_of(spectator_token(self.keys, episode.job_id)))

    def _sign(self, content: dict[str, Any]) -> str:
        return _signer(self.keys).sign(content, seconds=LINK_SECONDS)
