"""Settings of a game: a dataclass that is read from a JSON object."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import MISSING, Field, dataclass, field, fields
from typing import Any, TypeVar, get_args, get_origin, get_type_hints

from bitworld.errors import BadConfig

__all__ = ["GameSettings", "SlotSettings", "as_json", "number", "read_settings"]

MAX_SLOTS = 16

S = TypeVar("S")


def number(default: int, least: int = 0, most: int = 2**31 - 1) -> Any:
    """Declare an integer setting with its range."""
    return field(default=default, metadata={"least": least, "most": most})


@dataclass(frozen=True, kw_only=True)
class SlotSettings:
    """Which players a slot admits; an empty name or token admits all."""

    name: str = ""
    token: str = ""


@dataclass(frozen=True, kw_only=True)
class GameSettings:
    """The settings that every game has. A game adds its own in a subclass.

    A field `max_ticks` is the key `maxTicks` of the JSON object.
    """

    seed: int = number(679961, -(2**63), 2**63 - 1)
    max_ticks: int = number(0)
    """ticks of play until the game ends; 0 for no limit"""
    max_games: int = number(0)
    """games until the server is done; 0 for no limit"""
    min_players: int = number(1, 1, 16)
    """players that the first tick of play waits for"""
    game_over_ticks: int = number(240)
    """ticks for which the result is shown"""
    slots: list[SlotSettings] = field(default_factory=list)


def read_settings(kind: type[S], config: Mapping[str, Any] | None) -> S:
    """Read a game's settings. Unknown keys are ignored; a wrong value raises `BadConfig`."""
    if config is not None and not isinstance(config, Mapping):
        raise BadConfig(f"The configuration must be an object, not {_shown(config)}")
    values = dict(config or {})
    tokens = values.pop("tokens", None)
    if tokens is not None:
        values["slots"] = _with_tokens(values.get("slots", []), tokens)
    settings = _read(kind, values, "")
    _check_slots(getattr(settings, "slots", []))
    return settings


def as_json(value: Any) -> Any:
    """Return settings as JSON values, with the keys that `read_settings` reads."""
    if isinstance(value, list):
        return [as_json(item) for item in value]
    if hasattr(value, "__dataclass_fields__"):
        return {_key(item.name): as_json(getattr(value, item.name)) for item in fields(value)}
    return value


def _read(kind: Any, value: Any, path: str) -> Any:
    if get_origin(kind) is list:
        if not isinstance(value, list | tuple):
            raise BadConfig(f"`{path}` must be an array, not {_shown(value)}")
        return [_read(get_args(kind)[0], item, f"{path}[{i}]") for i, item in enumerate(value)]
    if hasattr(kind, "__dataclass_fields__"):
        if not isinstance(value, Mapping):
            raise BadConfig(f"`{path}` must be an object, not {_shown(value)}")
        hints = get_type_hints(kind)
        prefix = f"{path}." if path else ""
        present = [item for item in fields(kind) if _key(item.name) in value]
        return kind(
            **{item.name: _read_field(item, hints[item.name], value[_key(item.name)], prefix) for item in present}
        )
    names = {int: "an integer", bool: "true or false", str: "a string"}
    if type(value) is not kind:
        raise BadConfig(f"`{path}` must be {names[kind]}, not {_shown(value)}")
    return value


def _read_field(item: Field[Any], kind: Any, value: Any, prefix: str) -> Any:
    path = prefix + _key(item.name)
    read = _read(kind, value, path)
    least, most = item.metadata.get("least", MISSING), item.metadata.get("most", MISSING)
    if least is not MISSING and not least <= read <= most:
        raise BadConfig(f"`{path}` must be from {least} to {most}, not {read}")
    return read


def _with_tokens(slots: Any, tokens: Any) -> Any:
    if not isinstance(tokens, list | tuple) or not all(isinstance(token, str) for token in tokens):
        raise BadConfig(f"`tokens` must be an array of strings, not {_shown(tokens)}")
    if not isinstance(slots, list | tuple) or not all(isinstance(slot, Mapping) for slot in slots):
        raise BadConfig(f"`slots` must be an array of objects, not {_shown(slots)}")
    merged = [dict(slot) for slot in slots] + [{} for _ in tokens[len(slots) :]]
    for number_, token in enumerate(tokens):
        if merged[number_].get("token", token) != token:
            raise BadConfig(f"`tokens[{number_}]` differs from the token of `slots[{number_}]`")
        merged[number_]["token"] = token
    return merged


def _check_slots(slots: Sequence[SlotSettings]) -> None:
    if len(slots) > MAX_SLOTS:
        raise BadConfig(f"`slots` must have at most {MAX_SLOTS} entries, not {len(slots)}")
    for what in ("name", "token"):
        given = [getattr(slot, what) for slot in slots if getattr(slot, what)]
        twice = next((value for value in given if given.count(value) > 1), None)
        if twice is not None:
            raise BadConfig(f"Two slots have the same {what}" + (f" {twice!r}" if what == "name" else ""))


def _key(name: str) -> str:
    return re.sub("_([a-z])", lambda found: found[1].upper(), name)


def _shown(value: Any) -> str:
    text = repr(value)
    return text if len(text) <= 40 else f"{text[:40]}..."
