"""Configurations that name their own class.

A field that accepts any map builder, or any scene, must know on loading which class was saved. Such configurations
store it under `type`: `"my_module.Stripes.Config"` is the attribute `Config` of the class `Stripes` in `my_module`.
"""

import reprlib
from typing import Any, ClassVar, Self

from pydantic import SerializerFunctionWrapHandler, ValidationInfo, model_serializer, model_validator
from pydantic.functional_validators import ModelWrapValidatorHandler
from pydantic_core import PydanticCustomError

from mettagrid.base_config import Config
from mettagrid.util.module import load_symbol


class TypedConfig(Config):
    """Base of configurations that are saved with their `type`."""

    _kind: ClassVar[str]  # what the configurations describe, for messages
    _example: ClassVar[str]  # a type name, for messages
    _family: ClassVar[type[Config]]  # the common base class, which cannot be loaded without a `type`

    @classmethod
    def _type_name(cls) -> str | None:
        """Return the name to save under `type`, or `None` for a part that no class uses as its configuration."""
        raise NotImplementedError

    @model_validator(mode="wrap")
    @classmethod
    def _read_type(cls, data: Any, handler: ModelWrapValidatorHandler[Self], info: ValidationInfo) -> Self:
        if isinstance(data, cls):
            return handler(data)
        if not isinstance(data, dict):
            raise PydanticCustomError(
                "typed_config",
                "A {kind} is given as a dictionary or a configuration object, not as {given}.",
                {"kind": cls._kind, "given": type(data).__name__},
            )
        if "type" not in data and cls is cls._family:
            raise PydanticCustomError(
                "typed_config_missing",
                "A {kind} needs the key 'type', the full name of its configuration class such as {example}.",
                {"kind": cls._kind, "example": cls._example},
            )
        if "type" not in data or "type" in cls.model_fields:
            return handler(data)
        fields = {key: value for key, value in data.items() if key != "type"}
        target = cls._class_called(data["type"])
        if target is cls:
            return handler(fields)
        return target.model_validate(fields, context=info.context)

    @classmethod
    def _class_called(cls, name: object) -> type[Self]:
        """Return the configuration class called `name`; raises `TypeError` if it is not a subclass of `cls`."""
        target = load_type(name, cls._kind)
        if not isinstance(target, type) or not issubclass(target, cls):
            expected = None if cls is cls._family else cls._type_name()
            raise TypeError(f"The type {name} is not a subclass of {expected or cls.__name__}.")
        return target

    @model_serializer(mode="wrap")
    def _write_type(self, handler: SerializerFunctionWrapHandler) -> dict[str, Any]:
        name = self._type_name()
        return handler(self) if name is None else {"type": name, **handler(self)}


def load_type(name: object, kind: str) -> Any:
    """Return the class that a saved `type` names; raises `PydanticCustomError` if there is none."""
    if not isinstance(name, str):
        raise PydanticCustomError(
            "typed_config_name",
            "The type of a {kind} is the full name of its configuration class, not {given}.",
            {"kind": kind, "given": reprlib.repr(name)},
        )
    try:
        return load_symbol(name)
    except Exception as error:  # importing runs third-party code, which may fail in any way
        raise PydanticCustomError(
            "typed_config_name",
            "The {kind} type {name} cannot be loaded: {reason}",
            {"kind": kind, "name": repr(name)[:200], "reason": str(error) or type(error).__name__},
        ) from error
