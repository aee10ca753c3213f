"""Read `slots` and `tokens`: places that the configuration reserves for names, tokens, roles or colours."""

from collections.abc import Mapping
from typing import Any

from bitworld.errors import BadConfig

__all__ = ["COLOURS", "COLOUR_NAMES", "ROLES", "read_slots"]

COLOUR_NAMES = (
    "black gray white red pink dark_brown brown orange yellow dark_teal green lime dark_navy blue light_blue pale_blue"
)
COLOURS = {name.replace("_", " "): index for index, name in enumerate(COLOUR_NAMES.split())}
"""names of the palette's colours, as published servers write them -> index"""

COLOUR_ALIASES = {"cyan": "light blue", "grey": "gray", "teal": "dark teal", "navy": "dark navy"}
ROLE_NAMES = {"crew": "crew", "crewmate": "crew", "imp": "imposter", "imposter": "imposter", "impostor": "imposter"}
ROLES = {"crew": 0, "imposter": 1}


def read_slots(tokens: Any, slots: Any, most: int) -> tuple[list[str], list[dict[str, str]]]:
    """Return the tokens and the slots of the complete configuration, both with one entry per slot."""
    for name, items in (("tokens", tokens), ("slots", slots)):
        if not isinstance(items, list | tuple):
            raise BadConfig(f"{name} must be an array")
        if len(items) > most:
            raise BadConfig(f"{name} may have {most} entries, not {len(items)}")
    count = max(len(tokens), len(slots))
    read = [_slot(slots[i], i) if i < len(slots) else {} for i in range(count)]
    for i, token in enumerate(tokens):
        if not isinstance(token, str):
            raise BadConfig(f"tokens[{i}] must be a text")
        own = read[i].setdefault("token", token)
        if own != token and token and own:
            raise BadConfig(f"tokens[{i}] and slots[{i}].token must be the same")
        read[i]["token"] = own or token
    for key in ("name", "token"):
        _no_duplicates(key, [slot.get(key, "") for slot in read])
    return [slot.pop("token", "") for slot in read], read


def _slot(slot: Any, index: int) -> dict[str, str]:
    if not isinstance(slot, Mapping):
        raise BadConfig(f"slots[{index}] must be an object")
    read: dict[str, str] = {}
    for key in ("name", "token", "role", "color"):
        if key not in slot:
            continue
        if not isinstance(slot[key], str):
            raise BadConfig(f"slots[{index}].{key} must be a text")
        read[key] = slot[key]
    if "role" in read:
        read["role"] = _role(read["role"], f"slots[{index}].role")
    if "color" in read:
        read["color"] = _colour(read["color"], f"slots[{index}].color")
    return read


def _role(text: str, where: str) -> str:
    role = ROLE_NAMES.get(text.strip().lower())
    if role is None:
        raise BadConfig(f"{where} must be one of {', '.join(ROLE_NAMES)}, not {text!r}")
    return role


def _colour(text: str, where: str) -> str:
    """Return the published name of a colour; case, spaces, `-` and `_` do not matter."""
    plain = {name.replace(" ", ""): name for name in COLOURS} | COLOUR_ALIASES
    letters = "".join(letter for letter in text.lower() if letter not in " _-")
    if letters not in plain:
        raise BadConfig(f"{where} must be one of {', '.join(COLOURS)}, not {text!r}")
    return plain[letters]


def _no_duplicates(key: str, values: list[str]) -> None:
    given = [value for value in values if value]
    for value in given:
        if given.count(value) > 1:
            raise BadConfig(f"Two slots have the same {key}" + (f" {value!r}" if key == "name" else ""))
