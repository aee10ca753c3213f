"""Bind the values of a command line to a maker's parameters and to the fields of the tool it returns."""

from __future__ import annotations

import difflib
import inspect
from collections.abc import Callable, Iterator, Mapping
from dataclasses import fields as dataclass_fields
from dataclasses import is_dataclass
from types import UnionType
from typing import Any, TypeVar, Union, get_args, get_origin, get_type_hints

from pydantic import BaseModel, TypeAdapter, ValidationError

from cogames_training.recipes.grammar import merged
from softmax.cli.errors import CommandError, UsageError

__all__ = ["bind", "describe", "keys_of", "override", "parameters_of"]

Model = TypeVar("Model", bound=BaseModel)


def bind(maker: Callable[..., Any], values: Mapping[str, Any]) -> Any:
    """Call the maker with the values that are its parameters, and set the others on the tool that it returns.

    Raises `UsageError` for an unknown key and `CommandError` for a bad value.
    """
    parameters = parameters_of(maker)
    given = {name: _convert(parameters[name], value) for name, value in values.items() if name in parameters}
    rest = {name: value for name, value in values.items() if name not in parameters}
    missing = [name for name, each in parameters.items() if each.default is each.empty and name not in given]
    if missing:
        raise UsageError(f"Missing: {missing[0]}=VALUE")
    tool = maker(**given)
    if not isinstance(tool, BaseModel):
        raise CommandError(f"The maker must return a tool, not {type(tool).__name__}")
    return override(tool, rest, more=list(parameters))


def override(model: Model, values: Mapping[str, Any], *, path: str = "", more: list[str] | None = None) -> Model:
    """Return a copy with the values set; mappings merge key by key. `more` are other names for the error's list."""
    known = [*(more or []), *keys_of(type(model))]
    unknown = [name for name in values if name not in type(model).model_fields]
    if unknown and more is not None:
        raise _unknown(unknown[0], unknown[0], [*more, *(n for n in type(model).model_fields if n not in more)], known)
    _check_keys(type(model), values, path, known)
    changed = model.model_copy(deep=True)
    _assign(changed, values, path)
    return changed


def parameters_of(maker: Callable[..., Any]) -> dict[str, inspect.Parameter]:
    """Return the parameters that the command line can set, with resolved types; a class of tools has none."""
    if isinstance(maker, type):
        return {}
    named = (inspect.Parameter.POSITIONAL_OR_KEYWORD, inspect.Parameter.KEYWORD_ONLY)
    try:
        hints = get_type_hints(getattr(maker, "func", maker), include_extras=True)
    except NameError:  # a type that exists only for type checkers
        hints = {}
    return {
        name: each.replace(annotation=hints.get(name, each.empty))
        for name, each in inspect.signature(maker).parameters.items()
        if each.kind in named
    }


def keys_of(kind: type, prefix: str = "") -> Iterator[str]:
    """Yield the dotted names of all settings of a model."""
    for name, (annotation, _) in _fields(kind).items():
        child = _model_in(annotation)
        if child is None:
            yield prefix + name
        else:
            yield from keys_of(child, f"{prefix}{name}.")


def describe(kind: type, prefix: str = "") -> Iterator[tuple[str, str]]:
    """Yield the dotted names of all settings of a model with their meanings."""
    for name, (annotation, meaning) in _fields(kind).items():
        child = _model_in(annotation)
        if child is None:
            yield prefix + name, meaning
        else:
            yield from describe(child, f"{prefix}{name}.")


def _convert(parameter: inspect.Parameter, value: Any) -> Any:
    """Return the value as the parameter's type; a mapping is merged onto a default that is a mapping or a model."""
    default, annotation = parameter.default, parameter.annotation
    if isinstance(value, Mapping):
        child = _model_in(annotation)
        if isinstance(default, BaseModel):
            return override(default, value, path=parameter.name)
        if child is not None:
            _check_keys(child, value, parameter.name, [f"{parameter.name}.{key}" for key in keys_of(child)])
        elif isinstance(default, Mapping):
            value = merged(default, value)
    if annotation is parameter.empty:
        return value
    try:
        return TypeAdapter(annotation).validate_python(value)
    except ValidationError as error:
        raise _refusal(error, parameter.name) from None


def _assign(model: BaseModel, values: Mapping[str, Any], path: str) -> None:
    for name, value in values.items():
        place = f"{path}.{name}" if path else name
        current = getattr(model, name)
        if isinstance(value, Mapping) and isinstance(current, BaseModel):
            _assign(current, value, place)
            continue
        if isinstance(value, Mapping) and is_dataclass(current):
            value = {each.name: getattr(current, each.name) for each in dataclass_fields(current)} | dict(value)
        elif isinstance(value, Mapping) and isinstance(current, Mapping):
            value = merged(current, value)
        try:
            setattr(model, name, value)
        except ValidationError as error:
            raise _refusal(error, path) from None


def _refusal(error: ValidationError, path: str) -> CommandError:
    lines = []
    for problem in error.errors():
        place = ".".join(
            str(part) for part in (path, *problem["loc"]) if part != "" and not str(part).startswith("literal")
        )
        lines.append(f"{place}: {problem['msg']}, not {problem['input']!r}")
    return CommandError(lines[0], lines[1:4], kind="config")


def _check_keys(kind: type, values: Mapping[str, Any], path: str, known: list[str]) -> None:
    """Raise `UsageError` for the first key that the model does not have."""
    fields = _fields(kind)
    for name, value in values.items():
        place = f"{path}.{name}" if path else name
        if name not in fields:
            raise _unknown(place, name, [f"{path}.{each}" if path else each for each in fields], known)
        child = _model_in(fields[name][0])
        if child is not None and isinstance(value, Mapping):
            _check_keys(child, value, place, known)


def _unknown(place: str, name: str, siblings: list[str], known: list[str]) -> UsageError:
    same_end = [each for each in known if each.rpartition(".")[2] == name and each != place]
    close = same_end[:3] or difflib.get_close_matches(place, [*siblings, *known], n=3, cutoff=0.6)
    hints = [f"did you mean {' or '.join(dict.fromkeys(close))}?"] if close else []
    return UsageError(f"Unknown key {place!r}", [*hints, f"available here: {', '.join(siblings)}"])


def _fields(kind: type) -> dict[str, tuple[Any, str]]:
    """Return the type and the meaning of each field of a model or dataclass."""
    if issubclass(kind, BaseModel):
        return {name: (field.annotation, field.description or "") for name, field in kind.model_fields.items()}
    hints = get_type_hints(kind)
    return {name: (hints[name], "") for name in getattr(kind, "__dataclass_fields__", {})}


def _model_in(annotation: Any) -> type | None:
    """Return the model or dataclass of an annotation such as `Model` or `Model | None`."""
    if get_origin(annotation) in (Union, UnionType):
        return next((found for each in get_args(annotation) if (found := _model_in(each)) is not None), None)
    if isinstance(annotation, type) and (issubclass(annotation, BaseModel) or is_dataclass(annotation)):
        return annotation
    return None
