"""Convert policies' infos for files: plain JSON, in a fixed order, of limited size."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from typing import Any

MAX_BYTES = 1024
_MAX_DEPTH = 32
_AS_THEY_ARE = frozenset({str, int, bool, type(None)})

compact_json = json.JSONEncoder(separators=(",", ":")).encode
"""JSON without whitespace"""


def fit_infos(infos: Mapping[Any, Any]) -> dict[str, Any]:
    """Return infos as JSON with sorted keys, at most `MAX_BYTES` of it.

    While it is too long the longest entry is dropped, the first among equals. Values that JSON does not support become
    null (numbers that are not finite) or text.
    """
    plain: dict[str, Any] = _plain(dict(infos), 0)
    if len(compact_json(plain)) <= MAX_BYTES:
        return plain
    sizes = {key: len(compact_json(value)) for key, value in plain.items()}
    total = len(compact_json(plain))
    for longest in sorted(sizes, key=sizes.__getitem__, reverse=True):
        if total <= MAX_BYTES:
            break
        # Its key, a colon, its value, and a comma unless it is the last one left.
        total -= len(compact_json(longest)) + 1 + sizes[longest] + (len(plain) > 1)
        del plain[longest]
    return plain


def _plain(value: Any, depth: int) -> Any:
    kind = type(value)
    if kind in _AS_THEY_ARE:
        return value
    if isinstance(value, float):
        return float(value) if math.isfinite(value) else None
    if isinstance(value, str | int):
        return str(value) if isinstance(value, str) else int(value)
    if depth > _MAX_DEPTH:
        return "..."
    if isinstance(value, dict):
        keys = sorted(value, key=str)
        return {
            key if type(key) is str else _key(key): item if type(item) in _AS_THEY_ARE else _plain(item, depth + 1)
            for key, item in ((key, value[key]) for key in keys)
        }
    if isinstance(value, list | tuple):
        return [item if type(item) in _AS_THEY_ARE else _plain(item, depth + 1) for item in value]
    if isinstance(value, set | frozenset):
        return sorted((_plain(item, depth + 1) for item in value), key=str)
    as_list = getattr(value, "tolist", None)  # numbers and arrays of numpy and torch
    if callable(as_list):
        return _plain(as_list(), depth + 1)
    return str(value)


def _key(key: Any) -> str:
    """Return the key as JSON writes it."""
    if isinstance(key, str):
        return key
    if key is None or isinstance(key, bool):
        return json.dumps(key)
    return str(key)
