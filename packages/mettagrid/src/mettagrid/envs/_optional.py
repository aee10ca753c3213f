"""Packages that come with an extra."""

from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def extra(name: str) -> Iterator[None]:
    """Around imports: when one is missing, say which extra brings it."""
    try:
        yield
    except ModuleNotFoundError as error:
        missing = (error.name or "").partition(".")[0]
        raise ImportError(f"`{missing}` is not installed: `pip install mettagrid[{name}]`", name=missing) from None
