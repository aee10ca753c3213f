"""Event handlers that record episodes, under the published names; `mettagrid.replay` does the work."""

from __future__ import annotations

import uuid
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from mettagrid.replay import (
    EXTENSION,
    Capture,
    EpisodeRecorder,
    Replay,
    replay_bytes,
    replay_ending,
    v4_document,
    without_seeds,
)
from mettagrid.simulator.interface import SimulatorEventHandler
from mettagrid.util.file import http_url, write_data

if TYPE_CHECKING:
    from mettagrid.live import Broadcast
    from mettagrid.replay import BackgroundWriter
    from mettagrid.simulator.simulator import Simulation

__all__ = [
    "METTASCOPE_POLICY_INFO_MAX_BYTES",
    "METTASCOPE_REPLAY_URL_PREFIX",
    "EpisodeReplay",
    "InMemoryReplayWriter",
    "ReplayLogWriter",
    "WatchedReplayWriter",
]

METTASCOPE_REPLAY_URL_PREFIX = "https://metta-ai.github.io/metta/mettascope/mettascope.html?replay="
METTASCOPE_POLICY_INFO_MAX_BYTES = 1024

_COMPRESSIONS = {"zlib": ".json.z", "gzip": ".json.gz"}
_CONTENT_TYPES = {
    ".json.z": "application/x-compress",
    ".json.gz": "application/gzip",
    ".json": "application/json",
    EXTENSION: "application/octet-stream",
}


class EpisodeReplay:
    """The recording of one episode.

    Create it before the first step and call `log_step` after each step. The replay can be read and written at any time.
    """

    def __init__(self, sim: Simulation) -> None:
        self.sim: Simulation | None = sim
        self._recorder: EpisodeRecorder | None = EpisodeRecorder.of(sim)
        self._capture: Capture | None = None
        self._finished: Replay | None = None
        self._format = _COMPRESSIONS["zlib"]

    def log_step(self, current_step: int, actions: np.ndarray, rewards: np.ndarray) -> None:
        """Record the state after a step, with these rewards. Steps must be consecutive, starting with 1.

        The agents' actions come from the engine; `actions` exists because the published method has it.
        """
        recorder = self._recording()
        if current_step != self.step + 1:
            raise ValueError(
                f"Writing multiple steps at once: the replay has {self.step} steps and cannot continue with "
                f"step {current_step}; every step of one episode must be logged once"
            )
        recorder.record(np.ascontiguousarray(rewards, np.float32))

    @property
    def record(self) -> Callable[[], None]:
        """`record()` is `log_step` with the engine's own step and rewards."""
        return self._recording().record

    @property
    def recorder(self) -> EpisodeRecorder:
        """The recorder of an episode that has not ended."""
        return self._recording()

    @property
    def step(self) -> int:
        """The number of logged steps."""
        return self._capture.steps if self._capture is not None else self._recording().steps

    def finish(self) -> None:
        """Stop recording; the simulation may be closed. The replay itself is assembled on first access."""
        if self._capture is None:
            self._capture = self._recording().capture()
            self._recorder = self.sim = None

    @property
    def replay(self) -> Replay:
        """The episode up to now."""
        if self._capture is None:
            return self._recording().finish()
        if self._finished is None:
            self._finished = self._capture.replay()
        return self._finished

    def hide_seeds(self) -> None:
        """Remove the seeds of the finished episode and its map from the replay."""
        self._finished = without_seeds(self.replay)

    def get_replay_data(self) -> dict[str, Any]:
        """Return the published document, version 4, as plain data."""
        return v4_document(self.replay)

    def set_compression(self, compression: str) -> None:
        """Set the compression of files whose name does not imply one: `zlib` or `gzip`."""
        if compression not in _COMPRESSIONS:
            raise ValueError(f"unknown compression {compression!r}; it must be 'zlib' or 'gzip'")
        self._format = _COMPRESSIONS[compression]

    def write_replay(self, path: str) -> None:
        """Write a file or object: `.json.z`, `.json.gz`, `.json` or our own `.cogreplay`, by its name."""
        ending = replay_ending(path, default=self._format)
        write_data(path, replay_bytes(self.replay, ending), content_type=_CONTENT_TYPES[ending])

    def _recording(self) -> EpisodeRecorder:
        if self._recorder is None:
            raise ValueError("The replay is finished; create a new one to record more steps")
        return self._recorder


def _ignore() -> None:
    """Do nothing: there is no episode to record."""


class InMemoryReplayWriter(SimulatorEventHandler):
    """Holds the replay of every episode that ended. Steps after the end are not part of it."""

    def __init__(self) -> None:
        super().__init__()
        self._episode_replay: EpisodeReplay | None = None
        self._record: Callable[[], None] = _ignore
        self._completed_replays: list[EpisodeReplay] = []

    def on_episode_start(self) -> None:
        self._episode_replay = EpisodeReplay(self._sim)
        self._record = self._episode_replay.record

    def on_step(self) -> None:
        self._record()

    def on_episode_end(self) -> None:
        replay = self._episode_replay
        self.on_close()
        if replay is not None:
            replay.finish()
            self._keep(replay)

    def on_close(self) -> None:
        self._episode_replay, self._record = None, _ignore

    def get_completed_replays(self) -> list[EpisodeReplay]:
        return self._completed_replays

    def _keep(self, replay: EpisodeReplay) -> None:
        self._completed_replays.append(replay)


class WatchedReplayWriter(InMemoryReplayWriter):
    """Shares its recording with people who watch; `names` are the names of each agent's policy that they see."""

    def __init__(self, broadcast: Broadcast, names: Sequence[str]) -> None:
        super().__init__()
        self._broadcast, self._names = broadcast, names

    def on_episode_start(self) -> None:
        super().on_episode_start()
        assert self._episode_replay is not None
        self._broadcast.begin(self._episode_replay.recorder, self._names)

    def on_step(self) -> None:
        self._record()
        self._broadcast.step()

    def on_episode_end(self) -> None:
        self._broadcast.end()
        super().on_episode_end()


class ReplayLogWriter(InMemoryReplayWriter):
    """Writes the replay of every episode that ended to `<replay_dir>/<uuid>.json.z`; a folder or `s3://` works.

    With a `background` writer, which the caller closes, files are written during the next episode. They exist once one
    of the two methods below has returned.
    """

    def __init__(self, replay_dir: str, *, background: BackgroundWriter | None = None) -> None:
        super().__init__()
        self._replay_dir = str(replay_dir)
        self._background = background
        self._urls: dict[str, str] = {}
        self._paths: list[str] = []

    def get_written_replay_urls(self) -> dict[str, str]:
        """Return {name: URL}."""
        self._wait()
        return self._urls

    def get_written_replay_paths(self) -> list[str]:
        self._wait()
        return self._paths

    def _keep(self, replay: EpisodeReplay) -> None:
        name = str(uuid.uuid4())
        path = f"{self._replay_dir}/{name}.json.z"
        if self._background is None:
            replay.write_replay(path)
        else:
            self._background.submit(lambda: replay.write_replay(path), path)
        self._urls[name] = http_url(path)
        self._paths.append(path)
        self._sim._context["replay_url"] = self._urls[name]

    def _wait(self) -> None:
        if self._background is not None:
            self._background.wait()
