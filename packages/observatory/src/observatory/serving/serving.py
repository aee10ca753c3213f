"""`observatory serve`: the server, its local workers, and an end that loses nothing."""

from __future__ import annotations

import gc
import logging
import os
import signal
import socket
import sys
from collections.abc import Callable, Sequence
from pathlib import Path

import anyio.to_thread
import uvicorn
from fastapi import FastAPI

from observatory.accounts import repository, service
from observatory.accounts.bootstrap import FirstAdmin, accept_worker_token, bootstrap
from observatory.accounts.startup import UnsafeSettings, startup_problems
from observatory.app import create_app
from observatory.database.integrity import clock_problem
from observatory.database.presence import running_servers
from observatory.logs import configure_logging
from observatory.operations.connections import raise_file_limit
from observatory.serving.accepting import GuardedServer
from observatory.serving.local_workers import LocalWorkers, default_count
from observatory.serving.protocol import server_config
from observatory.serving.running import announce, hold_folder
from observatory.settings import Settings
from observatory.tokens import TokenKind
from observatory.tracing import start_tracing

__all__ = ["serve"]

logger = logging.getLogger(__name__)

GRACE_SECONDS = 30
LOCAL_WORKERS = "local workers"
SWITCH_SECONDS = 0.001
"""how long the event loop waits at most for a thread that computes; the default of Python is 0.005"""
COLLECT_AFTER = (700, 10, 100)
"""thresholds of the garbage collector. Every request waits for a full collection, 50 to 100 ms: with Python's default,
10 instead of 100, a busy server has one every three seconds"""


def serve(
    settings: Settings,
    *,
    report: Callable[[str], None],
    prepare: Callable[[FastAPI], None] = lambda app: None,
    welcome: Callable[[FastAPI], Sequence[str]] | None = None,
) -> None:
    """Serve until SIGTERM or SIGINT; then let requests finish and workers give their jobs back.

    `report` gets what the person who started it must read: the address, and on the first start the administrator's
    token; or the lines of `welcome`. `prepare` may change the application before it listens. Raises `UnsafeSettings`,
    `AlreadyRunning`, `OSError` when the address is taken.
    """
    problems = startup_problems(settings)
    if problems:
        raise UnsafeSettings("\n".join(problems))
    configure_logging(settings.log_style, settings.log_level)
    start_tracing("observatory-server")
    raise_file_limit()
    sys.setswitchinterval(SWITCH_SECONDS)
    gc.set_threshold(*COLLECT_AFTER)
    with hold_folder(settings.data_dir, shared=not settings.uses_sqlite), _listen(settings) as listening:
        settings = settings.model_copy(update={"port": listening.getsockname()[1]})
        app = create_app(settings)
        first = bootstrap(app.state.database, settings, app.state.clock())
        accept_worker_token(app.state.database, settings, app.state.clock())
        clock_warning = clock_problem(app.state.database, app.state.clock())
        if clock_warning is not None:
            report(f"warning: {clock_warning}")
        prepare(app)
        workers = _local_workers(app, settings)
        config = server_config(app, settings, timeout_graceful_shutdown=GRACE_SECONDS)

        def started() -> None:
            gc.freeze()
            gc.enable()
            announce(settings.data_dir, _own_url(settings))
            for line in _greeting(settings, first) if welcome is None else welcome(app):
                report(line)
            if workers is not None:
                workers.start()

        for number in (signal.SIGTERM, signal.SIGINT):
            # The server handles the signal first and, when it is done, passes it to the previous handler.
            signal.signal(number, lambda *_: None)
        _Server(config, app, started, workers).run(sockets=[listening])
        logger.info("Stopped")


class _Server(GuardedServer):
    """Stops the workers while it still answers them."""

    def __init__(
        self, config: uvicorn.Config, app: FastAPI, started: Callable[[], None], workers: LocalWorkers | None
    ) -> None:
        super().__init__(config)
        self._observatory = app
        self._on_start = started
        self._workers = workers

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        await super().startup(sockets)
        if self.started:
            self._on_start()

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        self._observatory.state.stopping = True
        self._observatory.state.database.changes.close()  # streams of events end; they would hold up the rest
        if self._workers is not None:
            await anyio.to_thread.run_sync(self._workers.stop)
        if self._observatory.state.link is not None:
            await anyio.to_thread.run_sync(self._observatory.state.link.stop)  # another server leads from now on
        await super().shutdown(sockets)


def _listen(settings: Settings) -> socket.socket:
    family = socket.AF_INET6 if ":" in settings.host else socket.AF_INET
    listening = socket.socket(family, socket.SOCK_STREAM)
    listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        listening.bind((settings.host, settings.port))
    except OSError as problem:
        listening.close()
        raise OSError(f"{settings.host}:{settings.port} cannot be listened on: {problem.strerror}") from None
    return listening


def _own_url(settings: Settings) -> str:
    """Return the URL at which this machine reaches the server."""
    everywhere = {"0.0.0.0": "127.0.0.1", "::": "::1"}
    return settings.model_copy(update={"host": everywhere.get(settings.host, settings.host)}).local_url()


def _local_workers(app: FastAPI, settings: Settings) -> LocalWorkers | None:
    count = default_count() if settings.local_workers is None else settings.local_workers
    if count <= 0:
        return None
    token_file = _worker_token(app, settings.data_dir)
    return LocalWorkers(_own_url(settings), token_file, count, sandbox=settings.sandbox)


def _worker_token(app: FastAPI, data_dir: Path) -> Path:
    """Write a new token for the local workers to a file and revoke those of servers that stopped; return the path."""
    now, database = app.state.clock(), app.state.database
    with database.transaction() as session:
        running = {f"{LOCAL_WORKERS} {server.id}" for server in running_servers(session)}
        for row in repository.tokens(session, kind=TokenKind.WORKER):
            if row.name.startswith(LOCAL_WORKERS) and row.name not in running:
                service.revoke(session, row, now=now)
        name = LOCAL_WORKERS if database.is_sqlite else f"{LOCAL_WORKERS} {database.server_id}"
        token = service.mint_worker_token(session, name, now=now).text
    path = data_dir / ("worker.token" if database.is_sqlite else f"worker-{os.getpid()}.token")
    path.unlink(missing_ok=True)
    with os.fdopen(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w") as file:
        file.write(token + "\n")
    return path


def _greeting(settings: Settings, first: FirstAdmin | None) -> list[str]:
    lines = [f"Observatory at {settings.base_url()}  (documentation at {settings.base_url()}/docs)"]
    if first is not None:
        lines.append(f"First start: the administrator is {first.email}; this is shown only now.")
        lines.append(f"  token: {first.token}")
        lines.append(f"  choose a password at: {first.password_url}")
    return lines
