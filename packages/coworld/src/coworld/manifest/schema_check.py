"""Check whether a change of the manifest's schema breaks documents that were valid before."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from coworld.errors import CoworldError
from coworld.manifest.schema_files import PACKAGE, SCHEMA_PATHS, schema_files

__all__ = ["breaking_changes", "check_manifest_schema"]

_WORDS = {"title", "description", "default", "examples", "$schema", "$id", "$defs", "$comment", "deprecated"}
"""Keywords of a schema that are only for people."""
_LOWER_BOUNDS = ("minLength", "minItems", "minimum", "exclusiveMinimum", "minProperties")
_UPPER_BOUNDS = ("maxLength", "maxItems", "maximum", "exclusiveMaximum", "maxProperties")
Schema = dict[str, Any]


def check_manifest_schema(against: str) -> list[str]:
    """What is wrong with the schemas of the manifest: files that are not what the models say, and changes since
    `against` (a commit of the repository this package is in, or a folder with the package's files of that time) that
    break documents.

    Raises:
        CoworldError: there is no such commit or folder.
    """
    problems = [
        f"{path.relative_to(PACKAGE)} is stale: run scripts/coworld_schemas.py"
        for path, text in schema_files().items()
        if not path.exists() or path.read_text() != text
    ]
    read = _folder_reader(Path(against)) if Path(against).is_dir() else _commit_reader(against)
    for name in SCHEMA_PATHS.values():
        before = read(name)
        if before is None:
            continue  # it is new
        now = json.loads(schema_files()[PACKAGE / name])
        problems += [f"{name}: {change}" for change in breaking_changes(json.loads(before), now)]
    return problems


def _folder_reader(folder: Path) -> Any:
    def read(name: str) -> str | None:
        path = folder / name
        return path.read_text() if path.is_file() else None

    return read


def _commit_reader(commit: str) -> Any:
    def git(*words: str) -> subprocess.CompletedProcess[str]:
        try:
            return subprocess.run(["git", "-C", str(PACKAGE), *words], capture_output=True, text=True)
        except FileNotFoundError as error:
            raise CoworldError("git is not installed", hint="give a folder with the older schema instead") from error

    if git("rev-parse", "--verify", "--quiet", "--end-of-options", f"{commit}^{{commit}}").returncode:
        raise CoworldError(
            f"{commit!r} is neither a commit of the repository of {PACKAGE} nor a folder",
            hint="give --against a branch, a tag or a folder",
        )

    def read(name: str) -> str | None:
        result = git("show", f"{commit}:./{name}")
        return result.stdout if result.returncode == 0 else None

    return read


def breaking_changes(before: Schema, now: Schema) -> list[str]:
    """Return the changes by which `now` may refuse a document that `before` accepts, each with its path."""
    return list(_changes(before, now, "$", (before, now), frozenset()))


def _changes(
    before: Any, now: Any, path: str, roots: tuple[Schema, Schema], seen: frozenset[tuple[str, str]]
) -> Iterator[str]:
    names = (_reference(before), _reference(now))
    if names[0] and names[1]:
        if names in seen:
            return
        seen |= {names}
    before, now = _followed(before, roots[0]), _followed(now, roots[1])
    if not isinstance(before, dict) or not isinstance(now, dict):
        if before is not True and before != now and now is not True:
            yield f"{path} changed"
        return
    yield from _value_changes(before, now, path)
    yield from _object_changes(before, now, path, roots, seen)
    for key in ("items", "additionalProperties"):
        if isinstance(before.get(key), dict) and isinstance(now.get(key), dict):
            yield from _changes(before[key], now[key], f"{path}[]", roots, seen)
    for key in ("anyOf", "oneOf"):
        yield from _union_changes(before, now, key, path, roots, seen)


def _value_changes(before: Schema, now: Schema, path: str) -> Iterator[str]:
    for key in ("type", "pattern", "format"):
        if key in now and now[key] != before.get(key) and not _is_union(before):
            yield f"{path}: {key} is {now[key]!r} now"
    allowed_before, allowed_now = _allowed(before), _allowed(now)
    if allowed_now is not None and (allowed_before is None or not allowed_before <= allowed_now):
        yield f"{path}: fewer values are allowed"
    for key in (*_LOWER_BOUNDS, *_UPPER_BOUNDS):
        if key not in now:
            continue
        old = before.get(key)
        if old is None or (now[key] > old if key in _LOWER_BOUNDS else now[key] < old):
            yield f"{path}: {key} is {now[key]} now"


def _object_changes(
    before: Schema, now: Schema, path: str, roots: tuple[Schema, Schema], seen: frozenset[tuple[str, str]]
) -> Iterator[str]:
    known = {**before.get("properties", {}), **before.get("patternProperties", {})}
    offered = {**now.get("properties", {}), **now.get("patternProperties", {})}
    for name in sorted(set(now.get("required", ())) - set(before.get("required", ()))):
        yield f"{path}.{name} is required now"
    for name, schema in known.items():
        if name in offered:
            yield from _changes(schema, offered[name], f"{path}.{name}", roots, seen)
        elif now.get("additionalProperties") is False:
            yield f"{path}.{name} is gone"
    if now.get("additionalProperties") is False and before.get("additionalProperties") is not False:
        yield f"{path}: other keys are refused now"


def _union_changes(
    before: Schema, now: Schema, key: str, path: str, roots: tuple[Schema, Schema], seen: frozenset[tuple[str, str]]
) -> Iterator[str]:
    """Yield the changes by which an old union member fits none of the new members."""
    members = now.get(key)
    if not isinstance(members, list):
        return
    for old in before.get(key) or [{name: before[name] for name in before if name not in _WORDS}]:
        yield from min((list(_changes(old, new, path, roots, seen)) for new in members), key=len, default=[])


def _is_union(schema: Schema) -> bool:
    return "anyOf" in schema or "oneOf" in schema


def _allowed(schema: Schema) -> set[str] | None:
    values = [schema["const"]] if "const" in schema else schema.get("enum")
    return None if values is None else {json.dumps(value) for value in values}


def _reference(schema: Any) -> str:
    reference = schema.get("$ref") if isinstance(schema, dict) else None
    return reference if isinstance(reference, str) else ""


def _followed(schema: Any, root: Schema) -> Any:
    name = _reference(schema).removeprefix("#/$defs/")
    if not name:
        return schema
    beside = {key: value for key, value in schema.items() if key != "$ref"}
    return {**root.get("$defs", {}).get(name, {}), **beside} if beside else root.get("$defs", {}).get(name, {})
