"""Set one value of a configuration by its dotted path (`Config.override`)."""

from types import UnionType
from typing import Annotated, Any, Union, get_args, get_origin

from pydantic import BaseModel, TypeAdapter
from pydantic.fields import FieldInfo

from mettagrid.base_config import Config

_UNKNOWN = object()  # any type: values are stored as given


def override_path(config: Config, path: str, value: object) -> None:
    """Set the value at `path` below `config`; raise `ValueError` and change nothing if that is impossible."""
    _set_in_model(config, path.split("."), value, path)


def _set_in_model(model: BaseModel, parts: list[str], value: object, path: str) -> None:
    name, rest = parts[0], parts[1:]
    field = type(model).model_fields.get(name)
    if field is None:
        known = ", ".join(type(model).model_fields)
        raise ValueError(f"Cannot set {path!r}: {type(model).__name__} has no field {name!r}; its fields are {known}.")
    if not rest:
        setattr(model, name, _converted(_field_type(field), value))
        return
    child = getattr(model, name)
    if child is not None:
        _set_below(child, _field_type(field), rest, value, path)
        return
    created = _created(_only_model_type(field.annotation), name, path)
    _set_below(created, _field_type(field), rest, value, path)
    setattr(model, name, created)


def _set_below(container: object, declared: object, parts: list[str], value: object, path: str) -> None:
    if isinstance(container, BaseModel):
        _set_in_model(container, parts, value, path)
    elif isinstance(container, dict):
        _set_in_dict(container, _value_type(declared), parts, value, path)
    else:
        raise ValueError(
            f"Cannot set {path!r}: the part before {'.'.join(parts)!r} is a {type(container).__name__}; "
            "a path goes through models and dictionaries only."
        )


def _set_in_dict(mapping: dict[Any, Any], declared: object, parts: list[str], value: object, path: str) -> None:
    dotted_key = ".".join(parts)
    if dotted_key in mapping or len(parts) == 1:
        mapping[dotted_key] = _converted(declared, value)
        return
    for length in range(1, len(parts)):
        key = ".".join(parts[:length])
        if key in mapping:
            _set_below(mapping[key], declared, parts[length:], value, path)
            return
    model_type = _only_model_type(declared)
    if model_type is not None:
        created = _created(model_type, parts[0], path)
        _set_below(created, declared, parts[1:], value, path)
        mapping[parts[0]] = created
    elif len(parts) == 2:  # a new key with a dot in it, such as a stat name
        mapping[dotted_key] = _converted(declared, value)
    else:
        raise ValueError(
            f"Cannot set {path!r}: the dictionary has no key {dotted_key!r}; its keys are {list(mapping)}."
        )


def _created(model_type: type[BaseModel] | None, name: str, path: str) -> BaseModel:
    if model_type is None:
        raise ValueError(f"Cannot set {path!r}: {name!r} is None, and its type does not say which model to create.")
    needed = [key for key, field in model_type.model_fields.items() if field.is_required()]
    if needed:
        raise ValueError(
            f"Cannot set {path!r}: {name!r} is absent and a {model_type.__name__} cannot be created without {needed}."
        )
    return model_type()


def _converted(declared: Any, value: object) -> object:
    return value if declared is _UNKNOWN else TypeAdapter(declared).validate_python(value)


def _field_type(field: FieldInfo) -> object:
    """Return the declared type with its constraints and markers, as pydantic would apply them."""
    if not field.metadata:
        return field.annotation
    annotated: Any = Annotated
    return annotated[(field.annotation, *field.metadata)]


def _value_type(declared: object) -> object:
    """Return `V` of `dict[K, V]` (also inside `Annotated` and `Optional`), or `_UNKNOWN`."""
    if get_origin(declared) is Annotated:
        declared = get_args(declared)[0]
    if get_origin(declared) in (Union, UnionType):
        inner = [arg for arg in get_args(declared) if arg is not type(None)]
        declared = inner[0] if len(inner) == 1 else _UNKNOWN
    if get_origin(declared) is dict:
        return get_args(declared)[1]
    return _UNKNOWN


def _only_model_type(declared: object) -> type[BaseModel] | None:
    """Return the model class if `declared` is that class or `Optional` of it, else None."""
    if get_origin(declared) in (Union, UnionType):
        inner = [arg for arg in get_args(declared) if arg is not type(None)]
        declared = inner[0] if len(inner) == 1 else None
    return declared if isinstance(declared, type) and issubclass(declared, BaseModel) else None
