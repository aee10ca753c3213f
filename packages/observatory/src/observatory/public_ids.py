"""Public ids: the prefix of a kind of row and the row's UUID, such as `league_0198...`."""

from __future__ import annotations

import uuid
from typing import Literal, get_args

from observatory.errors import NotFound, ObservatoryError

__all__ = ["Prefix", "parse_public_id", "public_id"]

Prefix = Literal[
    "cfeval",
    "cmr",
    "cow",
    "div",
    "ereq",
    "game",
    "img",
    "lby",
    "league",
    "lpm",
    "lseed",
    "pool",
    "ps",
    "pww",
    "round",
    "rptr",
    "sub",
    "tour",
    "xreq",
]

_NAMES: dict[str, str] = {
    "cfeval": "counterfactual evaluation",
    "cmr": "commissioner",
    "cow": "Coworld",
    "div": "division",
    "ereq": "episode request",
    "game": "game",
    "img": "container image",
    "lby": "lobby",
    "league": "league",
    "lpm": "league membership",
    "lseed": "league seed",
    "pool": "pool",
    "ps": "play session",
    "pww": "recorded window",
    "round": "round",
    "rptr": "reporter",
    "sub": "league submission",
    "tour": "tournament",
    "xreq": "experience request",
}
assert set(_NAMES) == set(get_args(Prefix))


def public_id(prefix: Prefix, row_id: uuid.UUID) -> str:
    """Return the public id of a row."""
    return f"{prefix}_{row_id}"


def parse_public_id(prefix: Prefix, text: str, *, error: type[ObservatoryError] = NotFound) -> uuid.UUID:
    """Return the UUID of a public id; raise `error` if the prefix is another one, or no UUID follows.

    An id in a path raises 404 (`NotFound`); for one in a body or a query pass `error=Unprocessable`.
    """
    head, _, tail = text.partition("_")
    try:
        row_id = uuid.UUID(tail)
    except ValueError:
        row_id = None
    if head != prefix or row_id is None or str(row_id) != tail:
        article = "an" if _NAMES[prefix][0] in "aeiou" else "a"
        raise error(f"{text[:80]!r} is not the id of {article} {_NAMES[prefix]}; such an id begins with `{prefix}_`")
    return row_id
