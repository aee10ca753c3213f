"""Parse pages of a package index (PEP 503 and PEP 691), and write them with rewritten links."""

from __future__ import annotations

import html
import json
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from html.parser import HTMLParser
from typing import Any
from urllib.parse import unquote, urldefrag, urljoin, urlsplit

__all__ = ["ACCEPT", "FileLink", "read_page", "write_page"]

JSON = "application/vnd.pypi.simple.v1+json"
ACCEPT = f"{JSON}, application/vnd.pypi.simple.v1+html; q=0.2, text/html; q=0.1"
# The attributes of a link that pip reads, in addition to its address.
_ATTRIBUTES = ("data-requires-python", "data-yanked", "data-core-metadata", "data-dist-info-metadata")


@dataclass(frozen=True)
class FileLink:
    """A file that the index offers."""

    url: str
    """absolute, without a fragment"""
    fragment: str = ""
    """such as `sha256=...`"""
    attributes: dict[str, str | None] = field(default_factory=dict)

    @property
    def name(self) -> str:
        return unquote(urlsplit(self.url).path.rpartition("/")[2])


def read_page(url: str, content_type: str, body: bytes) -> list[FileLink]:
    """Return the files of the page at `url`; raises ValueError if it cannot be parsed."""
    if content_type.partition(";")[0].strip().lower() == JSON:
        try:
            return [_from_json(url, entry) for entry in json.loads(body)["files"]]
        except (KeyError, TypeError, AttributeError, RecursionError) as error:
            raise ValueError(f"no page of a package index: {type(error).__name__}") from None
    reader = _Anchors(url)
    reader.feed(body.decode("utf-8", errors="replace"))
    reader.close()
    return reader.links


def write_page(links: Iterable[FileLink], address: Callable[[FileLink], str]) -> bytes:
    """Return a page in the format of PEP 503, with each link at the address that the function returns."""
    lines = ["<!DOCTYPE html><html><head><title>Links</title></head><body>"]
    for link in links:
        words = [f'href="{html.escape(address(link) + (f"#{link.fragment}" if link.fragment else ""))}"']
        for name, value in link.attributes.items():
            words.append(name if value is None else f'{name}="{html.escape(value)}"')
        lines.append(f"<a {' '.join(words)}>{html.escape(link.name)}</a><br/>")
    return "\n".join([*lines, "</body></html>"]).encode()


def _from_json(url: str, entry: dict[str, Any]) -> FileLink:
    address, fragment = urldefrag(urljoin(url, entry["url"]))
    digests = entry.get("hashes") or {}
    if digests:
        name = "sha256" if "sha256" in digests else next(iter(digests))
        fragment = f"{name}={digests[name]}"
    attributes: dict[str, str | None] = {}
    if entry.get("requires-python"):
        attributes["data-requires-python"] = str(entry["requires-python"])
    yanked = entry.get("yanked", False)
    if yanked:
        attributes["data-yanked"] = yanked if isinstance(yanked, str) else ""
    metadata = entry.get("core-metadata", entry.get("dist-info-metadata", False))
    if metadata:
        known = metadata.get("sha256") if isinstance(metadata, dict) else None
        attributes["data-core-metadata"] = f"sha256={known}" if known else "true"
    return FileLink(address, fragment, attributes)


class _Anchors(HTMLParser):
    def __init__(self, url: str) -> None:
        super().__init__()
        self._base = url
        self.links: list[FileLink] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        attributes = dict(attrs)
        target = attributes.get("href")
        if tag == "base" and target and not self.links:
            self._base = urljoin(self._base, target)
        if tag != "a" or not target:
            return
        address, fragment = urldefrag(urljoin(self._base, target))
        if urlsplit(address).scheme in ("http", "https") and not address.endswith("/"):
            forwarded = {name: attributes[name] for name in _ATTRIBUTES if name in attributes}
            self.links.append(FileLink(address, fragment, forwarded))
