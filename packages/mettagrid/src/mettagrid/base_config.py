"""The base class of every configuration model.

Configurations are pydantic models with three additional rules:

* unknown keys are errors, unless the validation runs with `LENIENT_CONTEXT`, which drops them at every level;
* `override("game.obs.width", 9)` changes one value by its dotted path and checks it against the field's type;
* schemas are built on first use, so importing a module full of models stays cheap.

Plain attribute assignment is not checked.
"""

from collections.abc import Mapping
from enum import StrEnum
from typing import Any, Self, get_args

from pydantic import BaseModel, ConfigDict, ValidationInfo, model_validator
from pydantic_core import from_json

__all__ = ["LENIENT_CONTEXT", "Config", "ConfigStrEnum"]

LENIENT_CONTEXT: dict[str, bool] = {"lenient": True}
"""Validation context that drops unknown keys: `SomeConfig.model_validate(data, context=LENIENT_CONTEXT)`."""


class ConfigStrEnum(StrEnum):
    """A string enumeration whose members are written as their lower-case value."""


class Config(BaseModel):
    """Base of all configuration models."""

    model_config = ConfigDict(extra="forbid", defer_build=True, ser_json_inf_nan="constants")

    @model_validator(mode="before")
    @classmethod
    def _drop_unknown_keys_if_lenient(cls, data: Any, info: ValidationInfo) -> Any:
        # `info.context` is read once: this runs for every model of every config.
        context = info.context
        if context and is_lenient(context) and isinstance(data, dict):
            known = _known_keys(cls)
            return {key: value for key, value in data.items() if key in known}
        return data

    @classmethod
    def model_rebuild(cls, *, _parent_namespace_depth: int = 2, **options: Any) -> bool | None:
        # Pydantic calls this when a class is first used. Completing the classes of the fields first lets it reuse
        # their finished schemas; otherwise it would rebuild them inside every class that contains them.
        if cls not in _being_completed:
            _being_completed.add(cls)
            try:
                for field in cls.model_fields.values():
                    _complete_models_in(field.annotation)
            finally:
                _being_completed.discard(cls)
        return super().model_rebuild(_parent_namespace_depth=_parent_namespace_depth + 1, **options)

    @classmethod
    def model_validate_json(cls, json_data: str | bytes | bytearray, **options: Any) -> Self:
        # Parsing the whole text first is faster than validating while parsing: each class checks its data in Python.
        if options.get("strict") is None:
            try:
                data = from_json(json_data)
            except ValueError:
                pass  # pydantic reports invalid JSON below
            else:
                return cls.model_validate(data, **options)
        return super().model_validate_json(json_data, **options)

    def override(self, key: str, value: object) -> Self:
        """Set the value at a dotted path, such as `game.agent.inventory.initial.heart`, and return `self`.

        The path walks through models and dictionaries. A sub-model that is `None` is created when its type needs no
        arguments. Keys of dictionaries may contain dots and may be new; fields of models may not be new. The value
        is converted to the type of its place (`"7"` becomes 7).

        Raises `ValueError` if the path does not exist and pydantic's `ValidationError` (also a `ValueError`) if the
        value does not fit. Nothing is changed in either case.
        """
        from mettagrid.config._override import override_path  # only needed by this method

        override_path(self, key, value)
        return self

    def update(self, updates: Mapping[str, object]) -> Self:
        """Apply several `override`s in order and return `self`."""
        for key, value in updates.items():
            self.override(key, value)
        return self


_being_completed: set[type[Config]] = set()  # stops the recursion where classes contain one another


def _complete_models_in(annotation: object) -> None:
    for part in get_args(annotation):
        _complete_models_in(part)
    if not isinstance(annotation, type) or not issubclass(annotation, Config):
        return
    if not annotation.__pydantic_complete__ and annotation not in _being_completed:
        annotation.model_rebuild(raise_errors=False)


def is_lenient(context: object) -> bool:
    """Return whether a validation context drops unknown keys."""
    return isinstance(context, dict) and bool(context.get("lenient"))


def _known_keys(model: type[BaseModel]) -> set[str]:
    known = set(model.model_fields)
    known.update(field.alias for field in model.model_fields.values() if field.alias)
    return known
