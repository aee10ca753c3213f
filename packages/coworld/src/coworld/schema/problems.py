"""Convert pydantic's errors to problems with a path and a fix."""

from __future__ import annotations

import difflib
import types
from collections.abc import Sequence
from typing import Annotated, Any, Literal, Union, get_args, get_origin

from pydantic import BaseModel, Tag, ValidationError

from coworld.errors import Problem
from coworld.schema.base import HTTP_URL_PATTERN, BrokenRule

__all__ = ["join_path", "problems_of"]


def join_path(parts: Sequence[str | int]) -> str:
    """Return `("variants", 0, "name")` as `variants[0].name`."""
    return "".join(f"[{part}]" if isinstance(part, int) else f".{part}" for part in parts).removeprefix(".")


def problems_of(error: ValidationError, model: type[BaseModel]) -> list[Problem]:
    """Return one problem per path, in the order of the document's model."""
    problems: dict[str, Problem] = {}
    for detail in error.errors(include_url=False):
        path, owner = _locate(model, detail["loc"])
        broken = detail.get("ctx", {}).get("error")
        if isinstance(broken, BrokenRule):
            path, message, fix = [*path, *broken.path], broken.message, broken.fix
        else:
            message, fix = _explain(detail, path, owner)
        problem = Problem(join_path(path), message, fix)
        problems.setdefault(problem.path, problem)
    return list(problems.values())


_BOUNDS = {
    "greater_than": "write a number above {gt}",
    "greater_than_equal": "write {ge} or more",
    "less_than": "write a number below {lt}",
    "less_than_equal": "write {le} or less",
}
_KINDS = {
    "string": "a string",
    "int": "a whole number",
    "float": "a number",
    "bool": "true or false",
    "list": "an array",
    "dict": "an object",
    "model": "an object",
    "model_attributes": "an object",
}


def _explain(detail: Any, path: list[str | int], owner: type[BaseModel] | None) -> tuple[str, str]:
    """Return the message and the fix for one of pydantic's own errors."""
    kind, given, context = detail["type"], detail["input"], detail.get("ctx", {})
    match kind:
        case "extra_forbidden":
            return "unknown key", _instead(str(path[-1]), owner)
        case "missing":
            return "is required", f"add `{path[-1]}`"
        case "union_tag_invalid" | "union_tag_not_found":
            expected = context.get("expected_tags", "'text' or 'uri'")
            return f"`type` is {context.get('tag', 'missing')!r}", f"write a `type` of {expected}"
        case "value_error":
            return str(context["error"]), "change it"
        case "literal_error":
            return f"it is {given!r}", f"write {context['expected']}"
        case "too_short":
            return f"there are {len(given)}", f"give at least {context['min_length']}"
        case "too_long":
            return f"there are {len(given)}", f"give at most {context['max_length']}"
        case "string_too_short":
            few = "it is too short" if given else "it is empty"
            return few, f"write at least {context['min_length']} characters"
        case "string_too_long":
            return f"it has {len(given)} characters", f"write at most {context['max_length']} characters"
        case "string_pattern_mismatch" if context["pattern"] == HTTP_URL_PATTERN:
            return f"{given!r} is not an http(s) address", "write an address that starts with https://"
        case "string_pattern_mismatch":
            return f"{given!r} does not match {context['pattern']}", "change it to match"
    if kind in _BOUNDS:
        return f"it is {given!r}", _BOUNDS[kind].format(**context)
    if kind.endswith(("_type", "_parsing")):
        expected_kind = _KINDS.get(kind.rpartition("_")[0], "something else")
        return f"it is {_kind_of(given)} and must be {expected_kind}", f"write {expected_kind}"
    return detail["msg"][0].lower() + detail["msg"][1:], "change it"


def _instead(key: str, owner: type[BaseModel] | None) -> str:
    """Return a fix for an unknown key."""
    known = [field.alias or name for name, field in owner.model_fields.items()] if owner else []
    close = difflib.get_close_matches(key, known, n=1)
    return f"write `{close[0]}`" if close else f"remove it; known here: {', '.join(known)}"


def _kind_of(value: object) -> str:
    """Return the type of a JSON value in words; a boolean is not a number here, unlike in Python."""
    for kinds, name in (
        (type(None), "null"),
        (bool, "a boolean"),
        ((int, float), "a number"),
        (str, "a string"),
        (list, "an array"),
        (dict, "an object"),
    ):
        if isinstance(value, kinds):
            return name
    return f"a {type(value).__name__}"


def _locate(model: type[BaseModel], location: Sequence[str | int]) -> tuple[list[str | int], type[BaseModel] | None]:
    """Return the path in the document of a pydantic location, which also names the union members that were tried, and
    the model that holds the last key."""
    path: list[str | int] = []
    here: Any = model
    owner: type[BaseModel] | None = None
    for part in location:
        if part == "[key]":  # the preceding key is wrong
            break
        here = _bare(here)
        if get_origin(here) in (Union, types.UnionType):
            member = _member(here, part)
            if member is not None:  # the part names the union member that was tried; it is not a key
                here = member
                continue
        owner = here if isinstance(here, type) and issubclass(here, BaseModel) else None
        if owner is not None:
            path.append(part)
            fields = {field.alias or name: field.annotation for name, field in owner.model_fields.items()}
            here = fields.get(str(part), Any)
        else:
            path.append(part)
            arguments = get_args(here)
            here = arguments[-1] if arguments else Any
    return path, owner


def _bare(annotation: Any) -> Any:
    """Strip `Annotated[...]` and `| None` from a type."""
    while get_origin(annotation) is Annotated:
        annotation = get_args(annotation)[0]
    if get_origin(annotation) in (Union, types.UnionType):
        members = [member for member in get_args(annotation) if _bare(member) is not type(None)]
        if len(members) == 1:
            return _bare(members[0])
    return annotation


def _member(union: Any, part: str | int) -> Any | None:
    for member in get_args(union):
        tags = [item.tag for item in getattr(member, "__metadata__", ()) if isinstance(item, Tag)]
        bare = _bare(member)
        if isinstance(bare, type) and issubclass(bare, BaseModel):
            kind = bare.model_fields.get("type")
            literal = get_args(kind.annotation) if kind and get_origin(kind.annotation) is Literal else ()
            if part in (*tags, *literal, bare.__name__):
                return bare
    return None
