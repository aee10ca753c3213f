"""Packages that come with an extra."""

from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def extra(name: str) -> Iterator[None]:
    """Around imports: when one is missing, say which extra brings it."""
    try:
        yield
    except ModuleNotFoundError as error:
        raise ImportError(
            f"`{error.name}` is not installed: `pip install mettagrid[{name}]`", name=error.name
        ) from None
