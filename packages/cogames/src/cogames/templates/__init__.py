"""Policies to start from, as source text: what `cogames tutorial make-policy` writes.

The text is that of a policy which plays here under its own name; only its short names are left out, so that the copy
does not claim them too.
"""

from __future__ import annotations

import re
from importlib.resources import files

__all__ = ["TEMPLATES", "policy_template"]

# Kind -> (module of `cogames.policy`, class to play with).
TEMPLATES = {
    "scripted": ("starter_agent", "StarterPolicy"),
    "trainable": ("trainable_policy_template", "MyTrainablePolicy"),
}

_SHORT_NAMES = re.compile(r"^[ \t]+short_names\b.*\n\n?", re.MULTILINE)


def policy_template(kind: str) -> str:
    """The source of a policy of its own; `KeyError` for a kind that is not in `TEMPLATES`."""
    module, _ = TEMPLATES[kind]
    source = files("cogames.policy").joinpath(f"{module}.py").read_text(encoding="utf-8")
    return _SHORT_NAMES.sub("", source).rstrip() + "\n"
