"""A policy of one's own, copied from a template."""

from __future__ import annotations

import keyword
from dataclasses import dataclass
from pathlib import Path

from cogames.templates import TEMPLATES, policy_template

__all__ = ["MadePolicy", "make_policy"]


@dataclass(frozen=True)
class MadePolicy:
    """The file that was written, and the class in it as one types it after `-p`."""

    path: Path
    class_path: str
    replaced: bool


def make_policy(kind: str, path: Path) -> MadePolicy:
    """Write the template of a kind (`scripted`, `trainable`) to a file, which must be a Python module by its name.

    ValueError for a name that cannot be imported, and for a folder.
    """
    path = path.expanduser()
    if path.suffix != ".py":
        raise ValueError(f"{path} is no Python file; its name must end in .py.")
    if not path.stem.isidentifier() or keyword.iskeyword(path.stem):
        raise ValueError(
            f"{path.stem!r} cannot be imported as a Python module; use letters, digits and underscores, "
            "a letter first, and no word of the language."
        )
    if path.is_dir():
        raise ValueError(f"{path} is a folder.")
    replaced = path.exists()
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(policy_template(kind), encoding="utf-8")
    return MadePolicy(path, f"{path.stem}.{TEMPLATES[kind][1]}", replaced)
