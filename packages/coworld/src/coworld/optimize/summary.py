"""Summarize an optimization so far, for programs (`summary.json`) and people (`report.html`)."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from html import escape
from pathlib import Path
from typing import Any

from coworld.uris.transfer import write_uri

_STYLE = """
:root { color-scheme: light dark; --line: #8884; --good: #059669; --bad: #dc2626; }
body { margin: 0 auto; max-width: 52rem; padding: 1.5rem 1rem; font: 16px/1.5 system-ui, sans-serif; }
table { border-collapse: collapse; width: 100%; }
td, th { text-align: left; padding: .4rem .6rem; border-bottom: 1px solid var(--line); vertical-align: top; }
svg { width: 14rem; height: 1.6rem; } code { font-size: .85em; } h1 { font-size: 1.3rem; }
"""


def write_summary(entries: Sequence[Mapping[str, Any]], folder: Path) -> None:
    """Write both files from the journal's lines."""
    document = summarize(entries)
    write_uri(str(folder / "summary.json"), (json.dumps(document, indent=2, sort_keys=True) + "\n").encode())
    write_uri(str(folder / "report.html"), render(document).encode())


def summarize(entries: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    first = next(entry["version"] for entry in entries if entry["kind"] == "begin")
    notes = {entry["iteration"]: entry["note"] for entry in entries if entry["kind"] == "proposal"}
    best, rows = first, []
    for entry in entries:
        if entry["kind"] == "decision":
            row = {key: value for key, value in entry.items() if key != "kind"}
            rows.append(row | {"note": notes.get(entry["iteration"])})
            best = entry["version"] if entry["kept"] else best
    return {"schema": "coworld-optimize/1", "first": first, "best": best, "iterations": rows}


def render(document: Mapping[str, Any]) -> str:
    """Return one page without scripts."""
    played = [row for row in document["iterations"] if row.get("low") is not None]
    reach = max([1e-9, *(abs(row[key]) for row in played for key in ("low", "high"))])
    rows = "".join(
        f"<tr><td>{row['iteration']}</td><td><code>{escape(row['version'] or '-')}</code></td>"
        f"<td>{'kept' if row['kept'] else 'rejected'}</td><td>{_bar(row, reach)}</td>"
        f"<td>{escape(row['note'] or '')}<br>{escape(row['reason'])}</td></tr>"
        for row in document["iterations"]
    )
    return (
        '<!doctype html><html lang="en"><head><meta charset="utf-8"><title>Optimization</title>'
        f"<style>{_STYLE}</style></head><body><h1>Optimization</h1>"
        f"<p>Began with <code>{document['first']}</code>, best is <code>{document['best']}</code>.</p>"
        "<table><thead><tr><th>#</th><th>Version</th><th>Decision</th><th>Difference, 95 %</th><th>Why</th></tr>"
        f"</thead><tbody>{rows}</tbody></table></body></html>\n"
    )


def _bar(row: Mapping[str, Any], reach: float) -> str:
    """Draw the interval as a line around zero."""
    if row.get("low") is None:
        return ""
    low, high, mean = (100 + 95 * row[key] / reach for key in ("low", "high", "mean"))
    colour = "var(--good)" if row["kept"] else "var(--bad)"
    return (
        '<svg viewBox="0 0 200 20" role="img" aria-label="interval">'
        '<line x1="100" y1="0" x2="100" y2="20" stroke="currentColor" opacity=".4"/>'
        f'<line x1="{low:.1f}" y1="10" x2="{high:.1f}" y2="10" stroke="{colour}" stroke-width="3"/>'
        f'<circle cx="{mean:.1f}" cy="10" r="4" fill="{colour}"/></svg>'
    )
