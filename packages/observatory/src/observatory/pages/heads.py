"""Metadata of a page for sites that show links to it, and for programs that follow it."""

from __future__ import annotations

from dataclasses import dataclass, field
from html import escape
from urllib.parse import quote

from observatory.settings import Settings

__all__ = ["FEED_TYPES", "Feed", "Head"]

FEED_TYPES = {
    "atom": "application/atom+xml",
    "rss": "application/rss+xml",
    "json": "application/feed+json",
}


@dataclass(frozen=True)
class Feed:
    """The feeds of a page: their address without the ending, and a title."""

    path: str
    title: str


@dataclass(frozen=True)
class Head:
    title: str
    sentence: str
    settings: Settings
    picture: str | None = None
    """path of a picture of 1200 by 630"""
    path: str | None = None
    """of the page itself"""
    feed: Feed | None = None
    has_embed: bool = field(default=False)
    """whether `/observatory/oembed` knows the page"""

    def html(self) -> str:
        """OpenGraph tags and links; all texts are escaped."""
        base = self.settings.base_url()
        tags = [
            ("og:site_name", "Alignment League"),
            ("og:type", "website"),
            ("og:title", self.title),
            ("og:description", self.sentence),
        ]
        if self.path is not None:
            tags.append(("og:url", f"{base}{self.path}"))
        if self.picture is not None:
            tags += [
                ("og:image", f"{base}{self.picture}"),
                ("og:image:type", "image/png"),
                ("og:image:width", "1200"),
                ("og:image:height", "630"),
                ("og:image:alt", f"{self.title}: {self.sentence}"),
            ]
        lines = [f'<meta property="{name}" content="{escape(content)}" />' for name, content in tags]
        card = "summary_large_image" if self.picture else "summary"
        lines.append(f'<meta name="twitter:card" content="{card}" />')
        lines.append(f'<meta name="description" content="{escape(self.sentence)}" />')
        return "\n    ".join([*lines, *self._links(base)])

    def _links(self, base: str) -> list[str]:
        links = []
        if self.path is not None:
            links.append(f'<link rel="canonical" href="{escape(base + self.path)}" />')
            if self.has_embed:
                address = f"{base}/observatory/oembed?url={quote(base + self.path, safe='')}"
                kind = "application/json+oembed"
                links.append(f'<link rel="alternate" type="{kind}" href="{escape(address)}" />')
        if self.feed is not None:
            for ending, kind in FEED_TYPES.items():
                address = f"{base}{self.feed.path}.{ending}"
                title = escape(self.feed.title)
                links.append(f'<link rel="alternate" type="{kind}" title="{title}" href="{escape(address)}" />')
        return links
