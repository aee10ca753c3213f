"""Write the values of single seats into a configuration: names, owners and control."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from coworld.errors import DocumentError, Problem
from coworld.schema.validation import JsonObject

__all__ = [
    "game_config_with_input_player_controls",
    "game_config_with_named_players",
    "game_config_with_overwritten_named_players",
    "validate_game_config_players_match_count",
]


def validate_game_config_players_match_count(game_config: JsonObject, player_count: int) -> None:
    """Raise `DocumentError` when the configuration lists another number of players than there are."""
    players = game_config.get("players")
    if isinstance(players, list) and len(players) != player_count:
        message = "game_config.players must match resolved player count"
        fix = f"there are {player_count} seats and {len(players)} game_config.players: make them equal"
        raise DocumentError([Problem("players", message, fix)], text=message)


def game_config_with_named_players(
    game_config: JsonObject,
    player_names: list[str],
    config_schema: dict[str, Any],
    player_owners: list[str | None] | None = None,
) -> JsonObject:
    """Return the configuration with the name of every seat, if the schema allows names.

    Names that come twice get ` (2)`, ` (3)`. With `player_owners`, and where the schema declares `owner` as a string,
    owners are written and authored ones dropped.

    Raises:
        DocumentError: the configuration lists another number of players, holds something that is not an object there,
            or names players in `player_names`; or there is not one owner per name.
    """
    _refuse_player_names(game_config)
    if player_owners is not None and len(player_owners) != len(player_names):
        message = "player_owners must match player_names"
        fix = f"there are {len(player_owners)} owners and {len(player_names)} names: give one owner per name"
        raise DocumentError([Problem("player_owners", message, fix)], text=message)
    if _seat_properties(config_schema) is not None:
        validate_game_config_players_match_count(game_config, len(player_names))
    return _with_names(game_config, player_names, config_schema, player_owners)


def game_config_with_overwritten_named_players(
    game_config: JsonObject, player_names: list[str], config_schema: dict[str, Any]
) -> JsonObject:
    """Return the configuration with any number of names. Surplus players of the configuration are dropped; missing ones
    repeat the authored players in order, so that roles and teams cycle.

    Raises:
        DocumentError: `players` holds something that is not an object, or there are `player_names`.
    """
    _refuse_player_names(game_config)
    return _with_names(game_config, player_names, config_schema, None)


def _refuse_player_names(game_config: JsonObject) -> None:
    if "player_names" in game_config:
        message = "game_config.player_names is not supported; use game_config.players[].name"
        raise DocumentError([Problem("player_names", message, "remove `player_names`")], text=message)


def _with_names(
    game_config: JsonObject, names: list[str], config_schema: dict[str, Any], owners: list[str | None] | None
) -> JsonObject:
    seat = _seat_properties(config_schema)
    if seat is None:
        return dict(game_config)
    authored = _objects(game_config, "players")
    seats = [dict(authored[index % len(authored)]) if authored else {} for index in range(len(names))]
    for index, (entry, name) in enumerate(zip(seats, _distinct(names), strict=True)):
        entry["name"] = name
        if owners is not None and _is_string(seat.get("owner")):
            entry.pop("owner", None)
            if owners[index] is not None:
                entry["owner"] = owners[index]
    return {**game_config, "players": seats}


def _seat_properties(config_schema: dict[str, Any]) -> dict[str, Any] | None:
    """Return the properties of one of `players`, when it is an object with a string `name`."""
    properties = _item_properties(config_schema, "players")
    return properties if properties is not None and _is_string(properties.get("name")) else None


def _is_string(schema: object) -> bool:
    return isinstance(schema, dict) and schema.get("type") == "string"


def _distinct(names: Sequence[str]) -> list[str]:
    """Return `a, a, b, a` as `a, a (2), b, a (3)`, skipping names that are already taken."""
    used: set[str] = set()
    distinct = []
    for name in names:
        count, candidate = 1, name
        while candidate in used:
            count += 1
            candidate = f"{name} ({count})"
        used.add(candidate)
        distinct.append(candidate)
    return distinct


def game_config_with_input_player_controls(
    game_config: JsonObject, player_positions: list[int], config_schema: dict[str, Any]
) -> JsonObject:
    """Return the configuration with `slots[i].control` set to `input` for the seats of people, if the schema has that
    field: a string enum with `input` and `play`.

    Raises:
        DocumentError: the configuration's `slots` are not objects.
    """
    control = (_item_properties(config_schema, "slots") or {}).get("control")
    choices = control.get("enum") if isinstance(control, dict) and _is_string(control) else None
    words = {word for word in choices if isinstance(word, str)} if isinstance(choices, list) else set()
    if not player_positions or not {"input", "play"} <= words:
        return dict(game_config)
    slots = [dict(slot) for slot in _objects(game_config, "slots")]
    slots += [{} for _ in range(max(player_positions) + 1 - len(slots))]
    for position in player_positions:
        slots[position]["control"] = "input"
    return {**game_config, "slots": slots}


def _objects(game_config: JsonObject, key: str) -> list[dict[str, Any]]:
    entries = game_config.get(key, [])
    if not isinstance(entries, list) or not all(isinstance(item, dict) for item in entries):
        message = f"game_config.{key} must be a list of objects"
        raise DocumentError([Problem(key, message, "write one object per seat")], text=message)
    return entries


def _item_properties(config_schema: dict[str, Any], key: str) -> dict[str, Any] | None:
    """Return the properties of one item of an array of objects; one reference is followed."""
    properties = config_schema.get("properties")
    array = properties.get(key) if isinstance(properties, dict) else None
    here: Any = array.get("items") if isinstance(array, dict) and array.get("type") == "array" else None
    reference = here.get("$ref") if isinstance(here, dict) else None
    if isinstance(reference, str) and reference.startswith("#/"):
        here = config_schema
        for part in reference[2:].split("/"):
            here = here.get(part.replace("~1", "/").replace("~0", "~")) if isinstance(here, dict) else None
    properties = here.get("properties") if isinstance(here, dict) and here.get("type") == "object" else None
    return properties if isinstance(properties, dict) else None
