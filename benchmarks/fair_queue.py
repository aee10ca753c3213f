"""Measure how long the server takes to choose and lease the next job of a long queue.

usage: fair_queue.py [--jobs 100000] [--seasons 20] [--persons 50] [--leases 200] [--only sqlite,postgresql] [--record]

Prints milliseconds of one lease (without writing to disk) and of the processor time of the server in it, and
milliseconds of the first 100 places of the page of the queue.
"""

from __future__ import annotations

import argparse
import json
import statistics
import sys
import tempfile
import time
import uuid
from datetime import UTC, datetime
from itertools import islice
from pathlib import Path
from typing import Any

from sqlalchemy import insert, text

from league import database, settings
from observatory.app import create_app
from observatory.database import Database, new_id
from observatory.database.tables.jobs import Job
from observatory.job_states import EPISODE, JobStatus
from observatory.jobs.fair_queue import FairQueue
from observatory.jobs.service import take_next
from observatory.jobs.shares import season_group
from observatory.settings import Settings
from record import record

NOW = datetime(2026, 3, 1, 12, tzinfo=UTC)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--jobs", type=int, default=100_000)
    parser.add_argument("--seasons", type=int, default=20)
    parser.add_argument("--persons", type=int, default=50)
    parser.add_argument("--leases", type=int, default=200)
    parser.add_argument("--only", default="sqlite,postgresql")
    parser.add_argument("--record", action="store_true")
    arguments = parser.parse_args()
    measured: dict[str, Any] = {name: getattr(arguments, name) for name in ("jobs", "seasons", "persons")}
    with tempfile.TemporaryDirectory(prefix="queue") as temporary:
        for kind in arguments.only.split(","):
            folder = Path(temporary) / kind
            with database(kind, folder) as url:
                app = create_app(Settings(**settings(url, folder)))
                measured[kind] = measure(app.state.database, arguments)
                app.state.database.close()
    print(json.dumps(measured, indent=1))
    if arguments.record:
        print(record("fair_queue", " ".join(["fair_queue.py", *sys.argv[1:]]), measured))
    return 0


def measure(database: Database, arguments: argparse.Namespace) -> dict[str, float]:
    with database.transaction() as session:
        for first in range(0, arguments.jobs, 5000):
            last = min(first + 5000, arguments.jobs)
            session.execute(insert(Job), [_job(number, arguments) for number in range(first, last)])
    if not database.is_sqlite:
        with database.engine.connect().execution_options(isolation_level="AUTOCOMMIT") as connection:
            connection.execute(text("VACUUM ANALYZE"))
    leases, cpu = [], []
    for _ in range(arguments.leases):
        with database.transaction() as session:
            began, began_cpu = time.perf_counter(), time.process_time()
            assert take_next(session, "worker", live=(), now=NOW, lease_seconds=60) is not None
            leases.append(1000 * (time.perf_counter() - began))
            cpu.append(1000 * (time.process_time() - began_cpu))
    with database.read() as session:
        began = time.perf_counter()
        assert len(list(islice(FairQueue(session, EPISODE), 100))) == 100
        page = 1000 * (time.perf_counter() - began)
    return {
        "lease_cpu_ms": round(statistics.median(cpu), 2),
        "lease_ms": round(statistics.median(leases), 2),
        "lease_p99_ms": round(sorted(leases)[int(len(leases) * 0.99)], 2),
        "page_ms": round(page, 1),
    }


def _job(number: int, arguments: argparse.Namespace) -> dict[str, Any]:
    return {
        "id": new_id(),
        "job_type": EPISODE,
        "stored_spec": {},
        "status": JobStatus.PENDING,
        "priority": 10 * (number % 3),
        "queue_group": season_group(uuid.UUID(int=number % arguments.seasons)),
        "queue_person": f"person{number // arguments.seasons % arguments.persons}",
        "attempts": 0,
        "lost_leases": 0,
        "created_at": NOW,
    }


if __name__ == "__main__":
    sys.exit(main())
