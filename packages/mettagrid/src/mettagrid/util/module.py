"""Finding a Python object by its dotted name."""

import importlib
from typing import Any


def load_symbol(full_name: str, strict: bool = True) -> Any:
    """Return the object named `package.module.Name` or `package.module.Outer.Inner`.

    Raises `ModuleNotFoundError` when there is no such thing; with `strict=False` returns `None` instead. A name
    without a dot is always refused.
    """
    module_name, dot, symbol = full_name.rpartition(".")
    if not dot:
        raise ModuleNotFoundError(f"{full_name!r} is no full name of the form module.symbol.")
    try:
        owner = _import_or_load(module_name)
    except ModuleNotFoundError:
        if strict:
            raise
        return None
    if owner is not None and hasattr(owner, symbol):
        return getattr(owner, symbol)
    if strict:
        raise ModuleNotFoundError(f"{module_name!r} has nothing called {symbol!r}.")
    return None


def _import_or_load(name: str) -> Any:
    """The module called `name`, or, where the name goes on inside a module, the object in it."""
    try:
        return importlib.import_module(name)
    except ModuleNotFoundError as error:
        inside_module = error.name is not None and name.startswith(error.name)
        if "." not in name or not inside_module:
            raise
        owner = load_symbol(name, strict=False)
        if owner is None:
            raise
        return owner
    except (ImportError, ValueError) as error:
        raise ModuleNotFoundError(f"{name!r} cannot be imported: {error}") from error
