"""Read and write the script of a tutorial: cells after `# %%` lines, and a header that makes the file runnable."""

from __future__ import annotations

import ast
import json
import re
from collections.abc import Sequence
from pathlib import Path

from cogames.docsync.cells import Cell, DocsyncError, split_directive

__all__ = ["is_tutorial", "read_script", "write_script"]

_MARKER = re.compile(r"^# %%(?: \[(?P<tag>[^\]]*)\])?[ \t]*$", re.MULTILINE)
_HEAD = '''\
"""{title}

A script, a notebook and a page with the same content; this is the one to edit. `cogames docsync all` makes the others.
"""

from cogames.docsync.scripts import {names}

start(__file__)
'''


def is_tutorial(text: str) -> bool:
    """Return whether a Python file has cells of text."""
    return any(match["tag"] == "markdown" for match in _MARKER.finditer(text))


def read_script(text: str, where: str | Path = "the script") -> list[Cell]:
    """Return the cells of a script. Text before the first `# %%` belongs only to the script."""
    marks = list(_MARKER.finditer(text))
    if not marks:
        raise DocsyncError(f"{where} has no cells; a cell begins with a line `# %%`.")
    ends = [mark.start() for mark in marks[1:]] + [len(text)]
    return [
        _read_cell(mark["tag"] or "", text[mark.end() : end].strip("\n"), f"{where}, cell {number}")
        for number, (mark, end) in enumerate(zip(marks, ends, strict=True), start=1)
    ]


def write_script(cells: Sequence[Cell]) -> str:
    """Return a runnable script with these cells."""
    title = next((cell.source.lstrip("# ").partition("\n")[0] for cell in cells if cell.kind == "text"), "Tutorial")
    names = "console, start" if any(cell.kind == "console" for cell in cells) else "start"
    blocks = [_HEAD.format(title=title.rstrip(".") + ".", names=names), *map(_write_cell, cells)]
    return "\n".join(blocks)


def _read_cell(tag: str, body: str, where: str) -> Cell:
    if tag == "markdown":
        return Cell("text", "\n".join(_uncommented(line, where) for line in body.splitlines()))
    if tag.startswith("file "):
        return Cell("file", body, name=tag.removeprefix("file ").strip())
    directive, body = split_directive(body, where)
    if tag == "console":
        return Cell("console", "\n".join(_commands(body, where)), directive=directive)
    if tag:
        raise DocsyncError(f"{where} has the tag [{tag}]; allowed: [markdown], [console], [file NAME] or no tag.")
    return Cell("code", body, directive=directive)


def _uncommented(line: str, where: str) -> str:
    if line.startswith("# ") or line == "#":
        return line[2:]
    raise DocsyncError(f"{where} is text, but {line!r} does not begin with '# '.")


def _commands(body: str, where: str) -> list[str]:
    """Return the commands of a cell of `console("...")` calls."""
    try:
        return [_command(statement) for statement in ast.parse(body).body]
    except (SyntaxError, ValueError):
        raise DocsyncError(f'{where} may only have lines of the form console("COMMAND").') from None


def _command(statement: ast.stmt) -> str:
    match statement:
        case ast.Expr(ast.Call(ast.Name("console"), [ast.Constant(str() as command)], [])) if "\n" not in command:
            return command
    raise ValueError


def _write_cell(cell: Cell) -> str:
    tag = {"text": " [markdown]", "code": "", "console": " [console]", "file": f" [file {cell.name}]"}[cell.kind]
    lines = [f"# %%{tag}"]
    if cell.directive:
        lines.append(f"# <<{cell.directive}>>")
    if cell.kind == "text":
        lines += [f"# {line}".rstrip() for line in cell.source.splitlines()]
    elif cell.kind == "console":
        lines += [f"console({json.dumps(line, ensure_ascii=False)})" for line in cell.source.splitlines()]
    else:
        lines.append(cell.source)
    return "\n".join(lines) + "\n"
