"""The HTML pages people see: plain documents without scripts, readable on a phone, in light and dark.

Everything that comes from outside goes through `escape`; `page` is the only function that writes a document.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from html import escape

from fastapi.responses import HTMLResponse

__all__ = ["field", "form", "hidden", "page", "paragraph", "secret_box", "table"]

# The colours are those of web/src/ui/theme.css.
_STYLE = """
:root { color-scheme: light; --bg: #f1efe9; --surface: #fbfaf7; --raised: #fff; --line: #dcd8cd; --text: #1e2429;
  --quiet: #5c6770; --accent: #176c8b; --danger: #b3341f; }
@media (prefers-color-scheme: dark) {
  :root { color-scheme: dark; --bg: #0c0f12; --surface: #14191e; --raised: #1c2329; --line: #2a333b; --text: #e6ebef;
    --quiet: #93a0ab; --accent: #58b8d8; --danger: #f08a6f; }
}
* { box-sizing: border-box; }
body { font: 15px/1.5 system-ui, "Segoe UI", Roboto, "Helvetica Neue", sans-serif; background: var(--bg);
  color: var(--text); margin: 0; overflow-wrap: anywhere; }
header { background: var(--surface); border-bottom: 1px solid var(--line); padding: 12px max(16px, calc(50% - 22rem)); }
header a { color: var(--text); font-weight: 650; text-decoration: none; }
main { background: var(--surface); border: 1px solid var(--line); border-radius: 12px; margin: 24px auto;
  max-width: 44rem; width: calc(100% - 24px); padding: 8px 20px 20px; }
h1 { font-size: 22px; line-height: 1.25; } h2 { font-size: 17px; margin: 28px 0 8px; }
a { color: var(--accent); }
label { display: block; margin-top: 12px; }
input[type=text], input[type=password], input[type=email], select { font: inherit; width: 100%; min-height: 36px;
  padding: 6px 10px; border: 1px solid var(--line); border-radius: 8px; background: var(--raised); color: inherit; }
button { font: inherit; margin-top: 16px; min-height: 36px; padding: 5px 14px; border: 1px solid var(--accent);
  border-radius: 8px; background: var(--accent); color: var(--surface); cursor: pointer; }
:focus-visible { outline: 2px solid var(--accent); outline-offset: 2px; }
[role=alert] { border-left: 3px solid var(--danger); background: var(--raised); padding: 10px 14px; }
code, output { font-family: ui-monospace, "SF Mono", Menlo, Consolas, monospace; font-size: .92em; }
output { display: block; background: var(--raised); border: 1px solid var(--line); padding: 12px; border-radius: 8px;
  user-select: all; }
.scroll { overflow-x: auto; overflow-wrap: normal; }
table { border-collapse: collapse; width: 100%; } th, td { text-align: left; padding: 6px 12px 6px 0;
  border-bottom: 1px solid var(--line); vertical-align: top; } th { font-weight: 400; color: var(--quiet); }
td button { margin: 0; min-height: 0; padding: 1px 8px; } time { white-space: nowrap; }
"""

# No script can run, nothing is loaded from elsewhere, and no page shows ours in a frame. Forms lead to callbacks on the
# user's own machine too: browsers hold a redirect after a form against `form-action`.
_HEADERS = {
    "Content-Security-Policy": (
        "default-src 'none'; style-src 'unsafe-inline'; img-src 'self'; base-uri 'none'; frame-ancestors 'none'; "
        "form-action 'self' http://127.0.0.1:* http://localhost:*"
    ),
    "Referrer-Policy": "no-referrer",
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
    "Cache-Control": "no-store",
}


def page(title: str, *parts: str, error: str | None = None, status: int = 200) -> HTMLResponse:
    """Return a whole document; `parts` are HTML already."""
    alert = f'<p role="alert">{escape(error)}</p>' if error else ""
    body = "\n".join(parts)
    document = (
        f'<!doctype html><html lang="en"><head><meta charset="utf-8">'
        f'<meta name="viewport" content="width=device-width, initial-scale=1"><title>{escape(title)}</title>'
        f'<link rel="icon" type="image/svg+xml" href="/observatory/assets/icon.svg">'
        f'<style>{_STYLE}</style></head><body><header><a href="/observatory">Alignment League</a></header>'
        f"<main><h1>{escape(title)}</h1>{alert}{body}</main></body></html>"
    )
    return HTMLResponse(document, status_code=status, headers=_HEADERS)


def paragraph(text: str) -> str:
    return f"<p>{escape(text)}</p>"


def form(action: str, button: str, *fields: str, csrf: str) -> str:
    """Return a form that changes something; `csrf` proves that it is ours."""
    return (
        f'<form method="post" action="{escape(action)}">{hidden("csrf", csrf)}{"".join(fields)}'
        f'<button type="submit">{escape(button)}</button></form>'
    )


def hidden(name: str, value: str) -> str:
    return f'<input type="hidden" name="{escape(name)}" value="{escape(value)}">'


def field(name: str, label: str, *, kind: str = "text", autocomplete: str = "off", value: str = "") -> str:
    return (
        f'<label for="{escape(name)}">{escape(label)}</label><input id="{escape(name)}" name="{escape(name)}" '
        f'type="{escape(kind)}" autocomplete="{escape(autocomplete)}" value="{escape(value)}" required>'
    )


def secret_box(label: str, value: str) -> str:
    """Return a value to be copied by hand; one click selects all of it."""
    return f'<p id="copy">{escape(label)}</p><output aria-labelledby="copy">{escape(value)}</output>'


def table(caption: str, headers: Sequence[str], rows: Iterable[Sequence[str]], *, empty: str) -> str:
    """Return a table of HTML cells under a heading, or the sentence `empty` without rows."""
    lines = ["<tr>" + "".join(f"<td>{cell}</td>" for cell in row) + "</tr>" for row in rows]
    heading = f"<h2>{escape(caption)}</h2>"
    if not lines:
        return heading + paragraph(empty)
    head = "".join(f'<th scope="col">{escape(name)}</th>' for name in headers)
    rows_html = f"<thead><tr>{head}</tr></thead><tbody>{''.join(lines)}</tbody>"
    return f'{heading}<div class="scroll"><table>{rows_html}</table></div>'
