"""The command `observatory`."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, NoReturn

import typer

from observatory.operations.admin_commands import app as admin
from observatory.operations.commands import backup, doctor, restore
from observatory.operations.network_commands import audit, network_app
from observatory.operations.season_commands import match_app, recompute, season_app
from observatory.worker.commands import worker

if TYPE_CHECKING:
    from observatory.settings import Settings

__all__ = ["app", "main"]

app = typer.Typer(
    no_args_is_help=True, add_completion=False, pretty_exceptions_enable=False, help="The league's server."
)


@app.command()
def serve(
    host: Annotated[str | None, typer.Option(help="address to listen on; by default this machine alone")] = None,
    port: Annotated[int | None, typer.Option(min=0, max=65535)] = None,
    data: Annotated[Path | None, typer.Option(help="folder of the database, the files and the keys")] = None,
    workers: Annotated[int | None, typer.Option(min=0, help="programs that play episodes on this machine")] = None,
) -> None:
    """Run the server until it is told to end."""
    from observatory.operations.serving import serve

    given = {"host": host, "port": port, "data_dir": data, "local_workers": workers}
    serve(load_settings({name: value for name, value in given.items() if value is not None}), tell=tell)


@app.command()
def demo(
    data: Annotated[Path, typer.Option(help="folder of the database, the files and the keys")] = Path(".league"),
    port: Annotated[int | None, typer.Option(min=0, max=65535, help="by default 8000, or a free one")] = None,
    workers: Annotated[int | None, typer.Option(min=0, help="programs that play episodes on this machine")] = None,
) -> None:
    """Run a server of your own whose seasons the built-in policies play. The next start goes on where this one was."""
    from observatory.demo.serving import serve_demo

    given = {"port": port, "data_dir": data, "local_workers": workers}
    serve_demo(load_settings({name: value for name, value in given.items() if value is not None}), tell=tell)


@app.command()
def seed(
    seasons: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="[SEASON]...", help="YAML files, or names such as beta-cvc; by default all documented seasons"
        ),
    ] = None,
    data: Annotated[Path | None, typer.Option(help="folder of the database, the files and the keys")] = None,
) -> None:
    """Make seasons that are not there yet. The server must not run."""
    from observatory.clock import utc_now
    from observatory.database import Database, migrate
    from observatory.operations.running import sole_owner
    from observatory.seed import find_preset, preset_files
    from observatory.seed import seed as seed_database

    files = [find_preset(season) for season in seasons] if seasons else preset_files()
    settings = load_settings({} if data is None else {"data_dir": data})
    with sole_owner(settings.data_dir):
        database = Database(settings.sqlalchemy_url(), timeout_seconds=settings.database_timeout_seconds)
        try:
            migrate(database)
            made = seed_database(database, files, utc_now())
        finally:
            database.close()
    print("\n".join(made) if made else "All of these seasons are there already")


app.command()(worker)
app.command()(backup)
app.command()(restore)
app.command()(doctor)
admin.add_typer(season_app, name="season")
admin.add_typer(match_app, name="match")
admin.add_typer(network_app, name="network")
admin.command()(audit)
admin.command()(recompute)
app.add_typer(admin, name="admin")


def tell(text: str) -> None:
    print(text, flush=True)


def load_settings(changes: dict[str, Any]) -> Settings:
    """The settings of the environment with these changes; ends the program when they make no sense."""
    from pydantic import ValidationError

    from observatory.settings import Settings

    try:
        return Settings(**changes)
    except ValidationError as error:
        problem = error.errors(include_url=False, include_input=False)[0]
        fail(f"OBSERVATORY_{'.'.join(str(part) for part in problem['loc']).upper()}: {problem['msg']}")


def fail(message: str) -> NoReturn:
    print(f"error: {message}", file=sys.stderr)
    raise typer.Exit(1)


def main() -> None:
    try:
        app()
    except Exception as error:
        sentence = _trouble(error)
        if sentence is None:
            raise
        print(f"error: {sentence}", file=sys.stderr)
        sys.exit(1)


_EXTRAS = {"psycopg": "postgres", "boto3": "s3", "botocore": "s3"}


def _trouble(error: Exception) -> str | None:
    """What to tell an operator who can do something about it; None for a fault of the program."""
    from sqlalchemy.exc import ArgumentError, SQLAlchemyError

    from observatory.errors import ObservatoryError
    from observatory.refusals import database_sentence

    if isinstance(error, ArgumentError):
        return "OBSERVATORY_DATABASE_URL is no address of a database"
    if isinstance(error, ModuleNotFoundError) and error.name in _EXTRAS:
        return f"{error.name} is missing: install observatory[{_EXTRAS[error.name]}]"
    if isinstance(error, SQLAlchemyError):
        return database_sentence(error)
    return str(error) if isinstance(error, ObservatoryError | OSError | ValueError | RuntimeError) else None


if __name__ == "__main__":
    main()
