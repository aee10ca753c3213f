"""Check an untrusted manifest inside a sandbox.

This module is the program in the sandbox: `python -m coworld.league.inspection < manifest.json` prints one JSON
document, `{"accepted": true}` or `{"refused": "why"}`. A schema of a manifest can keep a validator busy for ever, so
that the server starts this program with limits instead of checking manifests itself.
"""

from __future__ import annotations

import json
import sys

from coworld.errors import CoworldError, DocumentError, ManifestError
from coworld.manifest.reader import read_downloaded_manifest
from coworld.manifest.validation import duplicate_player_problems, manifest_problems
from coworld.schema.validation import parse_json_object

__all__ = ["inspect"]

_MAX_CHARACTERS = 300
"""of a problem: it may quote a value of the manifest"""


def main() -> int:
    print(json.dumps(inspect(sys.stdin.buffer.read())))
    return 0


def inspect(data: bytes) -> dict[str, object]:
    """Return the answer about a manifest."""
    try:
        _check(data)
    except DocumentError as error:
        more = len(error.problems) - 1
        first = error.problems[0]
        sentence = f"{_short(str(first))} ({_short(first.fix)})"
        return {"refused": f"{sentence}; and {more} more" if more else sentence}
    except CoworldError as error:
        return {"refused": _short(str(error))}
    return {"accepted": True}


def _check(data: bytes) -> None:
    """Check the shape of a manifest as a server stores it, and its rules over several fields."""
    manifest = read_downloaded_manifest(parse_json_object(data, name="the manifest"))
    if problems := [*manifest_problems(manifest), *duplicate_player_problems(manifest)]:
        raise ManifestError(problems)


def _short(text: str) -> str:
    return text if len(text) <= _MAX_CHARACTERS else f"{text[:_MAX_CHARACTERS]}..."


if __name__ == "__main__":
    sys.exit(main())
