"""Write feeds as Atom (RFC 4287), RSS 2.0 and JSON Feed 1.1."""

from __future__ import annotations

import json
import xml.etree.ElementTree as ElementTree
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from email.utils import format_datetime
from typing import Any, Literal

from observatory.pages.drawing import visible

__all__ = ["FeedDocument", "FeedFormat", "FeedItem"]

FeedFormat = Literal["atom", "rss", "json"]

_ATOM = "http://www.w3.org/2005/Atom"
_SITE = "Alignment League"


@dataclass(frozen=True)
class FeedItem:
    """Something that happened. Names of people and policies in the texts are plain text."""

    id: str
    """a URI that never changes, such as `urn:uuid:...`"""
    title: str
    text: str
    url: str
    at: datetime
    author: str | None = None


@dataclass(frozen=True)
class FeedDocument:
    """A feed: where it is, what it is about, and its items, newest first."""

    address: str
    """without the ending of a format"""
    page: str
    """address of the page that it follows"""
    title: str
    about: str
    created_at: datetime
    """the time of a feed without items"""
    items: Sequence[FeedItem]

    @property
    def updated_at(self) -> datetime:
        return max((item.at for item in self.items), default=self.created_at)

    def write(self, form: FeedFormat) -> bytes:
        """Return the feed in a format, in UTF-8."""
        match form:
            case "atom":
                return self._atom()
            case "rss":
                return self._rss()
            case "json":
                return self._json()

    def _atom(self) -> bytes:
        feed = ElementTree.Element("feed", {"xmlns": _ATOM, "xml:lang": "en"})
        _add(feed, "id", f"{self.address}.atom")
        _add(feed, "title", self.title)
        _add(feed, "subtitle", self.about)
        _add(feed, "updated", self.updated_at.isoformat())
        _add(feed, "link", rel="self", type="application/atom+xml", href=f"{self.address}.atom")
        _add(feed, "link", rel="alternate", type="text/html", href=self.page)
        _add(_add(feed, "author"), "name", _SITE)
        for item in self.items:
            entry = _add(feed, "entry")
            _add(entry, "id", item.id)
            _add(entry, "title", item.title)
            _add(entry, "updated", item.at.isoformat())
            _add(entry, "published", item.at.isoformat())
            _add(entry, "link", rel="alternate", type="text/html", href=item.url)
            if item.author is not None:
                _add(_add(entry, "author"), "name", item.author)
            _add(entry, "content", item.text, type="text")
        return _document(feed)

    def _rss(self) -> bytes:
        feed = ElementTree.Element("rss", {"version": "2.0", "xmlns:atom": _ATOM})
        channel = _add(feed, "channel")
        _add(channel, "title", self.title)
        _add(channel, "link", self.page)
        _add(channel, "description", self.about)
        _add(channel, "language", "en")
        _add(channel, "lastBuildDate", format_datetime(self.updated_at))
        _add(channel, "atom:link", rel="self", type="application/rss+xml", href=f"{self.address}.rss")
        for item in self.items:
            entry = _add(channel, "item")
            _add(entry, "title", item.title)
            _add(entry, "link", item.url)
            _add(entry, "description", item.text)
            _add(entry, "guid", item.id, isPermaLink="false")
            _add(entry, "pubDate", format_datetime(item.at))
        return _document(feed)

    def _json(self) -> bytes:
        document: dict[str, Any] = {
            "version": "https://jsonfeed.org/version/1.1",
            "title": visible(self.title),
            "description": visible(self.about),
            "home_page_url": self.page,
            "feed_url": f"{self.address}.json",
            "language": "en",
            "authors": [{"name": _SITE}],
            "items": [
                {
                    "id": item.id,
                    "url": item.url,
                    "title": visible(item.title),
                    "content_text": visible(item.text),
                    "date_published": item.at.isoformat(),
                    **({} if item.author is None else {"authors": [{"name": visible(item.author)}]}),
                }
                for item in self.items
            ],
        }
        return json.dumps(document, ensure_ascii=False).encode()


def _add(parent: ElementTree.Element, name: str, text: str | None = None, **attributes: str) -> ElementTree.Element:
    """Add an element. `visible` replaces control characters, which XML cannot contain."""
    element = ElementTree.SubElement(parent, name, attributes)
    if text is not None:
        element.text = visible(text)
    return element


def _document(root: ElementTree.Element) -> bytes:
    document: bytes = ElementTree.tostring(root, encoding="utf-8", xml_declaration=True)
    return document
