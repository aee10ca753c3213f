"""A tutorial is a list of cells, in whatever form it is kept."""

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
    """A tutorial that cannot be read, run or written: one sentence with the file."""


@dataclass(frozen=True)
class Cell:
    """One cell. Of commands, `source` has one in each line; of a file, `name` is its name.

    `outputs` are as a notebook keeps them, without numbers of runs. Two cells are equal whatever they printed.
    """

    kind: Kind
    source: str
    name: str = ""
    directive: str = ""
    outputs: tuple[dict[str, Any], ...] = field(default=(), compare=False)

    @property
    def keeps_outputs(self) -> bool:
        """Whether what it prints belongs in the notebook."""
        return self.kind in ("code", "console") and self.directive not in ("hide", "hide-output")


def split_directive(source: str, where: str) -> tuple[str, str]:
    """The directive of a cell's first line, or "", and the source without it."""
    first, _, rest = source.partition("\n")
    found = _DIRECTIVE.fullmatch(first)
    if found is None:
        return "", source
    if found[1] not in DIRECTIVES:
        raise DocsyncError(f"{where}: there is no directive <<{found[1]}>>; there are {', '.join(DIRECTIVES)}.")
    return found[1], rest
