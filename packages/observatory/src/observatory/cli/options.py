"""Settings and options that several commands share."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from softmax.cli.errors import fail

if TYPE_CHECKING:
    from observatory.settings import Settings

__all__ = ["Data", "Json", "load_settings"]

Data = Annotated[Path | None, typer.Option(help="Folder of the database, the files and the keys.")]
Json = Annotated[bool, typer.Option("--json", help="Print the server's response as JSON.")]


def load_settings(**changes: Any) -> Settings:
    """Return the settings of the environment with these changes; None leaves a setting as it is."""
    from pydantic import ValidationError

    from observatory.settings import Settings

    try:
        return Settings(**{name: value for name, value in changes.items() if value is not None})
    except ValidationError as error:
        problem = error.errors(include_url=False, include_input=False)[0]
        fail(f"OBSERVATORY_{'.'.join(str(part) for part in problem['loc']).upper()}: {problem['msg']}")
