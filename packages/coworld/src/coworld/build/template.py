"""Fill in a manifest template: images of the compose services and the version."""

from __future__ import annotations

import copy
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from coworld.build.compose import Service
from coworld.build.errors import BuildError
from coworld.models.runnables import MANIFEST_ROLE_SECTIONS

__all__ = ["filled_template", "image_entries", "runnable_entries", "with_images", "without_nulls"]

Document = dict[str, Any]

_OPAQUE = frozenset({"config_schema", "results_schema", "game_config", "attributes", "output_format"})
"""keys below which null is a value of the author's"""


def filled_template(template: Document, services: Sequence[Service], version: str) -> Document:
    """Return a copy of a template with a version, and with the compose images in place of their placeholders.

    Raises:
        BuildError: the template has a version, or a placeholder of no service.
    """
    document = copy.deepcopy(template)
    game = document.get("game")
    if isinstance(game, dict):
        if "version" in game:
            raise BuildError(
                "the template has game.version, which the build sets", hint="remove `version` from the template"
            )
        rest = {key: value for key, value in game.items() if key != "name"}
        document["game"] = ({"name": game["name"]} if "name" in game else {}) | {"version": version} | rest
    placeholders = {service.placeholder: service.image for service in services}
    for entry in image_entries(document):
        image = entry["image"]
        if image in placeholders:
            entry["image"] = placeholders[image]
        elif "{{" in image:
            known = ", ".join(placeholders) or "none"
            raise BuildError(f"no service of the compose file is called {image}", hint=f"placeholders: {known}")
    return document


def runnable_entries(document: Document) -> Iterator[Document]:
    """Yield the game's program and every role entry of a manifest document, as far as they are objects."""
    game = document.get("game")
    entries: list[Any] = [game.get("runnable")] if isinstance(game, dict) else []
    for section in (*MANIFEST_ROLE_SECTIONS, "reporter"):
        found = document.get(section)
        entries += found if isinstance(found, list) else []
    yield from (entry for entry in entries if isinstance(entry, dict))


def image_entries(document: Document) -> Iterator[Document]:
    """Yield every object of a manifest document that names an image, task environments included."""
    game = document.get("game")
    tasks = game.get("task_environments") if isinstance(game, dict) else None
    environments: Iterable[Any] = tasks.values() if isinstance(tasks, dict) else ()
    for entry in (*runnable_entries(document), *environments):
        if isinstance(entry, dict) and isinstance(entry.get("image"), str):
            yield entry


def with_images(document: Document, resolved: Mapping[str, str]) -> Document:
    """Return a copy of a manifest document with the resolved reference of each image."""
    document = copy.deepcopy(document)
    for entry in image_entries(document):
        entry["image"] = resolved[entry["image"]]
    return document


def without_nulls(value: Any) -> Any:
    """Return a manifest document without keys whose value is null; schemas and configurations stay as they are."""
    if isinstance(value, list):
        return [without_nulls(item) for item in value]
    if not isinstance(value, dict):
        return value
    return {
        key: item if key in _OPAQUE else without_nulls(item)
        for key, item in value.items()
        if item is not None or key in _OPAQUE
    }
