"""A league of many policies plays by itself: a server, its workers and no one else.

usage: rounds.py [--policies 50] [--divisions 5] [--rounds 20]

`--rounds` is the mean over the divisions. In the end no round has failed, every player has one champion, and the
ratings follow bit by bit from the logs.
"""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path

from sqlalchemy import select

from observatory.database import Database
from observatory.database.tables.leagues import Division, League, Membership, Round, RoundStatus
from observatory.rounds.recomputing import recompute_league
from observatory.settings import Settings
from packages.observatory.tests.commissioner.killing import Nursery, processes
from packages.observatory.tests.rounds.test_kills import prepare

PATIENCE_SECONDS = 1800


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--policies", type=int, default=50)
    parser.add_argument("--divisions", type=int, default=5)
    parser.add_argument("--rounds", type=int, default=20)
    args = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="rounds-") as name:
        folder = Path(name)
        league = prepare(folder, None, [f"p{number:02}" for number in range(args.policies)], args.divisions)
        began = time.monotonic()
        log = play(folder, league, args.rounds * args.divisions)
        problems = [*check(Settings(data_dir=folder), args.policies), *(["Traceback"] if "Traceback" in log else [])]
    for problem in problems:
        print(problem)
    print(f"rounds: {args.policies} policies, {time.monotonic() - began:.0f} s, {len(problems)} problems")
    sys.exit(1 if problems else 0)


def play(folder: Path, league: str, rounds: int) -> str:
    """Wait until so many rounds are completed; return the log of the server and its workers."""
    deadline = time.monotonic() + PATIENCE_SECONDS
    with Nursery() as nursery, processes(nursery, folder, None) as running:
        while time.monotonic() < deadline:
            answer = running.get(f"/v2/rounds?league_id={league}&status=completed&limit=1")
            if answer is not None and json.loads(answer)["total_count"] >= rounds:
                break
            time.sleep(0.5)
        return running.log


def check(settings: Settings, policies: int) -> list[str]:
    database = Database(settings.sqlalchemy_url())
    with database.read() as session:
        league = session.scalars(select(League)).one()
        problems = recompute_league(session, league).differences
        champions = Counter(session.scalars(select(Membership.player_id).where(Membership.is_champion)))
        if len(champions) != policies or set(champions.values()) != {1}:
            problems.append(f"{policies} players have {champions.total()} champions")
        rows = session.execute(select(Division.name, Round.status).join(Round.division)).all()
        played = Counter(row[0] for row in rows if row[1] is RoundStatus.COMPLETED)
        print("completed rounds:", ", ".join(f"{name} {number}" for name, number in sorted(played.items())))
        over = (RoundStatus.COMPLETED, RoundStatus.RUNNING)
        problems += [f"A round of {name} is {status.value}" for name, status in rows if status not in over]
    database.close()
    return problems


if __name__ == "__main__":
    main()
