"""Numbers and times as people read them."""

from __future__ import annotations

import math

__all__ = ["duration", "number", "short_count"]


def short_count(value: float) -> str:
    """Return a count with three digits and a unit: 950, 12.3k, 4.56M, 10.0B."""
    for limit, unit in ((1e9, "B"), (1e6, "M"), (1e3, "k")):
        if abs(value) >= limit:
            scaled = value / limit
            return f"{scaled:.{0 if abs(scaled) >= 100 else 1 if abs(scaled) >= 10 else 2}f}{unit}"
    return f"{value:.0f}"


def number(value: float | None) -> str:
    """Return a value with about four digits; a dash if there is none."""
    if value is None or math.isnan(value):
        return "–"
    if math.isinf(value):
        return "∞" if value > 0 else "-∞"
    size = abs(value)
    if size >= 10_000:
        return short_count(value)
    if 0 < size < 0.001:
        return f"{value:.1e}"
    return f"{value:.{0 if size >= 1000 else 1 if size >= 100 else 2 if size >= 10 else 3}f}"


def duration(seconds: float | None) -> str:
    """Return a time: 45 s, 3:07 min, 2:15 h, 4 d 3 h."""
    if seconds is None or not math.isfinite(seconds):
        return "–"
    whole = max(int(seconds + 0.5), 0)
    if whole < 60:
        return f"{whole} s"
    if whole < 3600:
        return f"{whole // 60}:{whole % 60:02d} min"
    if whole < 48 * 3600:
        return f"{whole // 3600}:{whole % 3600 // 60:02d} h"
    return f"{whole // 86400} d {whole % 86400 // 3600} h"
