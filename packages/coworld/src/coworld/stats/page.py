"""Render a stats document as one page without scripts."""

from __future__ import annotations

from html import escape

from coworld.stats.models import MeasuredValue, MissingValue, NoOpportunities, StatsBlock

_STYLE = """
:root { color-scheme: light dark; --line: #8884; }
body { margin: 0 auto; max-width: 60rem; padding: 1.5rem 1rem; font: 16px/1.5 system-ui, sans-serif; }
table { border-collapse: collapse; width: 100%; } h1 { font-size: 1.3rem; } h2 { font-size: 1rem; margin-top: 2rem; }
td, th { text-align: left; padding: .35rem .6rem; border-bottom: 1px solid var(--line); overflow-wrap: anywhere; }
.quiet { opacity: .7; } .n { text-align: right; font-variant-numeric: tabular-nums; }
"""


def render_stats(block: StatsBlock) -> str:
    """Render every episode with its seats and measurements, with a reason for each missing value."""
    parts = [
        '<!doctype html><html lang="en"><head><meta charset="utf-8"><title>Statistics</title>',
        f"<style>{_STYLE}</style></head><body><h1>Statistics</h1>",
        f"<p>{len(block.episodes)} episodes measured, {len(block.failures)} failed.</p>",
    ]
    for failure in block.failures:
        parts.append(f"<p><b>{escape(failure.provenance.episode_id)}</b>: {escape(failure.reason)}</p>")
    for episode in block.episodes:
        heads = "".join(
            f'<th title="{escape(metric.description)}">{escape(metric.name)}</th>' for metric in episode.metrics
        )
        parts.append(
            f"<h2>{escape(episode.provenance.episode_id)} "
            f'<span class="quiet">{escape(episode.provenance.game_id)}</span></h2>'
            f"<table><thead><tr><th>Seat</th><th>Policy</th>{heads}</tr></thead><tbody>"
        )
        for seat in episode.seats:
            measurements = {measurement.metric_id: measurement for measurement in seat.measurements}
            cells = "".join(_cell(measurements[metric.id]) for metric in episode.metrics)
            parts.append(f"<tr><td>{escape(seat.seat_id)}</td><td>{escape(seat.policy_id or '-')}</td>{cells}</tr>")
        parts.append("</tbody></table>")
    return "".join([*parts, "</body></html>\n"])


def _cell(measurement: MeasuredValue | MissingValue | NoOpportunities) -> str:
    if isinstance(measurement, MissingValue):
        return f'<td class="quiet" title="{escape(measurement.reason)}">{measurement.status}</td>'
    if isinstance(measurement, NoOpportunities):
        return '<td class="quiet">no opportunities</td>'
    return f'<td class="n">{measurement.value:.4g}</td>'
