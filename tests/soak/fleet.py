"""Play a season on Ray nodes while a node, a server and the database connections are killed: the same table.

usage: fleet.py [--matches N] [--servers N] [--nodes N] [--workers N]

`make test` plays 100 matches of it; packages/observatory/tests/fleet/disturbed.py describes the season.
"""

import argparse
import sys
import tempfile
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from packages.observatory.tests.fleet.disturbed import Disturbed, play


def say(sentence: str) -> None:
    print(f"fleet: {time.strftime('%H:%M:%S')} {sentence}", flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--matches", type=int, default=2000, help="matches of the season (2000)")
    parser.add_argument("--servers", type=int, default=2, help="server processes on the database (2)")
    parser.add_argument("--nodes", type=int, default=2, help="Ray nodes (2)")
    parser.add_argument("--workers", type=int, default=4, help="workers of all fleets (4)")
    args = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="fleet") as folder:
        try:
            matches = play(Path(folder), **vars(args), say=say)
        except Disturbed as error:
            sys.exit(str(error))
    say(f"{matches} matches: the same table, no match twice, no error but retried ones")


if __name__ == "__main__":
    main()
