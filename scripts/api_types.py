"""Write the TypeScript types of the server's responses, `web/src/league/api-types.ts`, from the OpenAPI document.

usage: python scripts/api_types.py [--check]     --check: fail if the file is stale
"""

import re
import sys
import tempfile
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

from workspace import ROOT, fail, say

TYPES = ROOT / "web" / "src" / "league" / "api-types.ts"
PAGES = "/observatory/api/"
OTHERS = {
    ("get", "/v2/coworlds/play/session/{session_id}"),
    ("get", "/v2/league-policy-memberships"),
    ("get", "/v2/lobbies/{lobby_id}"),
    ("post", "/v2/coworlds/play/session"),
    ("post", "/v2/coworlds/play/session/{session_id}/end"),
    ("post", "/v2/coworlds/play/session/{session_id}/join"),
    ("post", "/v2/coworlds/play/session/{session_id}/start"),
    ("post", "/v2/leagues/{league_id}/lobbies"),
    ("post", "/v2/lobbies/{lobby_id}/cancel"),
    ("post", "/v2/lobbies/{lobby_id}/end"),
    ("post", "/v2/lobbies/{lobby_id}/leave"),
    ("post", "/v2/lobbies/{lobby_id}/seats/{position}/claim"),
    ("post", "/v2/lobbies/{lobby_id}/start"),
    ("put", "/v2/coworlds/play/session/{session_id}/config"),
    ("put", "/v2/lobbies/{lobby_id}/seats/{position}"),
    ("get", "/stats/policy-versions"),
    ("get", "/v2/rounds/{round_id}/commissioner-messages"),
    ("post", "/v2/league-policy-memberships/{membership_id}/champion"),
    ("post", "/v2/league-policy-memberships/{membership_id}/retire"),
    ("post", "/v2/league-submissions"),
    ("post", "/v2/leagues/{league_id}/locks"),
    ("post", "/v2/leagues/{league_id}/rounds-paused"),
    ("post", "/v2/leagues/{league_id}/settings"),
    ("post", "/v2/leagues/{league_id}/trigger-round"),
    ("post", "/v2/rounds/{round_id}/cancel"),
    ("get", "/tournament/matches/{match_id}/explanation"),
    ("get", "/tournament/matches/{match_id}/{policy_version_id}/policy-logs"),
    ("post", "/stats/policies/submit/complete"),
    ("post", "/stats/policies/submit/presigned-url"),
    ("post", "/tournament/seasons/{season}/submissions"),
    ("post", "/v2/coworlds/play/session"),
    ("post", "/v2/coworlds/replays/session"),
    ("post", "/v2/episode-requests/{request_id}/role-runs"),
}
METHODS = ("get", "post", "put", "patch", "delete")
HEAD = "/* Made by scripts/api_types.py from the server's OpenAPI document; `make check` compares. Do not edit. */\n"
PLAIN = {"string": "string", "integer": "number", "number": "number", "boolean": "boolean", "null": "null"}

Schema = Mapping[str, Any]


def written(document: Schema) -> str:
    """Return the text of the file: an interface for every schema that a used call needs, and a table of the calls."""
    schemas: Schema = document["components"]["schemas"]
    calls = sorted(_calls(document))
    needed = _reached(schemas, (schema for *_, answer, body in calls for schema in (answer, body)))
    parts = [HEAD]
    parts += [_declared(name, schemas[name]) for name in sorted(needed)]
    for method in sorted({method for method, *_ in calls}):
        lines = [
            f"  {_quoted(path)}: {{ answer: {_type(answer)}; body: {_type(body) if body else 'undefined'} }};"
            for used, path, answer, body in calls
            if used == method
        ]
        parts.append(f"export interface {method.capitalize()}Calls {{\n" + "\n".join(lines) + "\n}\n")
    return "\n".join(parts)


class _Sortable(dict[str, Any]):
    def __lt__(self, other: object) -> bool:
        return False


def _calls(document: Schema) -> Iterator[tuple[str, str, _Sortable, _Sortable]]:
    for path, operations in document["paths"].items():
        for method in METHODS:
            operation = operations.get(method)
            if operation is None or not (path.startswith(PAGES) or (method, path) in OTHERS):
                continue
            good = next(value for status, value in sorted(operation["responses"].items()) if status.startswith("2"))
            answer = good.get("content", {}).get("application/json", {}).get("schema")
            if answer is None:
                continue  # a stream, a picture
            body = operation.get("requestBody", {}).get("content", {}).get("application/json", {}).get("schema", {})
            yield method, path, _Sortable(answer), _Sortable(body)


def _reached(schemas: Schema, start: Iterable[Any]) -> set[str]:
    names: set[str] = set()
    waiting: list[Any] = list(start)
    while waiting:
        for name in re.findall(r"'#/components/schemas/([^']+)'", str(waiting.pop())):
            if name not in names:
                names.add(name)
                waiting.append(schemas[name])
    return names


def _declared(name: str, schema: Schema) -> str:
    about = schema.get("description", "").strip().split("\n\n")[0].replace("\n", " ")
    comment = f"/** {about} */\n" if about else ""
    if "properties" not in schema:
        return f"{comment}export type {_named(name)} = {_type(schema)};\n"
    required = set(schema.get("required", ()))
    lines = [
        f"  {_quoted(key) if not key.isidentifier() else key}{'' if key in required else '?'}: {_type(value)};"
        for key, value in schema["properties"].items()
    ]
    return f"{comment}export interface {_named(name)} {{\n" + "\n".join(lines) + "\n}\n"


def _type(schema: Schema) -> str:
    if "$ref" in schema:
        return _named(schema["$ref"].rsplit("/", 1)[1])
    if "const" in schema:
        return _quoted(schema["const"])
    if "enum" in schema:
        return " | ".join(_quoted(value) for value in schema["enum"])
    for key in ("anyOf", "oneOf"):
        if key in schema:
            return " | ".join(dict.fromkeys(_type(part) for part in schema[key]))
    if "allOf" in schema:
        return " & ".join(_type(part) for part in schema["allOf"])
    kind = schema.get("type")
    if kind == "array":
        inner = _type(schema.get("items", {}))
        return f"({inner})[]" if "|" in inner else f"{inner}[]"
    if kind == "object":
        more = schema.get("additionalProperties", True)
        return f"Record<string, {_type(more) if isinstance(more, dict) else 'unknown'}>"
    return PLAIN.get(str(kind), "unknown")


def _named(name: str) -> str:
    return re.sub(r"\W", "_", name)


def _quoted(value: Any) -> str:
    return '"' + str(value).replace('"', '\\"') + '"' if isinstance(value, str) else str(value)


def current() -> str:
    """Return the current text of the file."""
    from observatory.app import create_app
    from observatory.settings import Settings

    with tempfile.TemporaryDirectory() as folder:
        app = create_app(Settings(data_dir=Path(folder), seed_seasons=False))
        try:
            return written(app.openapi())
        finally:
            app.state.database.close()


def main(arguments: list[str]) -> None:
    new = current()
    if TYPES.exists() and TYPES.read_text(encoding="utf-8") == new:
        return
    if "--check" in arguments:
        fail(f"{TYPES.relative_to(ROOT)} is stale: run `python scripts/api_types.py`")
    TYPES.write_text(new, encoding="utf-8")
    say(f"api types: wrote {TYPES.relative_to(ROOT)}")


if __name__ == "__main__":
    main(sys.argv[1:])
