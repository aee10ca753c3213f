"""`observatory admin images`: the container images that users have pushed."""

from __future__ import annotations

from observatory.cli.admin import admin_calls, show
from observatory.cli.options import Json
from softmax.cli.program import Entry

__all__ = ["IMAGES", "collect"]

IMAGES = [Entry("gc", "observatory.cli.images:collect", "Remove abandoned uploads and unused layers.")]


def collect(as_json: Json = False) -> None:
    """Remove abandoned uploads, images that were never completed, and unused layers, all older than a day."""
    with admin_calls() as client:
        removed = client.call("POST", "/admin/images/gc", timeout=3600)
    text = f"Removed {removed['uploads']} uploads, {removed['images']} images and {removed['blobs']} layers"
    show(removed, as_json, f"{text}, {removed['bytes']} bytes")
