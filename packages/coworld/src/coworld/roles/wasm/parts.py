"""Check and encode the parts that a component emits."""

from __future__ import annotations

import hashlib
import json
import mimetypes
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from coworld.roles.event_log import Event, write_event_log
from coworld.roles.html_safety import LARGEST_PAGE, html_violations
from coworld.roles.program import archive, json_bytes
from coworld.roles.wasm.errors import ToolError

__all__ = ["Part", "declared_outputs", "encode_part", "report_archive"]

_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,99}")
_MEDIA_TYPE = re.compile(r"[a-z0-9][a-z0-9.+-]*/[a-z0-9][a-z0-9.+-]*", re.IGNORECASE)
_MEDIA_TYPES = {
    "render-html": ("text/html", ".html"),
    "render-markdown": ("text/markdown", ".md"),
    "event-log": ("application/vnd.apache.parquet", ".parquet"),
    "json": ("application/json", ".json"),
}
_INT64 = range(-(1 << 63), 1 << 63)


@dataclass(frozen=True)
class Part:
    """One part of a report, encoded."""

    name: str
    type: str
    media_type: str
    ending: str
    data: bytes

    @property
    def file(self) -> str:
        return f"parts/{self.name}{self.ending}"


def declared_outputs(attributes: Mapping[str, Any]) -> dict[str, dict[str, Any]]:
    """Return the declared outputs by name."""
    outputs = attributes.get("outputs")
    return {
        output["name"]: output
        for output in (outputs if isinstance(outputs, list) else ())
        if isinstance(output, dict) and isinstance(output.get("name"), str)
    }


def encode_part(name: str, kind: str, payload: Any, outputs: Mapping[str, Mapping[str, Any]]) -> Part:
    """Check a part against its declaration and its type, and encode it.

    Raises:
        ToolError: `invalid`, with all violations of an unsafe page.
    """
    if name not in outputs or _NAME.fullmatch(name) is None:
        known = ", ".join(outputs) or "none"
        raise ToolError("invalid", f"{name[:100]!r} is not a declared output; declared: {known}")
    declared = outputs[name].get("type")
    if declared != kind:
        raise ToolError("invalid", f"output {name!r} is declared as {declared}, not {kind}")
    if kind == "file":
        media_type = getattr(payload, "media-type")
        if _MEDIA_TYPE.fullmatch(media_type) is None:
            raise ToolError("invalid", f"{media_type[:100]!r} is not a media type")
        ending = mimetypes.guess_extension(media_type.lower(), strict=True) or ".bin"
        # A browser would run such a file; it is data here.
        ending = ".bin" if ending in (".html", ".htm", ".xhtml", ".svg", ".js", ".xml") else ending
        return Part(name, kind, media_type, ending, payload.bytes)
    media_type, ending = _MEDIA_TYPES[kind]
    return Part(name, kind, media_type, ending, _encoded(kind, payload))


def _encoded(kind: str, payload: Any) -> bytes:
    if kind == "event-log":
        return _event_log(payload)
    if kind == "render-html" and len(payload) > LARGEST_PAGE:
        raise ToolError("budget-exhausted", f"the page is larger than {LARGEST_PAGE >> 20} MiB")
    if kind == "render-html" and (violations := html_violations(payload)):
        raise ToolError("invalid", "the page is unsafe to embed: " + "; ".join(violations))
    if kind == "json":
        try:
            json.loads(payload)
        except (ValueError, RecursionError) as error:
            raise ToolError("invalid", f"the part is not JSON: {error}") from None
    data: bytes = payload.encode()
    return data


def _event_log(rows: Sequence[Any]) -> bytes:
    for row in rows:
        if row.ts not in _INT64 or row.player not in _INT64 or row.player < -1:
            raise ToolError("invalid", f"event with ts {row.ts} and player {row.player}: use a tick and a seat or -1")
    return write_event_log(Event(row.ts, row.player, row.key, row.value) for row in rows)


def report_archive(reporter_id: str, parts: Sequence[Part], outputs: Mapping[str, Mapping[str, Any]]) -> bytes:
    """Return the report as a zip: the parts, a list of them, and a manifest with the page and the event log."""
    pages = [part.file for part in parts if part.type.startswith("render-")]
    logs = [part.file for part in parts if part.type == "event-log"]
    manifest = {
        "reporter_id": reporter_id,
        **({"render": pages[0]} if pages else {}),
        **({"event_log": logs[0]} if logs else {}),
    }
    listing = [
        {
            "name": part.name,
            "type": part.type,
            "description": outputs[part.name].get("description", ""),
            "file": part.file,
            "media_type": part.media_type,
            "size_bytes": len(part.data),
            "content_hash": f"sha256:{hashlib.sha256(part.data).hexdigest()}",
        }
        for part in parts
    ]
    files = {"manifest.json": json_bytes(manifest), "parts.json": json_bytes(listing)}
    return archive({**files, **{part.file: part.data for part in parts}})
