"""The default reporter: the highlights of an episode as a page, and its event log.

In: `COGAME_EPISODE_BUNDLE_URI`. Out: a zip at `COGAME_REPORT_URI` with `manifest.json` (`reporter_id`, `render`,
`event_log`), `report.html` and `event_log.parquet`; the log also at `COGAME_REPLAY_STATS_PARQUET_URI` when that is
set. The page keeps to the safe profile of reports: no scripts, nothing from outside.
"""

from __future__ import annotations

import os
import sys
from html import escape

from coworld.roles.episode import Episode, read_episode
from coworld.roles.event_log import write_event_log
from coworld.roles.highlights import Course, course, events, moments
from coworld.roles.program import archive, json_bytes, run_role, variable
from coworld.uris.transfer import write_uri

COLOURS = ("#2563eb", "#dc2626", "#059669", "#7c3aed", "#d97706", "#0891b2", "#be185d", "#4d7c0f")
_STYLE = """
:root { color-scheme: light dark; --ink: #1c1c1a; --quiet: #66655f; --line: #dddcd6; --ground: #fff; }
@media (prefers-color-scheme: dark) { :root { --ink: #ececea; --quiet: #a3a29c; --line: #38383b; --ground: #161617; } }
body { margin: 0 auto; max-width: 46rem; padding: 1.5rem 1rem; background: var(--ground); color: var(--ink);
  font: 16px/1.5 system-ui, sans-serif; }
h1 { font-size: 1.3rem; } h2 { font-size: 1rem; margin-top: 2rem; }
table { border-collapse: collapse; width: 100%; }
td, th { text-align: left; padding: .35rem .5rem; border-bottom: 1px solid var(--line); overflow-wrap: anywhere; }
td.n, th.n { text-align: right; font-variant-numeric: tabular-nums; }
svg { width: 100%; height: auto; } .quiet, figcaption { color: var(--quiet); }
.dot { display: inline-block; width: .8em; height: .8em; border-radius: 50%; margin-right: .4em; }
"""


def render(episode: Episode) -> str:
    """Return the page. Names come from players, so they are escaped."""
    names, scores, played = episode.names, episode.scores, course(episode)
    order = sorted(range(len(scores)), key=lambda slot: (-scores[slot], slot))
    rows = "".join(
        f'<tr><td><span class="dot" style="background:{_colour(slot)}"></span>{escape(names[slot])}</td>'
        f'<td class="n">{slot}</td><td class="n">{scores[slot]:g}</td></tr>'
        for slot in order
    )
    moment_rows = "".join(
        f'<tr><td class="n">{moment.tick}</td><td>{escape(moment.text)}</td></tr>' for moment in moments(episode)
    )
    return (
        f'<!doctype html><html lang="en"><head><meta charset="utf-8"><title>{escape(episode.id)}</title>'
        f"<style>{_STYLE}</style></head><body><h1>Episode {escape(episode.id)}</h1>"
        f'<p class="quiet">{escape(episode.status)}, {len(scores)} seats'
        f"{f', {played.ticks[-1]} ticks' if played.ticks else ''}</p>"
        f'<table><thead><tr><th>Policy</th><th class="n">Seat</th><th class="n">Score</th></tr></thead>'
        f"<tbody>{rows}</tbody></table>{_chart(played)}"
        f'<h2>Highlights</h2><table><thead><tr><th class="n">Tick</th><th>What happened</th></tr></thead>'
        f"<tbody>{moment_rows}</tbody></table></body></html>\n"
    )


def report(episode: Episode) -> dict[str, bytes]:
    """Return the report's files by name."""
    manifest = {
        "reporter_id": os.environ.get("COGAME_REPORTER_ID", "default-reporter"),
        "render": "report.html",
        "event_log": "event_log.parquet",
    }
    return {
        "manifest.json": json_bytes(manifest),
        "report.html": render(episode).encode(),
        "event_log.parquet": write_event_log(events(episode)),
    }


def _colour(slot: int) -> str:
    return COLOURS[slot % len(COLOURS)]


def _chart(played: Course) -> str:
    """Draw the scores over time; empty when the replay does not have them."""
    if len(played.ticks) < 2:
        return ""
    width, height, left = 640, 220, 40
    highest, lowest = max(max(row) for row in played.scores), min(0.0, min(min(row) for row in played.scores))
    first, last = played.ticks[0], played.ticks[-1]
    across = (width - left - 10) / max(last - first, 1)
    up = (height - 30) / ((highest - lowest) or 1)
    every = max(len(played.ticks) // 400, 1)  # more points than pixels add no information
    indices = [*range(0, len(played.ticks) - 1, every), len(played.ticks) - 1]
    floor, right = height - 20, width - 10
    lines = []
    for slot in range(len(played.scores[0])):
        places = ((played.ticks[at] - first, played.scores[at][slot] - lowest) for at in indices)
        points = " ".join(f"{left + x * across:.1f},{floor - y * up:.1f}" for x, y in places)
        lines.append(f'<polyline fill="none" stroke="{_colour(slot)}" stroke-width="2" points="{points}"/>')
    text = 'fill="currentColor" font-size="11" opacity=".7"'
    return (
        '<figure style="margin:1.5rem 0 0">'
        f'<svg viewBox="0 0 {width} {height}" role="img" aria-label="Scores over time">'
        f'<line x1="{left}" y1="{floor}" x2="{right}" y2="{floor}" stroke="currentColor" opacity=".3"/>'
        f'<text x="{left - 6}" y="{floor}" text-anchor="end" {text}>{lowest:g}</text>'
        f'<text x="{left - 6}" y="16" text-anchor="end" {text}>{highest:g}</text>'
        f'<text x="{left}" y="{height - 5}" {text}>tick {first}</text>'
        f'<text x="{right}" y="{height - 5}" text-anchor="end" {text}>{last}</text>{"".join(lines)}</svg>'
        "<figcaption>Scores over time</figcaption></figure>"
    )


def run() -> None:
    files = report(read_episode(variable("COGAME_EPISODE_BUNDLE_URI")))
    stats = os.environ.get("COGAME_REPLAY_STATS_PARQUET_URI")
    target = variable("COGAME_REPORT_URI") if not stats else os.environ.get("COGAME_REPORT_URI")
    if stats:
        write_uri(stats, files["event_log.parquet"])
    if target:
        write_uri(target, archive(files), content_type="application/zip")


if __name__ == "__main__":
    sys.exit(run_role(run))
