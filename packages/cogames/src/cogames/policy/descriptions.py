"""One-line descriptions of policies, read from the source of their classes without importing them."""

from __future__ import annotations

import ast
import importlib.util
from pathlib import Path

__all__ = ["describe_policy"]


def describe_policy(class_path: str) -> str | None:
    """Return the first line of the docstring of a class; None if it has none or its source cannot be read."""
    module, _, name = class_path.rpartition(".")
    try:
        spec = importlib.util.find_spec(module)
        source = Path(spec.origin).read_text(encoding="utf-8") if spec is not None and spec.origin else ""
        tree = ast.parse(source)
    except (ImportError, ValueError, OSError, SyntaxError):
        return None
    for node in tree.body:
        if isinstance(node, ast.ClassDef) and node.name == name:
            return (ast.get_docstring(node) or "").partition("\n")[0].strip() or None
    return None
