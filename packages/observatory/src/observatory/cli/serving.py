"""`observatory serve`, `demo` and `seed`."""

from __future__ import annotations

import gc
from pathlib import Path
from typing import Annotated

import typer

from observatory.cli.options import Data, load_settings

__all__ = ["demo", "seed", "serve"]

Port = Annotated[int | None, typer.Option(min=0, max=65535, help="Port to listen on; by default 8000.")]
Workers = Annotated[int | None, typer.Option(min=0, help="Workers that play episodes on this machine.")]


def serve(
    host: Annotated[str | None, typer.Option(help="Address to listen on; by default this machine only.")] = None,
    port: Port = None,
    data: Data = None,
    workers: Workers = None,
) -> None:
    """Run the server until it is stopped."""
    gc.disable()  # modules and routes never become garbage; the server enables the collector when it listens
    from observatory.serving.serving import serve

    serve(load_settings(host=host, port=port, data_dir=data, local_workers=workers), report=_print)


def demo(
    data: Annotated[Path, typer.Option(help="Folder of the database, the files and the keys.")] = Path(".league"),
    port: Annotated[
        int | None, typer.Option(min=0, max=65535, help="Port to listen on; by default 8000, or a free one.")
    ] = None,
    workers: Workers = None,
) -> None:
    """Run a local server whose seasons the built-in policies play. The next start continues where this one ended."""
    gc.disable()  # as in `serve`
    from observatory.demo.serving import serve_demo

    serve_demo(load_settings(port=port, data_dir=data, local_workers=workers), report=_print)


def seed(
    seasons: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="[SEASON]...", help="YAML files, or names such as beta-cvc; by default all documented seasons."
        ),
    ] = None,
    data: Data = None,
) -> None:
    """Create seasons that do not exist yet. The server must not be running."""
    from observatory.clock import utc_now
    from observatory.database import Database, migrate
    from observatory.seasons.seeding import find_preset, preset_files
    from observatory.seasons.seeding import seed as seed_database
    from observatory.serving.running import hold_folder

    files = [find_preset(season) for season in seasons] if seasons else preset_files()
    settings = load_settings(data_dir=data)
    with hold_folder(settings.data_dir):
        database = Database(settings.sqlalchemy_url(), timeout_seconds=settings.database_timeout_seconds)
        try:
            migrate(database)
            names = seed_database(database, files, utc_now())
        finally:
            database.close()
    print("\n".join(names) if names else "All of these seasons exist already")


def _print(text: str) -> None:
    print(text, flush=True)
