"""JSON documents from clients, checked before they are stored."""

from __future__ import annotations

import math
from typing import Annotated, Any

from pydantic import AfterValidator

__all__ = ["MAX_DEPTH", "Document", "check_document"]

MAX_DEPTH = 64


def check_document(document: dict[str, Any]) -> dict[str, Any]:
    """Reject values that parse but cannot be stored or sent: deep nesting, infinities, lone surrogates."""
    level: list[Any] = [document]
    for _ in range(MAX_DEPTH):
        next_level: list[Any] = []
        for value in level:
            for entry in _parts(value):
                if isinstance(entry, dict | list):
                    next_level.append(entry)
                else:
                    _check_value(entry)
        if not next_level:
            return document
        level = next_level
    raise ValueError(f"must not be nested more than {MAX_DEPTH} times")


def _parts(value: dict[str, Any] | list[Any]) -> list[Any]:
    return [*value, *value.values()] if isinstance(value, dict) else value


def _check_value(value: object) -> None:
    if isinstance(value, float) and not math.isfinite(value):
        raise ValueError("must not hold NaN or infinity")
    if isinstance(value, str) and ("\0" in value or any("\ud800" <= character <= "\udfff" for character in value)):
        raise ValueError("must not hold zero bytes or lone surrogates")


Document = Annotated[dict[str, Any], AfterValidator(check_document)]
"""an object with anything in it, within reason"""
