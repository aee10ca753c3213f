"""The HTML pages people see: plain documents without scripts, readable on a phone, in light and dark.

Everything that comes from outside goes through `escape`; `page` is the only function that writes a document.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from html import escape

from fastapi.responses import HTMLResponse

__all__ = ["field", "form", "hidden", "page", "paragraph", "secret_box", "table"]

_STYLE = """
:root { color-scheme: light dark; --line: #8886; --accent: #0b5fad; --paper: #fff; --ink: #1a1a1a; --soft: #f3f3f3; }
@media (prefers-color-scheme: dark) {
  :root { --accent: #7fbcff; --paper: #16181b; --ink: #ececec; --soft: #24272b; }
}
body { font: 1rem/1.5 system-ui, sans-serif; background: var(--paper); color: var(--ink); margin: 0 auto;
  max-width: 44rem; padding: 1rem; }
h1 { font-size: 1.5rem; line-height: 1.25; } h2 { font-size: 1.15rem; margin-top: 2rem; }
a { color: var(--accent); }
label { display: block; margin-top: .75rem; }
input[type=text], input[type=password], input[type=email], select { font: inherit; box-sizing: border-box; width: 100%;
  padding: .5rem; border: 1px solid var(--line); border-radius: .35rem; background: var(--paper); color: var(--ink); }
button { font: inherit; margin-top: 1rem; padding: .5rem 1rem; border: 1px solid var(--accent); border-radius: .35rem;
  background: var(--accent); color: var(--paper); cursor: pointer; }
:focus-visible { outline: 3px solid var(--accent); outline-offset: 2px; }
[role=alert] { border-left: .3rem solid #c33; background: var(--soft); padding: .5rem .75rem; }
code, output { font-family: ui-monospace, monospace; overflow-wrap: anywhere; }
output { display: block; background: var(--soft); padding: .75rem; border-radius: .35rem; user-select: all; }
.scroll { overflow-x: auto; }
table { border-collapse: collapse; width: 100%; } th, td { text-align: left; padding: .35rem .75rem .35rem 0;
  border-bottom: 1px solid var(--line); vertical-align: top; }
td button { margin: 0; padding: .1rem .5rem; } time { white-space: nowrap; }
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
    """A whole document; `parts` are HTML already."""
    alert = f'<p role="alert">{escape(error)}</p>' if error else ""
    body = "\n".join(parts)
    document = (
        f'<!doctype html><html lang="en"><head><meta charset="utf-8">'
        f'<meta name="viewport" content="width=device-width, initial-scale=1"><title>{escape(title)}</title>'
        f"<style>{_STYLE}</style></head><body><main><h1>{escape(title)}</h1>{alert}{body}</main></body></html>"
    )
    return HTMLResponse(document, status_code=status, headers=_HEADERS)


def paragraph(text: str) -> str:
    return f"<p>{escape(text)}</p>"


def form(action: str, button: str, *fields: str, csrf: str) -> str:
    """A form that changes something; `csrf` proves that it is ours."""
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
    """A value to be copied by hand; one click selects all of it."""
    return f'<p id="copy">{escape(label)}</p><output aria-labelledby="copy">{escape(value)}</output>'


def table(caption: str, headers: Sequence[str], rows: Iterable[Sequence[str]], *, empty: str) -> str:
    """Rows of HTML cells under a heading, or a sentence when there is none."""
    lines = ["<tr>" + "".join(f"<td>{cell}</td>" for cell in row) + "</tr>" for row in rows]
    heading = f"<h2>{escape(caption)}</h2>"
    if not lines:
        return heading + paragraph(empty)
    head = "".join(f'<th scope="col">{escape(name)}</th>' for name in headers)
    rows_html = f"<thead><tr>{head}</tr></thead><tbody>{''.join(lines)}</tbody>"
    return f'{heading}<div class="scroll"><table>{rows_html}</table></div>'
