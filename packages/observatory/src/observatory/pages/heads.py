"""Metadata of a page for sites that show links to it."""

from __future__ import annotations

from dataclasses import dataclass
from html import escape

from observatory.settings import Settings

__all__ = ["Head"]


@dataclass(frozen=True)
class Head:
    title: str
    sentence: str
    settings: Settings
    picture: str | None = None
    """path of a picture of 1200 by 630"""

    def html(self) -> str:
        """OpenGraph tags; all texts are escaped."""
        tags = [
            ("og:site_name", "Alignment League"),
            ("og:type", "website"),
            ("og:title", self.title),
            ("og:description", self.sentence),
        ]
        if self.picture is not None:
            tags += [
                ("og:image", f"{self.settings.base_url()}{self.picture}"),
                ("og:image:width", "1200"),
                ("og:image:height", "630"),
                ("og:image:alt", f"{self.title}: {self.sentence}"),
            ]
        lines = [f'<meta property="{name}" content="{escape(content)}" />' for name, content in tags]
        card = "summary_large_image" if self.picture else "summary"
        lines.append(f'<meta name="twitter:card" content="{card}" />')
        lines.append(f'<meta name="description" content="{escape(self.sentence)}" />')
        return "\n    ".join(lines)
