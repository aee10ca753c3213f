"""The page of a tutorial: its notebook as Markdown."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

from cogames.docsync.cells import Cell, DocsyncError

__all__ = ["COLAB_LINK", "write_markdown"]

COLAB_LINK = "<<colab-link>>"
_FENCES = re.compile(r"^`{3,}", re.MULTILINE)


def write_markdown(cells: Sequence[Cell], *, colab_link: str | None = None) -> str:
    """Return the page. `colab_link` replaces `<<colab-link>>`; raise `DocsyncError` if it is needed but None."""
    blocks: list[str] = []
    for cell in cells:
        if cell.kind == "text":
            blocks.append(_text(cell.source, colab_link))
        elif cell.directive != "hide":
            blocks += _code(cell)
    return "\n\n".join(block for block in blocks if block) + "\n"


def _text(source: str, colab_link: str | None) -> str:
    if COLAB_LINK not in source:
        return source
    if colab_link is None:
        raise DocsyncError(f"A text contains {COLAB_LINK}, which needs the repository of the notebook.")
    return source.replace(COLAB_LINK, colab_link)


def _code(cell: Cell) -> list[str]:
    printed = "".join(map(_printed, cell.outputs)).strip("\n") if cell.keeps_outputs else ""
    if cell.kind == "console":
        commands = "\n".join(f"$ {line}" for line in cell.source.splitlines())
        together = f"{commands}\n{printed}" if printed else commands
        if not cell.directive or cell.directive == "hide-output":
            return [_block("console", together)]
        source = _block("console", commands)
    else:
        source = _block("python", cell.source)
    output = _block("text", printed) if printed else ""
    match cell.directive:
        case "hide-input":
            return [output]
        case "collapse-input":
            return [_folded("Code", source), output]
        case "collapse-output":
            return [source, _folded("Output", output) if output else ""]
    return [source, output]


def _printed(output: dict[str, Any]) -> str:
    """Return the plain text of an output; images and HTML have none."""
    if output["output_type"] == "stream":
        return "".join(output["text"])
    return "".join(output.get("data", {}).get("text/plain", [])) + "\n"


def _block(language: str, text: str) -> str:
    fence = max([*(match[0] for match in _FENCES.finditer(text)), "``"], key=len) + "`"
    return f"{fence}{language}\n{text}\n{fence}"


def _folded(title: str, block: str) -> str:
    return f"<details>\n<summary>{title}</summary>\n\n{block}\n\n</details>"
