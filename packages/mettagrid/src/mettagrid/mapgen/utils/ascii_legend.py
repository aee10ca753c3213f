"""The legend of drawn maps. It does not import numpy: map configurations need only this module."""

from collections.abc import Mapping

GLOBAL_DEFAULT_MAPPINGS: dict[str, str] = {"#": "wall", ".": "empty", "@": "agent.agent"}
"""The fixed legend: these characters mean the same on every map."""

DEFAULT_CHAR_TO_NAME: dict[str, str] = {
    **GLOBAL_DEFAULT_MAPPINGS,
    "p": "agent.prey",
    "P": "agent.predator",
    "_": "hub",
    "c": "converter",
    "C": "chest",
    "Z": "hub",
    "1": "agent.team_1",
    "2": "agent.team_2",
    "3": "agent.team_3",
    "4": "agent.team_4",
}
"""The legend of maps without their own."""


def default_char_to_name() -> dict[str, str]:
    """Return a copy of `DEFAULT_CHAR_TO_NAME`."""
    return dict(DEFAULT_CHAR_TO_NAME)


def merge_with_global_defaults(char_to_name: Mapping[str, str]) -> dict[str, str]:
    """Return the fixed legend followed by the given one; raises `ValueError` if that redefines a fixed character."""
    for char, fixed in GLOBAL_DEFAULT_MAPPINGS.items():
        given = char_to_name.get(char, fixed)
        if given != fixed:
            raise ValueError(
                f"Cannot override global default mapping for {char!r}: it always means {fixed!r}, not {given!r}. "
                "Use another character."
            )
    return {**GLOBAL_DEFAULT_MAPPINGS, **char_to_name}
