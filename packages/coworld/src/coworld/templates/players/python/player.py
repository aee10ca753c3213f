"""A Paint Arena player: change `choose`, leave the rest.

It reads the game's address from COWORLD_PLAYER_WS_URL, answers every observation with a move, connects again when the
line breaks, and exits 0 at the end of the game.
"""

import json
import os
import sys
import time
from contextlib import suppress

from websockets.exceptions import ConnectionClosed, InvalidHandshake
from websockets.sync.client import connect

PATIENCE_SECONDS = 20


def choose(state: dict) -> str:
    """Go to the nearest unpainted tile; when none is left, to the nearest tile that is not ours."""
    slot, width, owners = state["slot"], state["width"], state["tile_owners"]
    x, y = state["positions"][slot]
    free = [tile for tile, owner in enumerate(owners) if owner == -1]
    targets = free or [tile for tile, owner in enumerate(owners) if owner != slot]
    ways = [(tile % width - x, tile // width - y) for tile in targets if tile != y * width + x]
    if not ways:
        return "stay"
    across, down = min(ways, key=lambda way: abs(way[0]) + abs(way[1]))
    if across:
        return "right" if across > 0 else "left"
    return "down" if down > 0 else "up"


def main() -> int:
    address = os.environ.get("COWORLD_PLAYER_WS_URL") or os.environ.get("COGAMES_ENGINE_WS_URL")
    if not address:
        print("COWORLD_PLAYER_WS_URL is not set", file=sys.stderr)
        return 2
    deadline = time.monotonic() + PATIENCE_SECONDS
    while time.monotonic() < deadline:
        try:
            # No ping timeout: older games do not answer pings.
            with connect(address, ping_interval=None, max_size=None) as game:
                for message in game:
                    deadline = time.monotonic() + PATIENCE_SECONDS
                    state = json.loads(message)
                    if state.get("done"):
                        print("final scores", state["scores"])
                        return 0
                    with suppress(ConnectionClosed):  # the final message may have arrived and not been read yet
                        game.send(json.dumps({"move": choose(state)}))
        except (ConnectionClosed, InvalidHandshake, OSError) as error:
            print("connection lost:", type(error).__name__, file=sys.stderr)
        time.sleep(0.2)
    return 1


if __name__ == "__main__":
    sys.exit(main())
