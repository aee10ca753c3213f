"""Numbers tests refer to by name."""

from dataclasses import dataclass


@dataclass
class TokenTypes:
    """Type ids in the small worlds of the tests."""

    WALL_TYPE_ID: int = 1
