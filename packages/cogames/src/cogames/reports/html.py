"""A minimal HTML builder: all text is escaped unless it is `Markup`."""

from collections.abc import Iterable, Sequence
from html import escape
from urllib.parse import quote


class Markup(str):
    """Text that is already HTML."""


def text(value: object) -> Markup:
    """Escape a value as HTML; `Markup` passes unchanged."""
    return value if isinstance(value, Markup) else Markup(escape(str(value)))


def tag(name: str, *children: object, **attributes: str) -> Markup:
    """Return an element. In attribute names `_` means `-`; those that are Python keywords take a trailing one."""
    written = "".join(f' {key.rstrip("_").replace("_", "-")}="{escape(value)}"' for key, value in attributes.items())
    return Markup(f"<{name}{written}>{''.join(map(text, children))}</{name}>")


def section(title: str, *children: object) -> Markup:
    return tag("section", tag("h2", title), *children)


def table(head: Sequence[object], rows: Iterable[Sequence[object]], empty: str = "None.") -> Markup:
    """Return a table, or the text `empty` if it has no rows. Wide tables scroll inside their own box."""
    lines = [tag("tr", *(tag("td", cell) for cell in row)) for row in rows]
    if not lines:
        return tag("p", empty, class_="quiet")
    header = tag("tr", *(tag("th", cell, scope="col") for cell in head))
    return tag("div", tag("table", tag("thead", header), tag("tbody", *lines)), class_="wide")


def items(entries: Iterable[object], kind: str = "ul") -> Markup:
    return tag(kind, *(tag("li", entry) for entry in entries))


def facts(pairs: Iterable[tuple[object, object]]) -> Markup:
    """Return a list of names with their values."""
    return tag("dl", *(tag("div", tag("dt", name), tag("dd", value)) for name, value in pairs))


def code(value: object) -> Markup:
    return tag("code", value)


def link(reference: str, label: object | None = None) -> Markup:
    """Return a link to a file in the page's folder."""
    return tag("a", reference if label is None else label, href=quote(reference))


def page(title: str, style: str, *children: object) -> str:
    """Return a self-contained HTML document."""
    head = (
        Markup('<meta charset="utf-8">'),
        tag("title", title),
        Markup('<meta name="viewport" content="width=device-width, initial-scale=1">'),
        tag("style", Markup(style)),
    )
    document = Markup(f'<html lang="en">{tag("head", *head)}{tag("body", tag("main", *children))}</html>')
    return f"<!doctype html>\n{document}\n"
