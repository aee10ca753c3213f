"""Check an untrusted manifest, or a configuration against the schema of one, inside a sandbox.

This module is the program in the sandbox: `python -m coworld.league.inspection manifest < manifest.json` prints one
JSON document, `{"accepted": true}` or `{"refused": "why"}`. `... config` takes `{"config_schema": ..., "game_config":
..., "seats": 2}`. A schema of a manifest can keep a validator busy for ever or take all memory, so that the server
starts this program with limits instead of checking anything against such a schema itself.
"""

from __future__ import annotations

import json
import sys

from coworld.errors import CoworldError, DocumentError, ManifestError
from coworld.manifest.reader import read_downloaded_manifest
from coworld.manifest.validation import (
    duplicate_player_problems,
    manifest_problems,
    validate_authored_game_config,
)
from coworld.schema.bounds import bound_problems
from coworld.schema.validation import parse_json_object

__all__ = ["inspect"]

_MAX_CHARACTERS = 300
"""of a problem: it may quote a value of the manifest"""


def main() -> int:
    print(json.dumps(inspect(sys.argv[1], sys.stdin.buffer.read())))
    return 0


def inspect(kind: str, data: bytes) -> dict[str, object]:
    """Return the answer about a `manifest` or a `config`."""
    try:
        _CHECKS[kind](data)
    except DocumentError as error:
        more = len(error.problems) - 1
        first = error.problems[0]
        sentence = f"{_short(str(first))} ({_short(first.fix)})"
        return {"refused": f"{sentence}; and {more} more" if more else sentence}
    except CoworldError as error:
        return {"refused": _short(str(error))}
    return {"accepted": True}


def _check_manifest(data: bytes) -> None:
    """Check the shape of a manifest as a server stores it, its rules over several fields, and limits of its schemas."""
    manifest = read_downloaded_manifest(parse_json_object(data, name="the manifest"))
    game = manifest.game
    problems = bound_problems(game.config_schema, at="game.config_schema")
    problems += bound_problems(game.results_schema, at="game.results_schema")
    if problems:
        raise ManifestError(problems)
    if problems := [*manifest_problems(manifest), *duplicate_player_problems(manifest)]:
        raise ManifestError(problems)


def _check_config(data: bytes) -> None:
    """Check the configuration of an episode."""
    document = parse_json_object(data, name="the configuration")
    validate_authored_game_config(document["game_config"], document["config_schema"], token_count=document["seats"])


_CHECKS = {"manifest": _check_manifest, "config": _check_config}


def _short(text: str) -> str:
    return text if len(text) <= _MAX_CHARACTERS else f"{text[:_MAX_CHARACTERS]}..."


if __name__ == "__main__":
    sys.exit(main())
