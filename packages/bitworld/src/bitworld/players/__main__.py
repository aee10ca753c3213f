"""Let scripted players join a server: `python -m bitworld.players among_them ws://127.0.0.1:8080 --count 7`."""

import argparse
import asyncio
import sys

from websockets.exceptions import InvalidHandshake

from bitworld.players.client import BOTS, play_many


def main() -> int:
    """Run the program; return 0 when the server has closed the connections, 1 if it cannot be reached."""
    parser = argparse.ArgumentParser(prog="python -m bitworld.players", description=__doc__)
    parser.add_argument("game", choices=sorted(BOTS), help="the game to play")
    parser.add_argument("address", help="address of the server, such as ws://127.0.0.1:8080")
    parser.add_argument("--count", type=int, default=1, help="number of players (default: 1)")
    parser.add_argument("--name", default="bot", help="their names begin with this (default: bot)")
    parser.add_argument("--seed", type=int, default=0, help="seed of their choices (default: 0)")
    options = parser.parse_args()
    try:
        asyncio.run(play_many(options.game, options.address, options.count, seed=options.seed, name=options.name))
    except (OSError, ValueError, InvalidHandshake) as error:
        print(f"Error: {error}", file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        return 130
    return 0


if __name__ == "__main__":
    sys.exit(main())
