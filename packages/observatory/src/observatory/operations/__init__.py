"""What an operator needs: health, metrics, logs, limits, backups, and the program that serves."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from fastapi import FastAPI

__all__ = ["install"]


def install(app: FastAPI) -> None:
    """See `observatory.operations.installation`."""
    from observatory.operations import installation

    installation.install(app)
