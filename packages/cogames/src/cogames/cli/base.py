"""Compatibility names for code that prints to a rich console and reports server errors."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from rich.console import Console

if TYPE_CHECKING:
    import httpx

__all__ = ["cli_http_errors", "console", "emit_json"]

console = Console()


@contextmanager
def cli_http_errors(resource: str) -> Iterator[None]:
    """Report a failed request on the console and exit with code 1; `resource` is the subject of a 404.

    Handles errors of `httpx` and of `cogames.client`. Other exceptions pass through.
    """
    import httpx
    import typer

    from softmax.client.errors import ClientError

    try:
        yield
    except httpx.HTTPStatusError as error:
        _print_refusal(error.response, resource)
    except httpx.HTTPError as error:
        console.print(f"[red]Failed to reach server: {error}[/red]")
    except ClientError as error:
        console.print(f"[red]{error}[/red]")
        for hint in error.hints:
            console.print(f"hint: {hint}", markup=False)
    else:
        return
    raise typer.Exit(1)


def emit_json(payload: Any) -> None:
    """Print a document as indented JSON on stdout."""
    print(json.dumps(payload, indent=2))


def _print_refusal(response: httpx.Response, resource: str) -> None:
    if response.status_code == 401:
        console.print("[red]Authentication failed (token expired or invalid).[/red]")
        console.print("Sign in again: cogames auth login --force")
    elif response.status_code == 404:
        console.print(f"[red]{resource} not found[/red]")
    else:
        console.print(f"[red]Request failed: {_detail(response) or f'status {response.status_code}'}[/red]")


def _detail(response: httpx.Response) -> str | None:
    try:
        document = response.json()
    except ValueError:
        return None
    detail = document.get("detail") if isinstance(document, dict) else None
    return detail if isinstance(detail, str) else None
