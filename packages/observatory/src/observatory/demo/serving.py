"""`observatory demo`: the server with the demo in it."""

from __future__ import annotations

import os
import secrets
import socket
from collections.abc import Callable, Sequence

from fastapi import FastAPI

from observatory.demo.filling import fill, house_of
from observatory.demo.game_filling import GUEST_GAMES, fill_games
from observatory.demo.league_filling import fill_leagues, read_leagues
from observatory.seasons.seeding import preset_files
from observatory.serving.serving import serve
from observatory.settings import Settings

__all__ = ["serve_demo"]


def serve_demo(settings: Settings, *, report: Callable[[str], None]) -> None:
    """Serve until stopped. `report` gets the address, and a link that signs the local user in.

    The server listens on this machine only. If the default port is taken, a free one is used instead.
    """
    changes: dict[str, object] = {"host": "127.0.0.1", "public_url": None, "seed_seasons": False, "log_style": "plain"}
    if "log_level" not in settings.model_fields_set:
        changes["log_level"] = "WARNING"
        # Workers log warnings only: the tables show the results of policies.
        os.environ |= {"OBSERVATORY_LOG_LEVEL": "WARNING", "METTAGRID_LOG_LEVEL": "ERROR"}
    if "guest_games" not in settings.model_fields_set:
        changes["guest_games"] = list(GUEST_GAMES)
    if "port" not in settings.model_fields_set and _is_taken(settings.port):
        changes["port"] = 0
    names: list[str] = []
    leagues: list[str] = []

    def prepare(app: FastAPI) -> None:
        app.state.entrance = secrets.token_urlsafe(24)
        report("Packing the built-in policies")
        names.extend(fill(app))
        report("Publishing the installed games")
        with app.state.database.transaction() as session:
            house = house_of(session, now=app.state.clock())
        leagues.extend(fill_leagues(app, house, read_leagues()))
        fill_games(app, house)

    def welcome(app: FastAPI) -> Sequence[str]:
        address = app.state.settings.base_url()
        return [
            f"The league is at {address}/observatory",
            f"  sign in as its administrator: {address}/enter?key={app.state.entrance}",
            f"  play in the browser, without an account: {address}/observatory",
            f"  its seasons: {', '.join(names)}; a table fills with results in less than a minute",
            f"  its leagues: {', '.join(leagues)}; their first rounds end in a few minutes",
            f"  the documented seasons take policies too: {', '.join(path.stem for path in preset_files())}",
            f"  send a policy of your own: cogames upload -p class=starter -n mine --server {address}",
            f"  its data is in {settings.data_dir.absolute()}; Ctrl-C stops it, and the next start continues",
        ]

    serve(settings.model_copy(update=changes), report=report, prepare=prepare, welcome=welcome)


def _is_taken(port: int) -> bool:
    with socket.socket() as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind(("127.0.0.1", port))
        except OSError:
            return True
    return False
