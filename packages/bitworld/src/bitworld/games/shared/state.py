"""The state of a game as 64-bit words: one form for hashes and snapshots.

A state is a dataclass of integers, booleans, strings, `Random`, and lists or dataclasses of these.
"""

from collections.abc import Iterator
from dataclasses import fields
from functools import cache
from typing import Any, TypeVar, get_args, get_origin, get_type_hints

import numpy as np
from numpy.typing import NDArray

from bitworld._native import Random, hash_words

__all__ = ["Words", "from_words", "hash_of", "to_words"]

Words = NDArray[np.int64]

T = TypeVar("T")


def to_words(*states: Any) -> Words:
    """Return all values of states, in the order of their fields; strings and lists begin with their length."""
    words: list[int] = []
    for state in states:
        _add(state, words)
    return np.array(words, np.int64)


def from_words(words: Words, *kinds: type[Any]) -> list[Any]:
    """Return the states that have these words. Raises `ValueError` if the words are of other kinds."""
    rest = iter(words.tolist())
    try:
        states = [_take(kind, rest) for kind in kinds]
    except (StopIteration, OverflowError, ValueError) as error:
        raise ValueError("the words end too early or are out of range") from error
    if next(rest, None) is not None:
        raise ValueError("there are words after the end of the state")
    return states


def hash_of(words: Words) -> int:
    value: int = hash_words(words)
    return value


def _add(value: Any, words: list[int]) -> None:
    if isinstance(value, int):
        words.append(int(value))
    elif isinstance(value, list):
        words.append(len(value))
        for item in value:
            _add(item, words)
    elif isinstance(value, str):
        words.append(len(value))
        words.extend(map(ord, value))
    elif isinstance(value, Random):
        words.extend(_signed(part) for part in value.state)
    else:
        for name, _ in _fields(value.__class__):
            _add(getattr(value, name), words)


def _take(kind: Any, words: Iterator[int]) -> Any:
    if get_origin(kind) is list:
        return [_take(get_args(kind)[0], words) for _ in range(next(words))]
    if kind is str:
        return "".join([chr(next(words)) for _ in range(next(words))])
    if kind is Random:
        random = Random(0)
        random.state = (next(words) % 2**64, next(words) % 2**64)
        return random
    if issubclass(kind, int):
        return kind(next(words))
    return kind(**{name: _take(field_kind, words) for name, field_kind in _fields(kind)})


@cache
def _fields(kind: type[Any]) -> list[tuple[str, Any]]:
    hints = get_type_hints(kind)
    return [(item.name, hints[item.name]) for item in fields(kind)]


def _signed(word: int) -> int:
    return word - 2**64 if word >= 2**63 else word
