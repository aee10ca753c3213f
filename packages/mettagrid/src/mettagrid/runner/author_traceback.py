"""Tracebacks for the author of a policy: only the frames of its own code, without local paths."""

from __future__ import annotations

import re
import sys
import sysconfig
import traceback
from collections.abc import Sequence
from pathlib import Path, PurePath

from mettagrid.policy.policy_registry import OUR_PACKAGES

__all__ = ["author_traceback", "display_path", "last_place"]

MAX_FRAMES = 8
MAX_CHARACTERS = 4000
OURS = OUR_PACKAGES | {"coworld", "observatory", "softmax"}
_PLACE = re.compile(r'^ *File "(?P<file>[^"]*)", line (?P<line>\d+)(?:,? in (?P<name>.*))?$', re.MULTILINE)
_NOT_THE_AUTHORS = re.compile(r"<|python3|site-packages/|dist-packages/")


def author_traceback(error: BaseException, roots: Sequence[Path] = ()) -> str:
    """Return the traceback with the last frames of the policy's own code, or the exception alone if there are none.

    File names are relative to `roots` and the folders of the import path.
    """
    summary = traceback.TracebackException.from_exception(error, limit=-200, capture_locals=False)
    is_the_authors = _shorten(summary, [*roots, *(Path(entry or ".") for entry in sys.path)], 0)
    text = "".join(summary.format() if is_the_authors else summary.format_exception_only())
    if len(text) > MAX_CHARACTERS:
        half = MAX_CHARACTERS // 2
        text = f"{text[:half]}\n...\n{text[-half:]}"
    return text


def last_place(text: str) -> str:
    """Return the last location in the author's code, such as `my_policy.py, line 12, in step`, or an empty string.

    Tracebacks of crashes in native code list the frames in reverse order.
    """
    places = list(_PLACE.finditer(text))
    places = [place for place in places if not _NOT_THE_AUTHORS.match(place["file"])] or places
    if not places:
        return ""
    last = places[0] if "(most recent call first)" in text else places[-1]
    name = f", in {last['name']}" if last["name"] else ""
    return f"{last['file']}, line {last['line']}{name}"


def display_path(filename: str, roots: Sequence[Path] = ()) -> str:
    """Return a file name without the machine's local folders."""
    if filename.startswith("<"):
        return filename
    path = PurePath(filename)
    for name in ("site-packages", "dist-packages"):
        if name in path.parts:
            return str(PurePath(*path.parts[path.parts.index(name) :]))
    library = sysconfig.get_paths()["stdlib"]
    if path.is_relative_to(library):
        return str(PurePath(PurePath(library).name) / path.relative_to(library))
    inside = [path.relative_to(root.absolute()) for root in roots if path.is_relative_to(root.absolute())]
    return str(min(inside, key=lambda candidate: len(candidate.parts))) if inside else path.name


def _shorten(summary: traceback.TracebackException, roots: Sequence[Path], depth: int) -> bool:
    """Keep the author's frames only; return whether there are any, or an author's file that does not compile."""
    is_the_authors = bool(getattr(summary, "filename", None))
    if summary.stack is not None:
        frames = [frame for frame in summary.stack if not _is_ours(frame.filename)]
        is_the_authors = is_the_authors or bool(frames)
        summary.stack = traceback.StackSummary.from_list(
            [
                traceback.FrameSummary(
                    display_path(frame.filename, roots), frame.lineno, frame.name, lookup_line=False, line=frame.line
                )
                for frame in frames[-MAX_FRAMES:]
            ]
        )
    if getattr(summary, "filename", None):  # of a SyntaxError
        summary.filename = display_path(str(summary.filename), roots)
    for other in (summary.__cause__, summary.__context__):
        if other is not None and depth < 3:
            is_the_authors = _shorten(other, roots, depth + 1) or is_the_authors
    if depth >= 3:
        summary.__cause__ = summary.__context__ = None
    return is_the_authors


def _is_ours(filename: str) -> bool:
    """Return whether a frame belongs to our packages or to the import machinery."""
    parts = PurePath(filename).parts
    if filename.startswith("<frozen") or parts[-1] == "runpy.py" or parts[-2:] == ("importlib", "__init__.py"):
        return True
    return any(PurePath(filename).is_relative_to(folder) for folder in _our_folders()) and bool(OURS & set(parts))


def _our_folders() -> list[Path]:
    folders = []
    for name in OURS & sys.modules.keys():
        origin = getattr(sys.modules[name], "__file__", None)
        if origin:
            folders.append(Path(origin).parent)
    return folders
