"""Compatibility names for command lines around a Coworld: a console, JSON, addresses, engines and `--run` words."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from rich.console import Console

if TYPE_CHECKING:
    from coworld.runner.play import ReplaySession
    from coworld.server.api_client import CoworldApiClient

__all__ = [
    "active_docker_context",
    "console",
    "emit_json",
    "observatory_web_url",
    "print_replay_session",
    "resolve_league_id",
    "validate_run_argv",
]

console = Console()


def emit_json(payload: Any) -> None:
    """Print a document as indented JSON on stdout."""
    print(json.dumps(payload, indent=2))


def print_replay_session(session: ReplaySession) -> None:
    """Print where a replay is shown."""
    print(f"Replay: {session.link}", flush=True)


def active_docker_context() -> str:
    """Return the daemon of the docker command: `DOCKER_HOST`, `DOCKER_CONTEXT`, or the configured context."""
    if host := os.environ.get("DOCKER_HOST"):
        return f"default (DOCKER_HOST={host})"
    if context := os.environ.get("DOCKER_CONTEXT"):
        return context
    path = Path(os.environ.get("DOCKER_CONFIG") or Path.home() / ".docker") / "config.json"
    try:
        document = json.loads(path.read_text())
    except (OSError, ValueError):
        return "default"
    context = document.get("currentContext") if isinstance(document, dict) else None
    return context if isinstance(context, str) and context else "default"


def observatory_web_url(server: str, path: str) -> str:
    """Return the web page `path` of the site whose API is at `server`; an absolute address stays as it is.

    The site is the server without `/api` or `/api/observatory` at its end.
    """
    if urlsplit(path).scheme:
        return path
    site = server.rstrip("/").removesuffix("/observatory").removesuffix("/api")
    return f"{site}/{path.lstrip('/')}"


def resolve_league_id(client: CoworldApiClient, league: str) -> str:
    """Return the id of a league by id or unique name; see `coworld.server.references.resolve_league_id`."""
    from coworld.server.references import resolve_league_id

    return resolve_league_id(client, league)


def validate_run_argv(run: list[str] | None) -> None:
    """Refuse a first `--run` word that is a whole command: each flag takes one word."""
    import typer

    words = (run or [""])[0].split()
    if run and len(words) > 1:
        flags = " ".join(f"--run {word}" for word in [*words, *run[1:]])
        raise typer.BadParameter(
            f"--run takes one word per flag; write `{flags}`. The first one is the program, and this one has spaces: "
            f"{run[0]!r}"
        )
