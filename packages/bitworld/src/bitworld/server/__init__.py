"""Serve a game over HTTP and WebSockets: in real time, stepped, or from a replay.

    server = GameServer(Match(lambda: new_game("stag_hunt")), port=0)
    async with server:
        await server.run()  # until the last game is over

`docs/concepts/bitworld.md` describes the addresses and messages.
"""

from bitworld.server.clock import Clock, RealTime, Stepped
from bitworld.server.match import Match
from bitworld.server.replay_room import ReplayRoom
from bitworld.server.room import Room
from bitworld.server.server import GameServer

__all__ = ["Clock", "GameServer", "Match", "RealTime", "ReplayRoom", "Room", "Stepped"]
