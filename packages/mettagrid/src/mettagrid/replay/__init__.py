"""Replays: record an episode, read and write the two file formats, access any tick.

    from mettagrid.replay import EpisodeRecorder, load_replay, save_replay

    recorder = EpisodeRecorder.of(simulation)
    while not simulation.is_done():
        simulation.step()
        recorder.record()
    save_replay(recorder.finish(), "episode.cogreplay")  # or `.json.z`, the published format

    replay = load_replay("episode.cogreplay")
    print(summarize(replay).text())

`ReplayFile` reads a tick of a file without reading the rest.
"""

from mettagrid.replay._background import BackgroundWriter
from mettagrid.replay._compact_read import ReplayFile
from mettagrid.replay._files import EXTENSION, EXTENSIONS, load_replay, replay_bytes, replay_ending, save_replay
from mettagrid.replay._frame import AgentState, Frame, ObjectState, frame_at
from mettagrid.replay._model import Kind, Limit, Note, Objects, Replay
from mettagrid.replay._recorder import Capture, EpisodeRecorder
from mettagrid.replay._seeds import without_seeds
from mettagrid.replay._summary import ReplaySummary, summarize
from mettagrid.replay._v4_write import v4_document
from mettagrid.replay.errors import (
    ReplayError,
    ReplayNotWritten,
    UnknownReplayFormat,
    UnknownReplayVersion,
    UnreadableReplay,
)

__all__ = [
    "EXTENSION",
    "EXTENSIONS",
    "AgentState",
    "BackgroundWriter",
    "Capture",
    "EpisodeRecorder",
    "Frame",
    "Kind",
    "Limit",
    "Note",
    "ObjectState",
    "Objects",
    "Replay",
    "ReplayError",
    "ReplayFile",
    "ReplayNotWritten",
    "ReplaySummary",
    "UnknownReplayFormat",
    "UnknownReplayVersion",
    "UnreadableReplay",
    "frame_at",
    "load_replay",
    "replay_bytes",
    "replay_ending",
    "save_replay",
    "summarize",
    "v4_document",
    "without_seeds",
]
