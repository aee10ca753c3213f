"""Read and write the notebook of a tutorial: nbformat 4.5, without anything that differs from run to run."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from cogames.docsync.cells import Cell, DocsyncError, split_directive

__all__ = ["plain_output", "read_notebook", "write_notebook"]

_METADATA = {
    "kernelspec": {"display_name": "Python 3", "language": "python", "name": "python3"},
    "language_info": {"name": "python"},
}
_FILE = re.compile(r"%%writefile[ \t]+(\S+)[ \t]*(?:\n|$)")


def read_notebook(text: str, where: str | Path = "the notebook") -> list[Cell]:
    """Return the cells of a notebook with their outputs."""
    try:
        document = json.loads(text)
        return [_read_cell(cell, f"{where}, cell {number}") for number, cell in enumerate(document["cells"], start=1)]
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        if isinstance(error, DocsyncError):
            raise
        raise DocsyncError(f"{where} is not a notebook of format 4.") from error


def write_notebook(cells: Sequence[Cell]) -> str:
    """Return the notebook as text. The same cells give the same bytes."""
    written = [_write_cell(cell, f"cell-{number}") for number, cell in enumerate(cells, start=1)]
    document = {"cells": written, "metadata": _METADATA, "nbformat": 4, "nbformat_minor": 5}
    return json.dumps(document, indent=1, ensure_ascii=False) + "\n"


def _read_cell(cell: dict[str, Any], where: str) -> Cell:
    source = _joined(cell["source"]).strip("\n")
    if cell["cell_type"] == "markdown":
        return Cell("text", "\n".join(line.rstrip() for line in source.splitlines()))
    if cell["cell_type"] != "code":
        raise DocsyncError(f"{where} has the type {cell['cell_type']}; allowed: markdown and code.")
    file = _FILE.match(source)
    if file is not None:
        return Cell("file", source[file.end() :].strip("\n"), name=file[1])
    directive, source = split_directive(source, where)
    outputs = tuple(plain_output(output) for output in cell.get("outputs", []))
    lines = source.splitlines()
    if lines and all(line.startswith("!") for line in lines):
        return Cell("console", "\n".join(line[1:].strip() for line in lines), directive=directive, outputs=outputs)
    if any(line.startswith(("!", "%")) for line in lines):
        raise DocsyncError(f"{where} mixes Python with `!` or `%` lines; put them in separate cells.")
    return Cell("code", source, directive=directive, outputs=outputs)


def _write_cell(cell: Cell, cell_id: str) -> dict[str, Any]:
    head = {"cell_type": "markdown" if cell.kind == "text" else "code"}
    more: dict[str, Any] = {"id": cell_id, "metadata": {}}
    if cell.kind != "text":
        head["execution_count"] = None  # type: ignore[assignment]
        more["outputs"] = list(cell.outputs) if cell.keeps_outputs else []
    return {**head, **more, "source": _lines(_notebook_source(cell))}


def _notebook_source(cell: Cell) -> str:
    source = cell.source
    if cell.kind == "file":
        return f"%%writefile {cell.name}\n{source}"
    if cell.kind == "console":
        source = "\n".join(f"!{line}" for line in source.splitlines())
    return f"# <<{cell.directive}>>\n{source}" if cell.directive else source


def plain_output(output: Mapping[str, Any]) -> dict[str, Any]:
    """Return an output without its execution count, with texts split into lines and keys in a fixed order."""
    plain = dict(output)
    if plain["output_type"] == "execute_result":
        plain["execution_count"] = None
    if "text" in plain:
        plain["text"] = _lines(_joined(plain["text"]))
    if "data" in plain:
        plain["data"] = {kind: _data(value) for kind, value in sorted(plain["data"].items())}
        plain["metadata"] = {}
    return dict(sorted(plain.items()))


def _data(value: Any) -> Any:
    return _lines(_joined(value)) if isinstance(value, str | list) else value


def _joined(text: str | list[str]) -> str:
    return text if isinstance(text, str) else "".join(text)


def _lines(text: str) -> list[str]:
    return text.splitlines(keepends=True)
