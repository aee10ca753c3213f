"""Recorded games, `.bitreplay`: what the players did, and the state hash after every tick.

    replay = read_replay(path.read_bytes())
    playback = ReplayGame(replay)
    playback.seek(playback.length)  # raises `BadReplay` at the first tick whose state differs

`docs/concepts/bitworld.md` describes the bytes.
"""

from bitworld.replays.play import ReplayGame
from bitworld.replays.read import Replay, read_replay
from bitworld.replays.records import MAGIC, Chat, Hash, Input, Join, Leave, Record, Restart
from bitworld.replays.story import Story
from bitworld.replays.write import Recorder, ReplayWriter

__all__ = [
    "MAGIC",
    "Chat",
    "Hash",
    "Input",
    "Join",
    "Leave",
    "Record",
    "Recorder",
    "Replay",
    "ReplayGame",
    "ReplayWriter",
    "Restart",
    "Story",
    "read_replay",
]
