"""Check whether HTML from a third party is safe to show: it runs nothing, fetches nothing and has no forms.

It is a second wall: pages that pass are still shown in a frame without scripts and under `RENDER_CSP`. Where browsers
and the parser used here see different tags in the same text, the text is refused. The violations use the published
words, which programs of authors look for.
"""

from __future__ import annotations

import posixpath
import re
from collections.abc import Collection, Iterator
from dataclasses import dataclass
from html.parser import HTMLParser
from urllib.parse import urlsplit

__all__ = [
    "DISALLOWED_HTML_TAGS",
    "LARGEST_PAGE",
    "LINK_URL_ATTRS",
    "RENDER_CSP",
    "RESOURCE_URL_ATTRS",
    "html_violations",
]

LARGEST_PAGE = 16 << 20
"""bytes of HTML that are checked; the check of hostile HTML takes up to ten seconds per MiB"""

DISALLOWED_HTML_TAGS = frozenset({"applet", "base", "embed", "form", "frame", "frameset", "iframe", "object"})
RESOURCE_URL_ATTRS = frozenset({"background", "data", "poster", "src", "srcset", "xlink:href"})
"""Attributes whose URL a browser fetches by itself."""
LINK_URL_ATTRS = frozenset({"cite", "href", "longdesc"})
"""Attributes whose URL a person has to open."""

RENDER_CSP = (
    "default-src 'none'; img-src data:; font-src data:; media-src data:; style-src 'unsafe-inline' data:; "
    "base-uri 'none'; form-action 'none'; frame-ancestors 'self'; sandbox"
)
"""The Content-Security-Policy under which a checked page is served."""

_LINKS = frozenset({"a", "area", "blockquote", "del", "img", "ins", "math", "q"})
"""Elements whose LINK_URL_ATTRS are links; on all others a `href` is fetched (`link`, parts of SVG)."""
_RAW_TEXT = frozenset({"noembed", "noframes", "plaintext", "textarea", "title", "xmp"})
"""Elements whose contents are text to a browser."""
_PAINT_ATTRS = frozenset(
    {"clip-path", "cursor", "fill", "filter", "marker-end", "marker-mid", "marker-start", "mask", "stroke"}
)
_ACTION_ATTRS = frozenset({"action", "dynsrc", "formaction", "lowsrc", "manifest", "ping", "srcdoc"})
_ANIMATED_ATTRS = frozenset({"by", "from", "to", "values"})
_SCRIPT_SCHEMES = ("javascript:", "vbscript:", "livescript:")
_PAGE_DATA = ("data:text/html", "data:application/xhtml", "data:image/svg", "data:text/xml", "data:application/xml")


_CSS_TOKENS = {
    "javascript:": "javascript:",
    "expression(": r"expression\s*\(",
    "@import": "@import",
    "image-set(": r"image-set\(",
    "-moz-binding": "-moz-binding",
    "behavior:": r"behaviou?r\s*:",
}
"""Words of a style sheet that run or fetch something, with how to find them."""
_LONGEST_URL = 200
"""characters of a URL that a violation quotes"""


@dataclass(frozen=True)
class _Files:
    """The files that a page may use: those of the archive it comes in."""

    page: str
    names: Collection[str] = ()

    def allow(self, url: str) -> bool:
        """Return whether a URL holds its data itself, is a place in the page, or leads to one of the files."""
        plain = _plain_url(url)
        if not plain or plain.startswith(("data:", "#")):
            return True
        if not self.names or "\\" in url:  # browsers read a backslash as a slash
            return False
        try:
            parts = urlsplit(url.strip())
        except ValueError:
            return False
        if parts.scheme or parts.netloc or parts.path.startswith("/"):
            return False
        return posixpath.normpath(posixpath.join(posixpath.dirname(self.page), parts.path)) in self.names


def html_violations(html: str, *, source: str = "render", zip_entries: Collection[str] | None = None) -> list[str]:
    """Return everything that makes a piece of HTML unsafe, in the order of the text; empty when it is safe.

    `source` is the page's name. With `zip_entries`, the names of the files in the page's archive, the page may refer to
    those files by relative URLs; scripts among them do not run under `RENDER_CSP`.
    """
    checker = _Checker(_Files(source, zip_entries or ()))
    checker.feed(html + "</style>")  # browsers apply an unclosed style; the parser would drop it
    checker.close()
    return checker.violations


class _Checker(HTMLParser):
    def __init__(self, files: _Files) -> None:
        super().__init__(convert_charrefs=True)
        self.files = files
        self.violations: list[str] = []
        self._raw_text: str | None = None
        self._style: list[str] | None = None

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if self._raw_text:
            self.violations.append(f"markup inside <{self._raw_text}>")
        self.violations += _element_violations(tag, attrs, self.files)
        if tag in _RAW_TEXT:
            self._raw_text = tag
        self.end_style()
        if tag == "style":
            self._style = []

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.handle_starttag(tag, attrs)

    def handle_endtag(self, tag: str) -> None:
        self.end_style()
        if tag == self._raw_text:
            self._raw_text = None

    def handle_data(self, data: str) -> None:
        if self._style is not None:
            self._style.append(data)

    def end_style(self) -> None:
        """Check the rules of a <style> that is complete: the parser hands its text out in pieces."""
        css, self._style = "".join(self._style or ()), None
        self.violations += css_violations(css, "<style> element", self.files)
        if re.search(r"<[a-z!/?]", css, re.IGNORECASE):  # markup to a browser when the style is inside SVG
            self.violations.append("markup inside <style>")

    def handle_comment(self, data: str) -> None:
        if data.startswith((">", "->")) or "--!>" in data or "<!--" in data:
            self.violations.append("a comment that browsers end elsewhere")

    def unknown_decl(self, data: str) -> None:
        self.violations.append(f"declaration <![{data[:20]}")


def _element_violations(tag: str, attrs: list[tuple[str, str | None]], files: _Files) -> Iterator[str]:
    values = {name: value or "" for name, value in reversed(attrs)}
    if tag in DISALLOWED_HTML_TAGS:
        yield f"disallowed element <{tag}>"
    if tag == "script":
        if not _plain_url(values.get("src", "")):
            yield "inline <script> element"
        elif _plain_url(values["src"]).startswith(("data:", "#")):
            yield "inline <script> element: its 'src' holds the script itself"
    if tag == "meta" and "http-equiv" in values:
        yield "disallowed element <meta http-equiv>"
    if tag == "link" and "stylesheet" not in values.get("rel", "").lower().split():
        yield "disallowed <link> without rel=stylesheet"
    for name, value in attrs:
        yield from _attribute_violations(tag, name, value or "", files)


def _attribute_violations(tag: str, name: str, value: str, files: _Files) -> Iterator[str]:
    where = f"{name!r} on <{tag}>"
    if name.startswith("on"):
        yield f"event-handler attribute {where}"
    elif name in _ACTION_ATTRS:
        yield f"disallowed attribute {where}"
    elif name == "style" or name in _PAINT_ATTRS:
        yield from css_violations(value, f"{name} attribute on <{tag}>", files)
    elif name == "srcset" or name == "imagesrcset":
        for url in _srcset_urls(value):
            yield from _resource_violations(url, where, files)
    elif name in RESOURCE_URL_ATTRS or (name == "href" and tag not in _LINKS):
        yield from _resource_violations(value, where, files)
    elif name in LINK_URL_ATTRS or name in _ANIMATED_ATTRS:
        yield from _link_violations(value, where)


def _plain_url(url: str) -> str:
    """Return a URL as browsers compare schemes: without blanks and control characters, in lower case."""
    return "".join(letter for letter in url if ord(letter) > 32).lower()


def _resource_violations(url: str, where: str, files: _Files) -> Iterator[str]:
    if not files.allow(url):
        allowed = "a data: URL, a # fragment or a file of the report"
        yield f"external resource URL in {where}: {url[:_LONGEST_URL]!r} (write {allowed})"


def _link_violations(url: str, where: str) -> Iterator[str]:
    for part in _plain_url(url).split(";") if where.startswith("'values'") else [_plain_url(url)]:
        if part.startswith(_SCRIPT_SCHEMES):
            yield f"script URL in {where}: {url[:_LONGEST_URL]!r}"
        for kind in _PAGE_DATA:
            if part.startswith(kind):
                yield f"{kind} URL in {where}: {url[:_LONGEST_URL]!r}"


def _srcset_urls(value: str) -> Iterator[str]:
    """Return the URLs of a `srcset`; a data URL may contain commas."""
    rest = value.lstrip(" \t\n\f\r,")
    while rest:
        url, *tail = re.split(r"[ \t\n\f\r]", rest, maxsplit=1)
        yield url.rstrip(",")
        after = tail[0] if tail else ""
        if not url.endswith(","):
            after = after.partition(",")[2]
        rest = after.lstrip(" \t\n\f\r,")


def css_violations(css: str, where: str, files: _Files) -> Iterator[str]:
    """Yield what makes style rules unsafe, also when it is written with escapes or broken up by comments."""
    unescaped = re.sub(r"\\([0-9a-fA-F]{1,6})[ \t\n\r\f]?", _code_point, css)
    unescaped = re.sub(r"\\(.)", r"\1", unescaped)
    readings = (css, unescaped, re.sub(r"/\*.*?(\*/|$)", "", unescaped, flags=re.DOTALL))
    for token, pattern in _CSS_TOKENS.items():
        if any(re.search(pattern, text, re.IGNORECASE) for text in readings):
            yield f"unsafe CSS token {token!r} in {where}"
    urls = [url.strip() for text in readings for url in re.findall(r"url\(\s*[\"']?([^\"')]*)", text, re.IGNORECASE)]
    for url in dict.fromkeys(urls):
        if not files.allow(url):
            yield f"external CSS url() in {where}: {url[:_LONGEST_URL]!r}"


def _code_point(match: re.Match[str]) -> str:
    number = int(match[1], 16)
    return chr(number) if 0 < number < 0x110000 and not 0xD800 <= number < 0xE000 else "\ufffd"
