"""Limits for the values of a season, so that it can be stored, shown and played in reasonable time."""

from __future__ import annotations

import unicodedata
from typing import Annotated

from pydantic import AfterValidator, Field

__all__ = ["Amount", "LongText", "ShortText", "Title"]

MAX_AGENTS = 1000
MAX_STEPS = 1_000_000
MAX_MINUTES = 60 * 24 * 366
MAX_DAYS = 36_600
MAX_DELAY_SECONDS = 3600
MAX_SEED = 2**31 - 1


def _keepable(text: str) -> str:
    """Reject text that a database or a page cannot show: control characters and lone surrogates."""
    if any(unicodedata.category(character) in ("Cc", "Cs") and character not in "\n\t" for character in text):
        raise ValueError("control characters cannot be shown")
    return text


def _one_line(text: str) -> str:
    if len(text.splitlines()) != 1 or not any(character.isprintable() for character in text.strip()):
        raise ValueError("must be one line that can be read")
    return _keepable(text)


Title = Annotated[str, Field(max_length=200), AfterValidator(_one_line)]
"""one line"""
ShortText = Annotated[str, Field(max_length=2000), AfterValidator(_keepable)]
LongText = Annotated[str, Field(max_length=100_000), AfterValidator(_keepable)]
Amount = Annotated[int, Field(ge=1, le=10_000)]
"""of matches, failures, teams or ranks"""
