"""Write a new policy from a template.

The text is the source of a built-in policy without its short names, so that the copy does not claim them too.
"""

from __future__ import annotations

import keyword
import re
from dataclasses import dataclass
from importlib.resources import files
from pathlib import Path

__all__ = ["TEMPLATES", "WrittenPolicy", "make_policy", "policy_template"]

# Kind -> (module of `cogames.policy`, class to play with).
TEMPLATES = {
    "scripted": ("starter_agent", "StarterPolicy"),
    "trainable": ("trainable_policy_template", "MyTrainablePolicy"),
    "amongthem": ("amongthem_policy_template", "AmongThemPolicy"),
}

_SHORT_NAMES = re.compile(r"^[ \t]+short_names\b.*\n\n?", re.MULTILINE)


@dataclass(frozen=True)
class WrittenPolicy:
    """The written file and its class, in the form that `-p` accepts."""

    path: Path
    class_path: str
    replaced: bool


def make_policy(kind: str, path: Path, *, replace: bool = False) -> WrittenPolicy:
    """Write the template of a kind (`scripted`, `trainable`, `amongthem`) to a Python file.

    Raises `ValueError` for a folder, and for a name that cannot be imported; `FileExistsError` for an existing file,
    unless `replace` is set.
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
    with path.open("w" if replace else "x", encoding="utf-8") as file:
        file.write(policy_template(kind))
    return WrittenPolicy(path, f"{path.stem}.{TEMPLATES[kind][1]}", replaced)


def policy_template(kind: str) -> str:
    """Return the source of a new policy; raise `KeyError` for a kind that is not in `TEMPLATES`."""
    module, _ = TEMPLATES[kind]
    source = files("cogames.policy").joinpath(f"{module}.py").read_text(encoding="utf-8")
    return _SHORT_NAMES.sub("", source).rstrip() + "\n"
