"""One HTML page about one or several runs: learning curves, speed, and how to repeat each run.

The page works from disk and loads nothing. All names are escaped.
"""

from __future__ import annotations

import base64
import hashlib
import json
from collections.abc import Callable, Iterable, Sequence
from typing import Any

from cogames.reports.html import Markup, code, facts, section, table, tag
from cogames_training.reports.charts import COLOURS, curve_chart, share_chart
from cogames_training.reports.epoch import PHASES, EpochReport
from cogames_training.reports.page_style import SCRIPT, STYLE
from cogames_training.reports.series import AXES, MAX_POINTS, Axis, Series, evaluation_series, series_of
from cogames_training.reports.units import duration, number, short_count
from cogames_training.runs.listing import Run

__all__ = ["render_page"]

FIRST_LOSSES = (
    "policy_loss",
    "value_loss",
    "entropy",
    "approx_kl",
    "clipfrac",
    "explained_variance",
    "cloning_loss",
)
FIRST_STATISTICS = ("env_agent/heart.gained", "env_collective/cogs/aligned.junction.held")
MAX_CHARTS = 80
"""most charts of a folded section"""

MakeSeries = Callable[[Run, int, Axis], Series]


def render_page(runs: Sequence[Run]) -> str:
    """Return the page as HTML."""
    names = ", ".join(run.name for run in runs)
    title = f"Training run {names}" if len(runs) == 1 else f"Training runs {names}"
    content = [
        tag("h1", title),
        _overview(runs),
        _axis_choice(),
        _scores(runs),
        _losses(runs),
        _speed(runs),
        _statistics(runs),
        _settings(runs),
        section("How to repeat", *map(_repeat, runs)),
    ]
    head = tag(
        "head",
        Markup('<meta charset="utf-8">'),
        Markup(f'<meta http-equiv="Content-Security-Policy" content="{_policy()}">'),
        Markup('<meta name="viewport" content="width=device-width, initial-scale=1">'),
        tag("title", title),
        tag("style", Markup(STYLE)),
    )
    body = tag("body", tag("main", *content), tag("script", Markup(SCRIPT)))
    return f'<!doctype html>\n<html lang="en">{head}{body}</html>\n'


def _overview(runs: Sequence[Run]) -> Markup:
    rows = []
    for colour, run in enumerate(runs):
        last = run.epochs[-1] if run.epochs else None
        rows.append(
            (
                tag("span", _swatch(colour), tag("b", run.name)),
                ", ".join(run.missions) or "–",
                code(run.policy) if run.policy else "–",
                _number("–" if last is None else f"{short_count(last.agent_steps)} of {short_count(last.total_steps)}"),
                _number("–" if last is None else duration(last.uptime)),
                _number(_score(run)),
                tag("span", run.status, class_={"failed": "bad", "finished": "good"}.get(run.status, "")),
                f"{run.started:%Y-%m-%d %H:%M} UTC",
            )
        )
    return table(("Run", "Missions", "Policy", "Agent steps", "Time", "Score", "Status", "Started"), rows)


def _axis_choice() -> Markup:
    choices = []
    for axis in AXES:
        checked = ' checked=""' if axis is AXES[0] else ""
        field = Markup(f'<input type="radio" name="axis" id="by-{axis.name}"{checked}> ')
        choices.append(tag("label", field, axis.label))
    return tag("fieldset", tag("legend", "Horizontal axis"), *choices, class_="axis")


def _scores(runs: Sequence[Run]) -> Markup:
    missions = _union(evaluation.get("missions") or {} for run in runs for evaluation in run.evaluations)
    charts = [_charts("Score in evaluations", runs, evaluation_series)]
    if len(missions) > 1:
        charts += [_charts(f"Score on {name}", runs, _mission_series(name)) for name in missions]
    charts.append(_charts("Reward of training episodes", runs, _value("episode", "reward")))
    charts += [_charts(name, runs, _value("episode", name)) for name in FIRST_STATISTICS]
    charts.append(_charts("Episode length", runs, _value("episode", "length")))
    text = (
        "Evaluations play held-out maps; their bands are 95% intervals. Other bands show the lowest and highest epoch."
    )
    return _section("Score", charts, text)


def _losses(runs: Sequence[Run]) -> Markup:
    names = _union(report.losses for run in runs for report in run.epochs)
    ordered = [name for name in FIRST_LOSSES if name in names]
    ordered += [name for name in names if name not in ordered]
    charts = [_charts(name.replace("_", " ").capitalize(), runs, _value("losses", name)) for name in ordered]
    return _section("Losses", charts)


def _speed(runs: Sequence[Run]) -> Markup:
    charts = [_charts("Agent steps per second", runs, lambda r, c, axis: series_of(r, c, axis, _steps_per_second))]
    phases = _phases(runs)
    for run in runs:
        label = "Time by phase" if len(runs) == 1 else f"Time by phase: {run.name}"
        charts.append(Markup("".join(share_chart(label, _shares(run, phases, axis), axis) for axis in AXES)))
    key = tag(
        "ul",
        *(tag("li", _swatch(index), name.replace("_", " ")) for index, name in enumerate(phases)),
        class_="key",
    )
    return _section("Speed", charts, "", key)


def _statistics(runs: Sequence[Run]) -> Markup:
    names = _union(report.episode for run in runs for report in run.epochs)
    rest = sorted(name for name in names if name not in ("reward", "length", *FIRST_STATISTICS))
    return _folded("Statistics of training episodes", rest, runs, "episode")


def _settings(runs: Sequence[Run]) -> Markup:
    names = sorted(_union(report.experience for run in runs for report in run.epochs))
    changing = sorted(
        name
        for name in _union(report.hyperparameters for run in runs for report in run.epochs)
        if any(len({report.hyperparameters.get(name) for report in run.epochs}) > 1 for run in runs)
    )
    rate = _charts("Learning rate", runs, lambda r, c, axis: series_of(r, c, axis, lambda report: report.learning_rate))
    charts = [rate, *(_charts(name, runs, _value("hyperparameters", name)) for name in changing)]
    charts += [_charts(name.replace("_", " "), runs, _value("experience", name)) for name in names]
    return _section(
        "Batch and schedules", [tag("details", tag("summary", f"Show {len(charts)} charts"), _grid(charts))]
    )


def _repeat(run: Run) -> Markup:
    record = run.record
    machine = record.get("machine") or {}
    packages = ", ".join(f"{name} {version}" for name, version in (record.get("packages") or {}).items())
    computer = ", ".join(
        text
        for text in (
            f"{machine.get('cpus')} processors" if machine.get("cpus") else "",
            str(machine.get("gpu") or ""),
            str(machine.get("system") or ""),
            f"Python {machine.get('python')}" if machine.get("python") else "",
            f"PyTorch {machine.get('torch')}" if machine.get("torch") else "",
        )
        if text
    )
    args = record.get("args")
    pairs = [
        ("Folder", record.get("folder")),
        ("Seed", _setting(run, "seed")),
        ("Commit", record.get("commit")),
        ("Packages", packages),
        ("Machine", computer),
        ("Started", record.get("started")),
        ("Continued", ", ".join(record.get("resumed") or ())),
        ("Ended", record.get("finished")),
        ("Reason", record.get("reason")),
    ]
    command = record.get("repeat")
    return tag(
        "div",
        tag("h3", run.name),
        tag("pre", command) if command else tag("p", "This run has no record of its command.", class_="quiet"),
        facts((name, value) for name, value in pairs if value not in (None, "")),
        _all_settings(args) if isinstance(args, dict) and args else "",
    )


def _all_settings(args: dict[str, Any]) -> Markup:
    rows = [(code(name), code(json.dumps(value, default=str))) for name, value in args.items()]
    return tag("details", tag("summary", f"Show all {len(args)} settings"), table(("Setting", "Value"), rows))


def _charts(title: str, runs: Sequence[Run], make: MakeSeries) -> Markup:
    """Return a figure for each axis; the page shows one of them."""
    figures = []
    for axis in AXES:
        series = [make(run, colour, axis) for colour, run in enumerate(runs)]
        figures.append(curve_chart(title, series, axis))
    return Markup("".join(figures))


def _section(title: str, charts: Sequence[Markup], text: str = "", key: Markup | None = None) -> Markup:
    drawn = [chart for chart in charts if chart]
    if not drawn:
        return section(title, tag("p", "No data yet.", class_="quiet"))
    body = drawn[0] if len(drawn) == 1 and drawn[0].startswith("<details") else _grid(drawn)
    return section(title, key or "", body, tag("p", text, class_="quiet") if text else "")


def _folded(title: str, names: Sequence[str], runs: Sequence[Run], table_name: str) -> Markup:
    if not names:
        return Markup("")
    charts = [_charts(name, runs, _value(table_name, name)) for name in names[:MAX_CHARTS]]
    more = f"; {len(names) - MAX_CHARTS} more are in metrics.jsonl" if len(names) > MAX_CHARTS else ""
    summary = tag("summary", f"Show {len(charts)} charts{more}")
    return section(title, tag("details", summary, _grid(charts)))


def _grid(charts: Sequence[Markup]) -> Markup:
    return tag("div", *charts, class_="charts")


def _value(table_name: str, name: str) -> MakeSeries:
    """Return a maker of the curves of one entry of a report's table."""

    def value(report: EpochReport) -> float | None:
        found = getattr(report, table_name).get(name)
        return float(found) if isinstance(found, int | float) else None

    return lambda run, colour, axis: series_of(run, colour, axis, value)


def _mission_series(name: str) -> MakeSeries:
    return lambda run, colour, axis: evaluation_series(run, colour, axis, name)


def _steps_per_second(report: EpochReport) -> float | None:
    return report.steps_per_second if report.seconds > 0 else None


def _phases(runs: Sequence[Run]) -> list[str]:
    used = {name for run in runs for report in run.epochs for name, seconds in report.phases.items() if seconds}
    return [*(name for name in PHASES if name in used), *sorted(used - set(PHASES))]


def _shares(run: Run, phases: Sequence[str], axis: Axis) -> dict[str, list[tuple[float, float]]]:
    """Return (x, share of the time) by phase, over groups of epochs."""
    reports = run.epochs
    groups = min(len(reports), MAX_POINTS // 4)
    parts: dict[str, list[tuple[float, float]]] = {name: [] for name in phases}
    for group in range(groups):
        chunk = reports[group * len(reports) // groups : (group + 1) * len(reports) // groups]
        seconds = {name: sum(report.phases.get(name, 0.0) for report in chunk) for name in phases}
        total = sum(seconds.values()) or 1.0
        x = sum(axis.of(report) for report in chunk) / len(chunk)
        for name in phases:
            parts[name].append((x, seconds[name] / total))
    return parts if groups else {}


def _score(run: Run) -> str:
    newest = next((each for each in reversed(run.evaluations) if isinstance(each.get("score"), int | float)), None)
    if newest is None:
        return "–" if run.score is None else f"{number(run.score)} in training"
    low, high = newest.get("low"), newest.get("high")
    has_interval = isinstance(low, int | float) and isinstance(high, int | float)
    return number(newest["score"]) + (f" ({number(low)} to {number(high)})" if has_interval else "")


def _setting(run: Run, name: str) -> Any:
    args = run.record.get("args")
    return run.record.get(name, args.get(name) if isinstance(args, dict) else None)


def _swatch(colour: int) -> Markup:
    return tag("span", class_=f"swatch c{colour % COLOURS}")


def _number(text: str) -> Markup:
    return tag("span", text, class_="number")


def _union(tables: Iterable[Any]) -> list[str]:
    """Return the keys of all tables in the order of their first appearance."""
    return list(dict.fromkeys(str(name) for table_ in tables if isinstance(table_, dict) for name in table_))


def _policy() -> str:
    return (
        f"default-src 'none'; script-src {_hash(SCRIPT)}; style-src {_hash(STYLE)}; base-uri 'none'; form-action 'none'"
    )


def _hash(text: str) -> str:
    return f"'sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}'"
