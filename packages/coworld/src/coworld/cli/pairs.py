"""Options of the form `KEY=VALUE`, which may be repeated."""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import Any

from softmax.cli.errors import UsageError

__all__ = ["json_pairs", "text_pairs"]


def text_pairs(words: Iterable[str] | None, option: str) -> dict[str, str]:
    """Return the values by key; raise `UsageError` for a word without a key or `=`."""
    pairs: dict[str, str] = {}
    for word in words or []:
        key, equals, value = word.partition("=")
        if not key or not equals:
            raise UsageError(f"{option} {word!r} is not KEY=VALUE", [f"write {option} KEY=VALUE"])
        pairs[key] = value
    return pairs


def json_pairs(words: Iterable[str] | None, option: str) -> dict[str, Any]:
    """Return the same with values as JSON; a value that is not JSON is text."""
    return {key: _value(text) for key, text in text_pairs(words, option).items()}


def _value(text: str) -> Any:
    try:
        return json.loads(text)
    except ValueError:
        return text
