"""The unions of the rule language: filters, mutations, queries, game values, handlers.

These models are mutually recursive (a query has filters, a filter has a game value, a game value has a query). With
ordinary pydantic unions every one of the fifty classes would contain the schema of all the others. Here a union is a
small marker inside `Annotated`: it inspects the input, picks the class, and calls that class's own validator. Each
schema stays flat and is built on first use, and picking the class costs one dictionary look-up.

`AnyFilter`, `AnyQuery`, ... below are for the model modules themselves, which cannot import the full unions yet. Users
import the same names from `mettagrid.config.filter`, `.mutation`, `.query`, `.game_value` and `.handler_config`.
"""

import importlib
import reprlib
import threading
from collections.abc import Callable
from typing import TYPE_CHECKING, Annotated, Any, TypeAlias, get_args

from pydantic import (
    BaseModel,
    GetCoreSchemaHandler,
    GetJsonSchemaHandler,
    ValidationError,
    ValidationInfo,
    model_serializer,
)
from pydantic.fields import FieldInfo
from pydantic.json_schema import JsonSchemaValue
from pydantic_core import CoreSchema, PydanticCustomError, SchemaValidator, core_schema

from mettagrid.base_config import Config, is_lenient

if TYPE_CHECKING:
    from collections.abc import Sequence

    from mettagrid.config.filter import AnyFilter
    from mettagrid.config.game_value import AnyGameValue
    from mettagrid.config.handler_config import AnyHandler
    from mettagrid.config.mutation import AnyMutation
    from mettagrid.config.query import AnyQuery

_MAX_DEPTH = 100  # levels of rules inside rules; the native stack would hold a few times as many

_INT = SchemaValidator(core_schema.int_schema())
_SCALAR_SCHEMAS = {str: core_schema.str_schema(), int: core_schema.int_schema()}
_SCALAR_NAMES = {str: "a tag name or ", int: "an integer or "}

ClassFinder = Callable[[], tuple[type[BaseModel], ...]]


class _ThreadState(threading.local):
    """State of this thread: levels of validation, and unions whose JSON schema is being written.

    `composites` counts the sums, ratios, maxima and minima around the current value. `refused` holds values that fit no
    class, by identity, until the outermost rule is done.
    """

    def __init__(self) -> None:
        self.depth = 0
        self.composites = 0
        self.refused: dict[int, tuple[object, ValidationError | PydanticCustomError]] = {}
        self.writing: list[RuleUnion] = []


_state = _ThreadState()


class _Reader:
    """The validator of one class, ready to call."""

    __slots__ = ("contains_rules", "validate")

    def __init__(self, cls: type[BaseModel]) -> None:
        self.validate: Callable[..., BaseModel] = _completed(cls).__pydantic_validator__.validate_python
        self.contains_rules = any(_has_union(field) for field in cls.model_fields.values())

    def read(self, data: dict[Any, Any], context: Any) -> BaseModel:
        """Return the object that `data` describes; raise an error for rules nested too deeply for the stack."""
        if not self.contains_rules:
            return self.validate(data, context=context)
        if _state.depth >= _MAX_DEPTH:
            raise PydanticCustomError(
                "nested_too_deeply", "Rules are nested more than {limit} levels deep.", {"limit": _MAX_DEPTH}
            )
        _state.depth += 1
        try:
            return self.validate(data, context=context)
        finally:
            _state.depth -= 1
            if not _state.depth:
                _state.refused.clear()


def _completed(cls: type[BaseModel]) -> type[BaseModel]:
    if not cls.__pydantic_complete__:
        cls.model_rebuild()
    return cls


def _has_union(field: FieldInfo) -> bool:
    marked = any(isinstance(item, RuleUnion) for item in field.metadata)
    return marked or _mentions_union(field.annotation)


def _mentions_union(annotation: object) -> bool:
    return any(isinstance(part, RuleUnion) or _mentions_union(part) for part in get_args(annotation))


class RuleUnion:
    """Marker for `Annotated`: the value is an object of one of `classes`, or a dictionary that describes one.

    `scalar` also allows `str` or `int`.
    """

    def __init__(self, noun: str, classes: ClassFinder, *, scalar: type | None = None) -> None:
        self.noun = noun
        self.scalar = scalar
        self._find_classes = classes
        self._classes: tuple[type[BaseModel], ...] = ()

    @property
    def classes(self) -> tuple[type[BaseModel], ...]:
        if not self._classes:
            self._classes = self._find_classes()
        return self._classes

    def _read(self, data: dict[Any, Any], context: Any) -> BaseModel:
        """Return the object that `data` describes."""
        raise NotImplementedError

    def _validate(self, value: Any, info: ValidationInfo) -> Any:
        if isinstance(value, dict):
            return self._read(value, info.context)
        if isinstance(value, self.classes):
            return value
        if self.scalar is str and isinstance(value, str):
            return value
        if self.scalar is int and not isinstance(value, BaseModel):
            return value if type(value) is int else _INT.validate_python(value)
        raise PydanticCustomError(
            "rule_type",
            "Expected {alternative}a {noun}, given as an object or a dictionary, but got {given}.",
            {
                "alternative": _SCALAR_NAMES.get(self.scalar or object, ""),
                "noun": self.noun,
                "given": type(value).__name__,
            },
        )

    def __get_pydantic_core_schema__(self, source: object, handler: GetCoreSchemaHandler) -> CoreSchema:
        return core_schema.with_info_plain_validator_function(self._validate)

    def __get_pydantic_json_schema__(self, schema: CoreSchema, handler: GetJsonSchemaHandler) -> JsonSchemaValue:
        # Inside the schema of the same union its members are only references: an outer level defines them.
        repeated = any(union.classes == self.classes for union in _state.writing)
        _state.writing.append(self)
        try:
            union = self._json_union([_json_member(cls, reference=repeated) for cls in self.classes])
            if self.scalar is not None:
                union = core_schema.union_schema([_SCALAR_SCHEMAS[self.scalar], union])
            return handler(union)
        finally:
            _state.writing.pop()

    def _json_union(self, members: list[CoreSchema]) -> CoreSchema:
        return core_schema.union_schema(list(members))


def _json_member(cls: type[BaseModel], *, reference: bool) -> CoreSchema:
    schema: Any = _completed(cls).__pydantic_core_schema__
    if not reference:
        return schema
    while schema["type"] == "definitions":
        schema = schema["schema"]
    return core_schema.definition_reference_schema(schema.get("ref") or schema["schema_ref"])


class TaggedUnion(RuleUnion):
    """A union whose members are distinguished by the value of one key."""

    def __init__(
        self,
        noun: str,
        key: str,
        classes: ClassFinder,
        *,
        default: str | None = None,
        scalar: type | None = None,
    ) -> None:
        super().__init__(noun, classes, scalar=scalar)
        self.key = key
        self.default = default
        self._by_tag: dict[object, type[BaseModel]] = {}
        self._readers: dict[object, _Reader] = {}  # filled on first use of each tag
        self._leaves: dict[str, Callable[..., BaseModel]] = {}

    @property
    def by_tag(self) -> dict[object, type[BaseModel]]:
        if not self._by_tag:
            for cls in self.classes:
                field = cls.model_fields.get(self.key)
                self._by_tag[field.default if field else self.default] = cls
        return self._by_tag

    def or_scalar(self, scalar: type) -> "TaggedUnion":
        """Return the same union that also accepts plain strings or integers."""
        return TaggedUnion(self.noun, self.key, self._find_classes, default=self.default, scalar=scalar)

    def _validate(self, value: Any, info: ValidationInfo) -> Any:
        # Fast path for most values of a large configuration: a known tag whose class contains no other rules.
        if type(value) is dict:
            tag = value.get(self.key)
            validate = self._leaves.get(tag) if type(tag) is str else None
            if validate is not None:
                return validate(value, context=info.context)
        return super()._validate(value, info)

    def _tag_of(self, data: dict[Any, Any]) -> object:
        return data.get(self.key, self.default)

    def _read(self, data: dict[Any, Any], context: Any) -> BaseModel:
        tag = self._tag_of(data)
        try:
            reader = self._readers[tag]
        except KeyError:
            reader = self._readers[tag] = _Reader(self._class_of(tag, data))
            if not reader.contains_rules and isinstance(tag, str):
                self._leaves[tag] = reader.validate
        except TypeError:  # the tag is a list or a dictionary
            reader = _Reader(self._class_of(None, data))
        return reader.read(data, context)

    def _class_of(self, tag: object, data: dict[Any, Any]) -> type[BaseModel]:
        if tag in self.by_tag:
            return self.by_tag[tag]
        allowed = ", ".join(map(repr, self.by_tag))
        if self.key not in data:
            raise PydanticCustomError(
                "tag_missing",
                "A {noun} needs the key '{key}', one of {allowed}.",
                {"noun": self.noun, "key": self.key, "allowed": allowed},
            )
        raise PydanticCustomError(
            "tag_unknown",
            "Unknown {key} {tag}; a {noun} has one of {allowed}.",
            {"noun": self.noun, "key": self.key, "tag": reprlib.repr(data[self.key]), "allowed": allowed},
        )

    def _json_union(self, members: list[CoreSchema]) -> CoreSchema:
        tags: dict[Any, CoreSchema] = dict(zip(self.by_tag, members, strict=True))
        # With a default the key may be absent, which a schema cannot express: it only lists the members.
        discriminator: Any = self.key if self.default is None else self._tag_of
        return core_schema.tagged_union_schema(tags, discriminator)


class FilterUnion(TaggedUnion):
    """Filters. Inside a composite game value a dictionary without `$type` stays unread; see `UnreadFilter`."""

    def _validate(self, value: Any, info: ValidationInfo) -> Any:
        # Filters are the most frequent rules by far: the fast path of `TaggedUnion` is repeated here to save a call.
        if type(value) is dict and not _state.composites:
            tag = value.get(self.key)
            validate = self._leaves.get(tag) if type(tag) is str else None
            if validate is not None:
                return validate(value, context=info.context)
            return TaggedUnion._validate(self, value, info)
        if isinstance(value, UnreadFilter):
            return value
        if not isinstance(value, dict) or not _state.composites:
            return super()._validate(value, info)
        if "$type" not in value:
            return UnreadFilter(data=value)
        marked = {key: item for key, item in value.items() if key != "$type"}
        outside, _state.composites = _state.composites, 0
        try:
            return super()._validate(marked, info)
        finally:
            _state.composites = outside


class UnreadFilter(Config):
    """A filter given as a dictionary inside a sum, ratio, maximum or minimum. It has no effect.

    The published package ignores filters there (those of queries below a composite game value), and existing files
    depend on it. A filter given as an object works, and our own dumps mark it with `"$type"`, so that it works after
    loading too.
    """

    data: dict[str, Any]

    @model_serializer(mode="plain")
    def _write_as_given(self) -> dict[str, Any]:
        return self.data


class NestedHandlers(TaggedUnion):
    """Handlers inside a composite: `{"handlers": [...]}` without a `handler_type` counts as first-match there."""

    def _tag_of(self, data: dict[Any, Any]) -> object:
        default = "first_match" if "handlers" in data else self.default
        return data.get(self.key, default)

    def _json_union(self, members: list[CoreSchema]) -> CoreSchema:
        return core_schema.union_schema(list(members))


class ShapeUnion(RuleUnion):
    """Game values carry no tag: the class is the one whose fields fit the keys.

    `values` alone fits a sum, a maximum and a minimum. It means a sum unless the key `$type` names `MaxGameValue` or
    `MinGameValue`; dumps of those two have that key.
    """

    _NAMED = ("MaxGameValue", "MinGameValue")

    def __init__(self, noun: str, classes: ClassFinder, *, scalar: type | None = None) -> None:
        super().__init__(noun, classes, scalar=scalar)
        self._readers: dict[frozenset[str], _Reader] = {}  # by set of keys; only a few sets occur

    def or_scalar(self, scalar: type) -> "ShapeUnion":
        """Return the same union that also accepts plain integers."""
        return ShapeUnion(self.noun, self._find_classes, scalar=scalar)

    def _read(self, data: dict[Any, Any], context: Any) -> BaseModel:
        keys = frozenset(data)
        lenient = is_lenient(context)
        if "$type" in keys:
            named = self._named(data["$type"], lenient=lenient)
            if named is not None:
                return named.read(data, context)
        if lenient:
            return self._read_leniently(data, context)
        reader = self._readers.get(keys)
        if reader is None:
            # Only the classes with `values` fit the same keys; the sum comes first.
            fitting = [cls for cls in self.classes if _required(cls) <= keys <= cls.model_fields.keys()]
            if not fitting:
                raise self._no_such_shape(data)
            reader = self._readers[keys] = _Reader(fitting[0])
        return reader.read(data, context)

    def _read_leniently(self, data: dict[Any, Any], context: Any) -> BaseModel:
        """Read with unknown keys dropped. Several classes may fit: the one with the most known keys is tried first.

        A rejected value is not read again for each class that the enclosing values may have: with deep nesting that
        would take exponential time.
        """
        if id(data) in _state.refused:
            raise _state.refused[id(data)][1]
        fitting = [cls for cls in self.classes if _required(cls) <= data.keys()]
        fitting.sort(key=lambda cls: -len(cls.model_fields.keys() & data.keys()))
        refusal: ValidationError | PydanticCustomError | None = None
        try:
            for cls in fitting:
                try:
                    return _Reader(cls).read(data, context)
                except ValidationError as error:
                    refusal = refusal or error
            refusal = refusal or self._no_such_shape(data)
            if _state.depth:
                _state.refused[id(data)] = (data, refusal)
            raise refusal
        finally:
            # Pydantic's errors may refer to this frame in a way that the garbage collector cannot see.
            refusal = None

    def _named(self, kind: object, *, lenient: bool) -> _Reader | None:
        named = {cls.__name__: cls for cls in self.classes if cls.__name__ in self._NAMED}
        if isinstance(kind, str) and kind in named:
            return _Reader(named[kind])
        if lenient:
            return None
        raise PydanticCustomError(
            "game_value_type",
            "Unknown $type {kind}; allowed here: {allowed}.",
            {"kind": reprlib.repr(kind), "allowed": ", ".join(named) or "none"},
        )

    def _no_such_shape(self, data: dict[Any, Any]) -> PydanticCustomError:
        return PydanticCustomError(
            "game_value_shape",
            "No {noun} has the keys {given}; the allowed sets of keys are: {allowed}.",
            {
                "noun": self.noun,
                "given": ", ".join(sorted(map(str, data)))[:200] or "(none)",
                "allowed": "; ".join(map(_shape, self.classes)),
            },
        )


class CompositeParts(ShapeUnion):
    """The values inside a sum, ratio, maximum or minimum."""

    def _validate(self, value: Any, info: ValidationInfo) -> Any:
        _state.composites += 1
        try:
            return super()._validate(value, info)
        finally:
            _state.composites -= 1


def _required(cls: type[BaseModel]) -> set[str]:
    return {name for name, field in cls.model_fields.items() if field.is_required()}


def _shape(cls: type[BaseModel]) -> str:
    return " ".join(name if field.is_required() else f"[{name}]" for name, field in cls.model_fields.items())


def _members_of(module: str, alias: str) -> ClassFinder:
    """Return the classes of `Annotated[Union[...], marker]` called `alias` in `module`, imported when first needed."""

    def find() -> tuple[type[BaseModel], ...]:
        union = get_args(getattr(importlib.import_module(module), alias))[0]
        return get_args(union)

    return find


FILTERS = FilterUnion("filter", "filter_type", _members_of("mettagrid.config.filter", "AnyFilter"))
MUTATIONS = TaggedUnion("mutation", "mutation_type", _members_of("mettagrid.config.mutation", "AnyMutation"))
QUERIES = TaggedUnion("query", "query_type", _members_of("mettagrid.config.query", "AnyQuery"))
GAME_VALUES = ShapeUnion("game value", _members_of("mettagrid.config.game_value", "AnyGameValue"))
PARTS = CompositeParts("game value", _members_of("mettagrid.config.game_value", "AnyGameValue"))
HANDLERS = TaggedUnion(
    "handler", "handler_type", _members_of("mettagrid.config.handler_config", "AnyHandler"), default="handler"
)
NESTED_HANDLERS = NestedHandlers(
    "handler", "handler_type", _members_of("mettagrid.config.handler_config", "AnyHandler"), default="handler"
)

if TYPE_CHECKING:
    FilterList: TypeAlias = Sequence[AnyFilter]
    TagOrQuery: TypeAlias = str | AnyQuery
    IntOrGameValue: TypeAlias = int | AnyGameValue
    AnyNestedHandler: TypeAlias = AnyHandler
    AnyPart = AnyGameValue
else:
    AnyFilter = Annotated[BaseModel, FILTERS]
    AnyMutation = Annotated[BaseModel, MUTATIONS]
    AnyQuery = Annotated[BaseModel, QUERIES]
    AnyGameValue = Annotated[BaseModel, GAME_VALUES]
    AnyPart = Annotated[BaseModel, PARTS]
    AnyHandler = Annotated[BaseModel, HANDLERS]
    AnyNestedHandler = Annotated[BaseModel, NESTED_HANDLERS]
    FilterList = list[AnyFilter]
    TagOrQuery = Annotated[str | BaseModel, QUERIES.or_scalar(str)]
    IntOrGameValue = Annotated[int | BaseModel, GAME_VALUES.or_scalar(int)]
