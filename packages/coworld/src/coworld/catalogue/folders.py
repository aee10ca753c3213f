"""Read catalogues of folders: the built-in one, those that the user names, and those in `COWORLD_CATALOGS`."""

from __future__ import annotations

import difflib
import os
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from coworld.catalogue.entries import Catalogue, CatalogueEntry
from coworld.errors import SourceError
from coworld.schema.problems import problems_of

__all__ = [
    "BUILT_IN",
    "FILE_NAME",
    "VARIABLE",
    "Listed",
    "entry_named",
    "matching",
    "read_catalogue",
    "read_catalogues",
]

FILE_NAME = "CATALOG.yaml"
VARIABLE = "COWORLD_CATALOGS"
"""folders of catalogues, separated like those of PATH"""
BUILT_IN = Path(__file__).parent
LARGEST_FILE = 4 << 20


@dataclass(frozen=True)
class Listed:
    """An entry and its catalogue."""

    entry: CatalogueEntry
    catalogue: str

    def document(self) -> dict[str, Any]:
        return {**self.entry.model_dump(exclude_defaults=True), "catalogue": self.catalogue}


def read_catalogues(folders: Sequence[Path]) -> list[Listed]:
    """Read the built-in catalogue and those of the folders and of `COWORLD_CATALOGS`.

    Raises:
        SourceError: a file is missing or invalid.
    """
    named = [Path(name) for name in os.environ.get(VARIABLE, "").split(os.pathsep) if name]
    listed = [Listed(entry, "built in") for entry in read_catalogue(BUILT_IN).entries]
    for folder in dict.fromkeys([*folders, *named]):
        listed += [Listed(entry, str(folder)) for entry in read_catalogue(folder).entries]
    return listed


def read_catalogue(folder: Path) -> Catalogue:
    """Read the `CATALOG.yaml` of a folder, or the file itself. Unknown keys are ignored.

    Raises:
        SourceError: it is missing or invalid, or names a component that is not in the folder.
    """
    path = folder / FILE_NAME if folder.is_dir() else folder
    try:
        catalogue = Catalogue.model_validate(_document(path), extra="ignore")
    except ValidationError as error:
        first = problems_of(error, Catalogue)[0]
        raise SourceError(f"{path}: {first}", hint=first.fix) from None
    for entry in catalogue.entries:
        if entry.wasm and not _is_inside(path.parent, entry.wasm):
            raise SourceError(
                f"{path}: the component {entry.wasm} of {entry.id} is not in the folder",
                hint="build it, or correct the path",
            )
    return catalogue


def _document(path: Path) -> Any:
    import yaml

    try:
        if path.stat().st_size > LARGEST_FILE:
            raise SourceError(f"{path} is larger than {LARGEST_FILE >> 20} MiB", hint="split the catalogue")
        text = path.read_text(encoding="utf-8")
    except OSError as error:
        raise SourceError(
            f"{path} could not be read: {error.strerror}", hint=f"name a folder with a {FILE_NAME}"
        ) from None
    except UnicodeDecodeError:
        raise SourceError(f"{path} is not UTF-8 text", hint="save it as UTF-8") from None
    try:
        # Aliases let a small file stand for a huge document.
        if any(isinstance(token, yaml.AliasToken) for token in yaml.scan(text)):
            raise SourceError(f"{path} uses YAML aliases", hint="write the values out")
        return yaml.safe_load(text)
    except (yaml.YAMLError, RecursionError, ValueError) as error:
        line = " ".join(str(error).split())[:300] or "nested too deeply"
        raise SourceError(f"{path} is not YAML: {line}", hint="correct it") from None


def _is_inside(folder: Path, name: str) -> bool:
    path = (folder / name).resolve()
    return path.is_relative_to(folder.resolve()) and path.is_file()


def matching(
    listed: Iterable[Listed],
    *,
    role: str | None = None,
    query: str | None = None,
    types: Sequence[str] = (),
    owner: str | None = None,
    schema: str | None = None,
) -> list[Listed]:
    """Return the entries that match all conditions; `types` are output types, of which one must match."""

    def matches(entry: CatalogueEntry) -> bool:
        words = [entry.id, entry.name, entry.description, str(entry.attributes.get("purpose", "")), *entry.tags]
        return (
            (role is None or entry.role == role)
            and (query is None or any(query.lower() in word.lower() for word in words))
            and (not types or any(output.get("type") in types for output in entry.outputs))
            and (owner is None or entry.owner == owner)
            and (schema is None or any(output.get("schema") == schema for output in entry.outputs))
        )

    return [item for item in listed if matches(item.entry)]


def entry_named(listed: Sequence[Listed], name: str) -> Listed:
    """Return the entry with an id, or with the reference of a published reporter.

    Raises:
        SourceError: there is none, or it is in several catalogues.
    """
    found = [item for item in listed if name in (item.entry.id, item.entry.reporter)]
    if not found:
        close = difflib.get_close_matches(name, [item.entry.id for item in listed], n=3)
        hint = f"did you mean {' or '.join(close)}?" if close else "list them, or name a catalogue with --catalog DIR"
        raise SourceError(f"No catalogue has {name!r}", hint=hint)
    if len(found) > 1:
        places = ", ".join(f"{item.entry.role} of {item.catalogue}" for item in found)
        raise SourceError(f"{name!r} is in several catalogues: {places}", hint="choose one with --catalog or --role")
    return found[0]
