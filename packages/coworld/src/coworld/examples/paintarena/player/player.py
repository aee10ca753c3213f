"""Play one slot of Paint Arena; reconnect when the connection breaks.

    python -m coworld.examples.paintarena.player --strategy nearest

The default strategy sweeps the board row by row. The player reads its address from `COWORLD_PLAYER_WS_URL` (or the
older `COGAMES_ENGINE_WS_URL`), answers every observation with a move, and exits 0 after the game's `final`.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
import time
from collections.abc import Callable, Sequence
from contextlib import suppress

from websockets.exceptions import ConnectionClosed, InvalidHandshake, InvalidURI
from websockets.sync.client import connect

from coworld.examples.paintarena.player.strategies import STRATEGIES, Observation, sweep

TAKEN_OVER = 4000
"""the game closes an older connection of a seat with this code"""
PATIENCE_SECONDS = 20.0
"""how long the player retries a broken connection"""


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description="Play one slot of Paint Arena.")
    parser.add_argument("--strategy", choices=list(STRATEGIES), default="sweep", help="how to move (default: sweep)")
    choose = STRATEGIES[parser.parse_args(arguments).strategy]
    address = os.environ.get("COWORLD_PLAYER_WS_URL") or os.environ.get("COGAMES_ENGINE_WS_URL")
    if not address:
        print("error: COWORLD_PLAYER_WS_URL is not set: the runner gives a player its address", file=sys.stderr)
        return 2
    try:
        return play(address, choose)
    except InvalidURI:
        print("error: COWORLD_PLAYER_WS_URL is not a websocket address", file=sys.stderr)  # it holds a token
        return 2


def play(address: str, choose: Callable[[Observation], str] = sweep) -> int:
    """Play until `final`; return 0 then, 1 when the game cannot be reached any more."""
    deadline, wait = time.monotonic() + PATIENCE_SECONDS, 0.1
    while time.monotonic() < deadline:
        try:
            # No pong timeout: older games do not answer pings.
            with connect(address, ping_interval=None, max_size=None, compression=None) as connection:
                for message in connection:
                    deadline, wait = time.monotonic() + PATIENCE_SECONDS, 0.1
                    state = json.loads(message)
                    if state.get("type") == "final" or state.get("done"):
                        print(f"slot {state['slot']} finished with scores {state['scores']}", flush=True)
                        return 0
                    with suppress(ConnectionClosed):  # the final message may have arrived and not been read yet
                        connection.send(json.dumps({"move": choose(state)}))
        except InvalidHandshake:
            print("the game refused the connection", file=sys.stderr, flush=True)
        except (ConnectionClosed, OSError) as error:
            if isinstance(error, ConnectionClosed) and error.rcvd is not None and error.rcvd.code == TAKEN_OVER:
                print("another program has taken this seat", flush=True)
                return 0
            print(f"connection lost: {type(error).__name__}", file=sys.stderr, flush=True)
        time.sleep(wait)
        wait = min(wait * 2, 2.0)
    print("error: the game cannot be reached", file=sys.stderr)
    return 1


if __name__ == "__main__":
    sys.exit(main())
