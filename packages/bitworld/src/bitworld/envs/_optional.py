"""Imports of packages that an extra installs."""

from collections.abc import Iterator
from contextlib import contextmanager

__all__ = ["extra"]


@contextmanager
def extra(name: str) -> Iterator[None]:
    """Wrap imports: if a package is missing, raise an ImportError that names the extra to install."""
    try:
        yield
    except ModuleNotFoundError as error:
        missing = (error.name or "").partition(".")[0]
        raise ImportError(f"`{missing}` is not installed: `pip install bitworld[{name}]`", name=missing) from None
