"""Write a new policy from a template."""

from __future__ import annotations

import keyword
from dataclasses import dataclass
from pathlib import Path

from cogames.templates import TEMPLATES, policy_template

__all__ = ["MadePolicy", "make_policy"]


@dataclass(frozen=True)
class MadePolicy:
    """The written file and its class, in the form that `-p` accepts."""

    path: Path
    class_path: str
    replaced: bool


def make_policy(kind: str, path: Path) -> MadePolicy:
    """Write the template of a kind (`scripted`, `trainable`) to a Python file.

    Raises `ValueError` for a folder, and for a name that cannot be imported.
    """
    path = path.expanduser()
    if path.suffix != ".py":
        raise ValueError(f"{path} is not a Python file; its name must end in .py.")
    if not path.stem.isidentifier() or keyword.iskeyword(path.stem):
        raise ValueError(
            f"{path.stem!r} cannot be imported as a Python module; use letters, digits and underscores, "
            "start with a letter, and avoid Python keywords."
        )
    if path.is_dir():
        raise ValueError(f"{path} is a folder.")
    replaced = path.exists()
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(policy_template(kind), encoding="utf-8")
    return MadePolicy(path, f"{path.stem}.{TEMPLATES[kind][1]}", replaced)
