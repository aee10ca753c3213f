"""Find a Python object by its dotted name."""

import importlib
import importlib.util
from typing import Any


def load_symbol(full_name: str, strict: bool = True) -> Any:
    """Return the object named `package.module.Name` or `package.module.Outer.Inner`.

    A module may also be a Jupyter notebook on the import path. Raises `ModuleNotFoundError` if there is no such
    object; with `strict=False` returns `None` instead. A name without a dot is always an error.
    """
    module_name, dot, symbol = full_name.rpartition(".")
    if not dot:
        raise ModuleNotFoundError(f"Invalid symbol name: {full_name}; write it as module.symbol")
    try:
        owner = _import_or_load(module_name)
    except ModuleNotFoundError:
        if strict:
            raise
        return None
    if owner is not None and hasattr(owner, symbol):
        return getattr(owner, symbol)
    if strict:
        raise ModuleNotFoundError(f"Could not load symbol: {full_name}; {module_name!r} has nothing called {symbol!r}")
    return None


def _import_or_load(name: str) -> Any:
    """Return the module called `name`, or the object inside a module that the rest of the name gives."""
    try:
        return importlib.import_module(name)
    except ModuleNotFoundError as error:
        inside_module = error.name is not None and f"{name}.".startswith(f"{error.name}.")
        if not inside_module:
            raise
        from mettagrid.util.notebook import import_notebook

        notebook = import_notebook(name)
        if notebook is not None:
            return notebook
        owner = load_symbol(name, strict=False) if "." in name else None
        if owner is None:
            raise
        return owner
    except (ImportError, ValueError) as error:
        raise ModuleNotFoundError(f"{name!r} cannot be imported: {error}") from error
