"""Policy templates as source text, for `cogames tutorial make-policy`.

The text is the source of a built-in policy without its short names, so that the copy does not claim them too.
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
    """Return the source of a new policy; raise `KeyError` for a kind that is not in `TEMPLATES`."""
    module, _ = TEMPLATES[kind]
    source = files("cogames.policy").joinpath(f"{module}.py").read_text(encoding="utf-8")
    return _SHORT_NAMES.sub("", source).rstrip() + "\n"
