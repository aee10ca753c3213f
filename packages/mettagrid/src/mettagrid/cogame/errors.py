"""The errors of missions and variants.

    MissionError (a ValueError)
      UnknownGame         no installed game has the name
      UnknownMission      no mission has the name
      UnknownVariant      no variant has the name
      VariantConflict     variants that are incompatible, or do not fit the mission
      CogsError           a number of cogs the mission cannot have

Each message is one line with the given value and the next step.
"""

import difflib
from collections.abc import Iterable


class MissionError(ValueError):
    """Base of all errors about missions, variants and games."""


class _Unknown(MissionError):
    """An unknown name; the message suggests similar ones."""

    template = "Name {!r} not found."

    def __init__(self, name: str, known: Iterable[str] = (), *, note: str = "") -> None:
        super().__init__(f"{self.template.format(name)}{' ' + note if note else close_names(name, known)}")
        self.name = name


class UnknownGame(_Unknown):
    template = "Game {!r} not found."


class UnknownMission(_Unknown):
    template = "Mission {!r} not found."


class UnknownVariant(_Unknown, AssertionError):
    """A variant name without a class. Also an `AssertionError`, which the published package raises, in its wording."""

    template = "Unknown variant {!r}."


class VariantConflict(MissionError):
    """Variants that exclude each other, or a variant that needs another kind of map."""


class CogsError(MissionError):
    """A number of cogs that the mission cannot have."""


def close_names(name: str, known: Iterable[str]) -> str:
    """Return a sentence with up to three names similar to `name`, or with some of the known ones."""
    names = sorted(set(known))
    close = difflib.get_close_matches(name, names, n=3, cutoff=0.6)
    if not close:
        folded = name.lower()
        close = [item for item in names if folded in item.lower() or item.lower() in folded][:3]
    if close:
        return f" Did you mean {' or '.join(map(repr, close))}?"
    examples = ", ".join(names[:8])
    return f" Known: {examples}{', ...' if len(names) > 8 else ''}." if names else ""
