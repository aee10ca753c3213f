"""Numbers that tests refer to by name."""

from dataclasses import dataclass
from typing import ClassVar

__all__ = ["TokenTypes"]


@dataclass
class TokenTypes:
    """Shape of an observation token, its padding, and the type id of walls in the worlds of tests."""

    OBS_TOKEN_SIZE: ClassVar[int] = 3
    EMPTY_TOKEN: ClassVar[list[int]] = [0xFF, 0xFF, 0xFF]

    WALL_TYPE_ID: int = 1
