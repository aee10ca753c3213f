"""The settings of a league as fields of a form: names, meanings, defaults and allowed values, from their models."""

from __future__ import annotations

import types
from collections.abc import Iterator, Sequence
from typing import Annotated, Any, Literal, Union, get_args, get_origin

from pydantic import BaseModel
from pydantic.fields import FieldInfo

from observatory.database.tables.leagues import Division
from observatory.leagues.ladder_settings import (
    Continuous,
    Fulfillment,
    Ladder,
    LadderDivision,
    Persistent,
    Qualification,
    Ranking,
    Scheduler,
    SettingsDocument,
)
from observatory.public_ids import public_id

__all__ = ["SettingsField", "settings_fields"]

JSON = "json"


class SettingsField(BaseModel):
    """One setting. `path` leads to it in the document; a step `divisions[div_...]` is the entry of that division."""

    path: list[str]
    group: str
    title: str
    about: str
    kind: str
    """`boolean`, `integer`, `number`, `choice`, `text` or `json`"""
    default: Any
    required: bool
    minimum: float | None = None
    maximum: float | None = None
    choices: list[str] = []
    only_with: dict[str, str] = {}
    """the choice of another setting, by its last step, with which this one exists"""


def settings_fields(divisions: Sequence[Division]) -> list[SettingsField]:
    """Return all settings of a league with these divisions, in the order of the form."""
    document, ladder = SettingsDocument.model_fields, Ladder.model_fields
    return [
        _field(["ladder", "enabled"], "Rounds", ladder["enabled"]),
        _field(["round_interval_minutes"], "Rounds", document["round_interval_minutes"]),
        _field(["ladder", "round_trigger"], "Rounds", ladder["round_trigger"]),
        _field(["ladder", "players_per_user"], "Rounds", ladder["players_per_user"]),
        *_union(["ladder", "scheduler"], "Seats", Scheduler, "strategy"),
        *_union(["ladder", "ranking"], "Ranking", Ranking, "algorithm"),
        *_model(["ladder", "fulfillment"], "Failures", Fulfillment),
        *(
            field
            for division in divisions
            for field in _model(
                ["ladder", f"divisions[{public_id('div', division.id)}]"],
                f"Moves from {division.name}",
                LadderDivision,
                leave_out=("division_id", "name"),
            )
        ),
        *_model(["ladder", "qualification"], "Qualification", Qualification),
        *_model(["ladder", "continuous"], "Continuous grading", Continuous),
        *_model(["ladder", "persistent"], "Persistent episodes", Persistent),
        _field(["ladder", "leader_slot_config"], "Seats", ladder["leader_slot_config"]),
        _field(["role_runs"], "Reports", document["role_runs"]),
        _field(["worker_labels"], "Workers", document["worker_labels"]),
    ]


def _model(
    path: list[str], group: str, model: type[BaseModel], *, leave_out: Sequence[str] = ()
) -> Iterator[SettingsField]:
    for name, info in model.model_fields.items():
        if name not in leave_out:
            yield _field([*path, name], group, info)


def _union(path: list[str], group: str, union: Any, discriminator: str) -> Iterator[SettingsField]:
    """Yield the choice between the variants of a union, then the settings of each variant, equal ones once."""
    variants = _variants(union)
    names = [get_args(variant.model_fields[discriminator].annotation)[0] for variant in variants]
    yield SettingsField(
        path=[*path, discriminator],
        group=group,
        title=_title(discriminator),
        about="; ".join(f"`{name}`: {_about(variant)}" for name, variant in zip(names, variants, strict=True)),
        kind="choice",
        default=names[0],
        required=False,
        choices=names,
    )
    for name, variant in zip(names, variants, strict=True):
        for field in _model(path, group, variant, leave_out=(discriminator,)):
            yield field.model_copy(update={"only_with": {discriminator: name}})


def _variants(union: Any) -> list[type[BaseModel]]:
    if get_origin(union) is Annotated:
        return _variants(get_args(union)[0])
    return list(get_args(union))


def _field(path: list[str], group: str, info: FieldInfo) -> SettingsField:
    annotation, metadata = _plain(info.annotation, list(info.metadata))
    kind, choices = _kind(annotation)
    bounds = {
        key: value
        for item in metadata
        for key in ("ge", "gt", "le", "lt")
        if (value := getattr(item, key, None)) is not None
    }
    default = None if info.is_required() else info.get_default(call_default_factory=True)
    return SettingsField(
        path=path,
        group=group,
        title=_title(path[-1]),
        about=info.description or "",
        kind=kind,
        default=default.model_dump(mode="json") if isinstance(default, BaseModel) else default,
        required=info.is_required(),
        minimum=bounds.get("ge", bounds.get("gt")) if kind in ("integer", "number") else None,
        maximum=bounds.get("le", bounds.get("lt")) if kind in ("integer", "number") else None,
        choices=choices,
    )


def _plain(annotation: Any, metadata: list[Any]) -> tuple[Any, list[Any]]:
    """Return an annotation without `None` and `Annotated`, and the constraints that were found on the way."""
    if get_origin(annotation) is Annotated:
        inner, *more = get_args(annotation)
        found = [part for item in more for part in (item.metadata if isinstance(item, FieldInfo) else [item])]
        return _plain(inner, [*metadata, *found])
    if get_origin(annotation) in (Union, types.UnionType):
        parts = [part for part in get_args(annotation) if part is not type(None)]
        if len(parts) == 1:
            return _plain(parts[0], metadata)
    return annotation, metadata


def _kind(annotation: Any) -> tuple[str, list[str]]:
    if get_origin(annotation) is Literal:
        return "choice", [str(choice) for choice in get_args(annotation)]
    return {bool: "boolean", int: "integer", float: "number", str: "text"}.get(annotation, JSON), []


def _title(name: str) -> str:
    return name.replace("_", " ").capitalize()


def _about(model: type[BaseModel]) -> str:
    text = (model.__doc__ or "").strip()
    return text.rstrip(".")
