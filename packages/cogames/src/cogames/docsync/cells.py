"""The cells of a tutorial, independent of the file format."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import Any, Literal, get_args

__all__ = ["DIRECTIVES", "Cell", "DocsyncError", "Kind", "split_directive"]

Kind = Literal["text", "code", "console", "file"]
Directive = Literal["hide", "hide-input", "hide-output", "collapse-input", "collapse-output"]
DIRECTIVES: tuple[str, ...] = get_args(Directive)

_DIRECTIVE = re.compile(r"#\s*<<(.*?)>>\s*")


class DocsyncError(ValueError):
    """A tutorial cannot be read, run or written; the message names the file."""


@dataclass(frozen=True)
class Cell:
    """One cell. `source` of a command cell has one command per line; `name` is the name of a file cell.

    `outputs` have the notebook format, without execution counts. Cells compare equal regardless of their outputs.
    """

    kind: Kind
    source: str
    name: str = ""
    directive: str = ""
    outputs: tuple[dict[str, Any], ...] = field(default=(), compare=False)

    @property
    def keeps_outputs(self) -> bool:
        """Return whether the notebook stores the outputs of the cell."""
        return self.kind in ("code", "console") and self.directive not in ("hide", "hide-output")


def split_directive(source: str, where: str) -> tuple[str, str]:
    """Return the directive in a cell's first line ("" if absent) and the source without it."""
    first, _, rest = source.partition("\n")
    match = _DIRECTIVE.fullmatch(first)
    if match is None:
        return "", source
    if match[1] not in DIRECTIVES:
        raise DocsyncError(f"{where}: unknown directive <<{match[1]}>>; allowed: {', '.join(DIRECTIVES)}.")
    return match[1], rest
