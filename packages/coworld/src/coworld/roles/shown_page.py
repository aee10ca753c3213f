"""Make the page of a report safe to display: a second wall behind the check of the safe profile.

A page that passes the check is sanitized by `nh3`, which keeps only known elements and attributes, and is put into a
document with a strict policy. A page that breaks the profile is displayed as text, with its violations.
"""

from __future__ import annotations

from html import escape

from coworld.roles.html_safety import html_violations

__all__ = ["PAGE_CSP", "sanitized_page", "shown_page", "text_page"]

PAGE_CSP = (
    "default-src 'none'; img-src data:; font-src data:; media-src data:; style-src 'unsafe-inline' data:; "
    "base-uri 'none'; form-action 'none'"
)
"""The policy inside a displayed page; `RENDER_CSP` in the header of a server says more."""

_TEXT_TAGS = """a abbr address article aside b bdi bdo blockquote br caption cite code col colgroup dd del details dfn
div dl dt em figcaption figure footer h1 h2 h3 h4 h5 h6 header hr i img ins kbd li link main mark meter nav ol p picture
pre progress q rp rt ruby s samp section small source span strike strong style sub summary sup table tbody td tfoot th
thead time title tr tt u ul var wbr"""
_SVG_TAGS = """svg g path line polyline polygon rect circle ellipse text tspan defs desc marker symbol use pattern mask
clipPath linearGradient radialGradient stop"""
_ANY_ATTRIBUTES = """class id style title lang dir role hidden tabindex width height align valign color face size
bgcolor border fill fill-opacity fill-rule stroke stroke-width stroke-opacity stroke-linecap stroke-linejoin
stroke-dasharray stroke-dashoffset opacity transform font-size font-family font-weight text-anchor dominant-baseline x y
dx dy x1 y1 x2 y2 cx cy r rx ry d points offset stop-color stop-opacity viewBox preserveAspectRatio xmlns clip-path mask
marker-start marker-mid marker-end gradientUnits gradientTransform patternUnits visibility"""
_ATTRIBUTES = {
    "a": "href name",
    "img": "src srcset alt",
    "source": "srcset media type",
    "link": "rel href",
    "td": "colspan rowspan headers",
    "th": "colspan rowspan headers scope",
    "col": "span",
    "colgroup": "span",
    "ol": "start type reversed",
    "li": "value",
    "details": "open",
    "time": "datetime",
    "meter": "min max low high optimum value",
    "progress": "max value",
    "style": "media",
    "use": "href",
}
_TEXT_STYLE = "body{margin:1.5rem;font:16px/1.5 system-ui,sans-serif}pre{white-space:pre-wrap;overflow-wrap:anywhere}"


def shown_page(html: str, *, title: str = "Report") -> tuple[str, list[str]]:
    """Return a document that is safe to open in a browser, and the violations that made it text."""
    violations = html_violations(html)
    return (text_page(html, violations, title=title) if violations else sanitized_page(html, title=title)), violations


def sanitized_page(html: str, *, title: str = "Report") -> str:
    """Return a document with the known elements and attributes of a page, under a strict policy."""
    import nh3

    body = nh3.clean(
        html,
        tags={*_TEXT_TAGS.split(), *_SVG_TAGS.split()},
        clean_content_tags={"script", "noscript", "template", "iframe", "object"},
        attributes={
            "*": set(_ANY_ATTRIBUTES.split()),
            **{tag: set(names.split()) for tag, names in _ATTRIBUTES.items()},
        },
        generic_attribute_prefixes={"aria-", "data-"},
        url_schemes={"http", "https", "mailto", "data"},
        link_rel=None,
        strip_comments=True,
    )
    return _document(body, title)


def text_page(html: str, violations: list[str], *, title: str = "Report") -> str:
    """Return a document that shows the source of a page as text."""
    reasons = "".join(f"<li>{escape(violation)}</li>" for violation in violations)
    return _document(
        f"<style>{_TEXT_STYLE}</style><p>This page is unsafe to display and is shown as text.</p><ul>{reasons}</ul>"
        f"<pre>{escape(html)}</pre>",
        title,
    )


def _document(body: str, title: str) -> str:
    return (
        f'<!doctype html><html><head><meta charset="utf-8"><title>{escape(title)}</title>'
        f'<meta http-equiv="Content-Security-Policy" content="{escape(PAGE_CSP)}">'
        f'<meta name="viewport" content="width=device-width"></head><body>{body}</body></html>\n'
    )
