"""Generate the JSON Schemas of `coworld` and the reference page of the manifest from its models. With --check, only
report stale files.

usage: coworld_schemas.py [--check]
"""

import sys
from pathlib import Path
from typing import Any

from coworld.manifest.schema_files import schema_files
from coworld.models import coworld_episode_request_schema, coworld_manifest_schema
from workspace import ROOT, fail, say

PAGE = ROOT / "docs" / "coworld" / "manifest-fields.md"
INTRODUCTION = """# Fields of a manifest and of an episode request

Made from the models by `scripts/coworld_schemas.py`. [The manifest](manifest.md) explains how they go together.
A field without "required" may be left out.
"""


def kind(schema: dict[str, Any]) -> str:
    """Describe a type in words."""
    if "$ref" in schema:
        name = schema["$ref"].rpartition("/")[2]
        return f"[{name}](#{name.lower()})"
    for key in ("anyOf", "oneOf"):
        if key in schema:
            members = [member for member in schema[key] if member.get("type") != "null"]
            return " or ".join(dict.fromkeys(kind(member) for member in members))
    if "const" in schema:
        return f"`{schema['const']}`"
    if "enum" in schema:
        return " or ".join(f"`{value}`" for value in schema["enum"])
    if schema.get("type") == "array":
        return f"array of {kind(schema.get('items', {}))}" + bounds(schema, "Items")
    if schema.get("type") == "object":
        below = [*schema.get("patternProperties", {}).values(), schema.get("additionalProperties")]
        values = next((value for value in below if isinstance(value, dict)), None)
        return f"object of {kind(values)}" if values else "object"
    return str(schema.get("type", "anything")) + bounds(schema, "Length") + limits(schema)


def bounds(schema: dict[str, Any], unit: str) -> str:
    minimum, maximum = schema.get(f"min{unit}"), schema.get(f"max{unit}")
    if minimum == 1 and maximum is None:
        return ", not empty"
    ends = [f"at least {minimum}" if minimum else "", f"at most {maximum}" if maximum else ""]
    return "".join(f", {end}" for end in ends if end)


def limits(schema: dict[str, Any]) -> str:
    low, high = schema.get("minimum"), schema.get("maximum")
    if low is not None and high is not None:
        text = f", {low}" if low == high else f", {low} to {high}"
    else:
        text = f", from {low}" if low is not None else ""
    above = schema.get("exclusiveMinimum")
    pattern = schema.get("pattern")
    return text + (f", above {above}" if above is not None else "") + (f" like `{pattern}`" if pattern else "")


def table(name: str, schema: dict[str, Any]) -> str:
    lines = [f"## {name}", "", schema.get("description", ""), "", "| Field | Type | Meaning |", "|---|---|---|"]
    for field, properties in schema.get("properties", {}).items():
        needed = ", required" if field in schema.get("required", ()) else ""
        meaning = properties.get("description", "")
        lines.append(f"| `{field}` | {kind(properties).replace('|', chr(92) + '|')}{needed} | {meaning} |")
    return "\n".join(lines) + "\n"


def reference_page() -> str:
    manifest, request = coworld_manifest_schema(), coworld_episode_request_schema()
    parts = {"Manifest": manifest, **manifest["$defs"], "Episode request": request}
    parts |= {name: part for name, part in request["$defs"].items() if name not in parts and name != "CoworldManifest"}
    return "\n".join([INTRODUCTION, *(table(name, schema) for name, schema in parts.items())])


def generated() -> dict[Path, str]:
    """Return every generated file with its text."""
    return {**schema_files(), PAGE: reference_page()}


def main() -> None:
    stale = {path: text for path, text in generated().items() if not path.exists() or path.read_text() != text}
    names = ", ".join(str(path.relative_to(ROOT)) for path in stale)
    if "--check" in sys.argv[1:]:
        if stale:
            fail(f"stale: {names}; run scripts/coworld_schemas.py")
        return
    for path, text in stale.items():
        path.write_text(text)
    say(f"wrote {names}" if stale else "all generated files are up to date")


if __name__ == "__main__":
    main()
