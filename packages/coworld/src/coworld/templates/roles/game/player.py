"""A player for the game: throws what beats the other's last throw."""

import json
import os
import sys
import time
from contextlib import suppress

from websockets.exceptions import ConnectionClosed, InvalidHandshake
from websockets.sync.client import connect

BEATEN_BY = {"scissors": "rock", "rock": "paper", "paper": "scissors"}
PATIENCE_SECONDS = 20


def choose(state: dict) -> str:
    played, other = state["played"], 1 - state["slot"]
    last = played[-1][other] if played else None
    return BEATEN_BY[last] if last else "rock"


def main() -> int:
    address = os.environ.get("COWORLD_PLAYER_WS_URL") or os.environ["COGAMES_ENGINE_WS_URL"]
    deadline = time.monotonic() + PATIENCE_SECONDS
    while time.monotonic() < deadline:
        try:
            with connect(address, ping_interval=None, max_size=None) as game:
                answered = -1
                for message in game:
                    deadline = time.monotonic() + PATIENCE_SECONDS
                    state = json.loads(message)
                    if state["done"]:
                        print("final scores", state["scores"])
                        return 0
                    if len(state["played"]) != answered:
                        answered = len(state["played"])
                        with suppress(ConnectionClosed):  # the final message may have arrived and not been read yet
                            game.send(json.dumps({"throw": choose(state)}))
        except (ConnectionClosed, InvalidHandshake, OSError) as error:
            print("connection lost:", type(error).__name__, file=sys.stderr)
        time.sleep(0.2)
    return 1


if __name__ == "__main__":
    sys.exit(main())
