"""The report of a sweep: one HTML file that works from disk."""

from __future__ import annotations

import math
from collections.abc import Sequence

from cogames.ladder.report_style import STYLE
from cogames.reports.html import Markup, code, facts, page, section, table, tag
from cogames_training.sweeps.space import Parameter
from cogames_training.sweeps.study import SweepResults, TrialResult

__all__ = ["render_report"]

WIDTH, HEIGHT, MARGIN = 320, 180, 10
MORE_STYLE = """
.plots { display: grid; gap: 1.25rem; grid-template-columns: repeat(auto-fill, minmax(18rem, 1fr)); }
figure { margin: 0; }
figcaption { font-size: .9rem; color: var(--quiet); }
.plot { width: 100%; height: auto; background: var(--card); border: 1px solid var(--line); border-radius: .5rem; }
.plot .dot { fill: var(--accent); opacity: .75; }
.plot .best { fill: var(--good); }
.plot .line { stroke: var(--good); stroke-width: 2; fill: none; }
.share-bar { fill: var(--accent); }
"""


def render_report(results: SweepResults, *, trials: int) -> str:
    """Return the report as HTML. All names and messages are escaped."""
    ranked = results.ranked()
    return page(
        "Sweep",
        STYLE + MORE_STYLE,
        _header(results, ranked, trials),
        _ranking(results, ranked),
        _plots(results, ranked),
        _importance(results),
        _failures(results),
        _method(results),
    )


def _header(results: SweepResults, ranked: Sequence[TrialResult], trials: int) -> Markup:
    plan = results.plan
    title = f"Sweep: trial {ranked[0].number} is best" if ranked else "Sweep: no trial has finished"
    best = _number(ranked[0].score) if ranked else "–"
    return tag(
        "header",
        tag("h1", title),
        facts(
            [
                ("Trials", f"{len(results.trials)} of {trials}"),
                ("Best score", best),
                ("Metric", plan.metric),
                ("Direction", plan.direction),
                ("Seed", plan.seed),
            ]
        ),
    )


def _ranking(results: SweepResults, ranked: Sequence[TrialResult]) -> Markup:
    keys = [parameter.key for parameter in results.plan.parameters]
    rows = [
        (
            place,
            trial.number,
            _cell(trial.score),
            *(_cell(trial.values[key]) for key in keys),
            _cell(f"{trial.seconds:.0f} s"),
        )
        for place, trial in enumerate(ranked, 1)
    ]
    names = (tag("span", key.rpartition(".")[2], title=key) for key in keys)
    return section("Trials", table(("", "Trial", "Score", *names, "Time"), rows))


def _plots(results: SweepResults, ranked: Sequence[TrialResult]) -> Markup:
    if len(ranked) < 2:
        return Markup("")
    figures = [_history(results, ranked)]
    figures += [_scatter(parameter, ranked) for parameter in results.plan.parameters]
    return section("Scores", tag("div", *figures, class_="plots"))


def _history(results: SweepResults, ranked: Sequence[TrialResult]) -> Markup:
    """Draw all scores in order, with the best so far as a line."""
    scored = sorted(ranked, key=lambda trial: trial.number)
    low, high = _ends([trial.score or 0.0 for trial in scored])
    last = max(1, scored[-1].number)
    better = max if results.plan.direction == "maximize" else min
    points, best = [], scored[0].score or 0.0
    for trial in scored:
        best = better(best, trial.score or 0.0)
        points.append(f"{_x(trial.number / last)},{_y(best, low, high)}")
    dots = [
        _dot(_x(trial.number / last), _y(trial.score or 0.0, low, high), trial, is_best=trial is ranked[0])
        for trial in scored
    ]
    line = tag("polyline", points=" ".join(points), class_="line")
    return _figure("score by trial; the line is the best so far", line, *dots)


def _scatter(parameter: Parameter, ranked: Sequence[TrialResult]) -> Markup:
    low, high = _ends([trial.score or 0.0 for trial in ranked])
    dots = [
        _dot(_x(_position(parameter, trial)), _y(trial.score or 0.0, low, high), trial, is_best=trial is ranked[0])
        for trial in reversed(ranked)
    ]
    return _figure(f"score by {parameter.key}, {parameter.text()}", *dots)


def _position(parameter: Parameter, trial: TrialResult) -> float:
    """Return where a trial's value lies between the ends of the range, 0 to 1."""
    value = trial.values[parameter.key]
    if parameter.choices:
        return parameter.choices.index(value) / max(1, len(parameter.choices) - 1)
    assert parameter.low is not None and parameter.high is not None
    low, high, value = float(parameter.low), float(parameter.high), float(value)
    if parameter.scale != "linear":
        low, high, value = math.log(low), math.log(high), math.log(value)
    return (value - low) / (high - low)


def _importance(results: SweepResults) -> Markup:
    if not results.importance:
        return Markup("")
    rows = []
    for key, share in results.importance.items():
        bar = tag("rect", x="0", y="4", width=f"{200 * share:.1f}", height="10", class_="share-bar")
        drawing = tag("svg", bar, viewBox="0 0 200 18", class_="bar", role="img", aria_label=f"{share:.0%}")
        rows.append((code(key), drawing, _cell(f"{100 * share:.0f} %")))
    return section(
        "Importance",
        table(("Setting", "", "Share"), rows),
        tag(
            "p",
            "How much each setting separates the best trials from the others. With few trials this is a rough guide.",
            class_="quiet",
        ),
    )


def _failures(results: SweepResults) -> Markup:
    failed = [(trial.number, trial.problem) for trial in results.trials if trial.score is None]
    return section("Failed trials", table(("Trial", "Problem"), failed)) if failed else Markup("")


def _method(results: SweepResults) -> Markup:
    ranges = [(code(parameter.key), code(parameter.text())) for parameter in results.plan.parameters]
    return section(
        "Method",
        table(("Setting", "Values"), ranges),
        tag(
            "p",
            f"The score of a trial is the mean of {results.plan.metric} over the last tenth of its epochs. Trials run "
            "one after the other; a tree-structured Parzen estimator chooses each from the ones before it.",
            class_="quiet",
        ),
    )


def _figure(caption: str, *marks: Markup) -> Markup:
    drawing = tag("svg", *marks, viewBox=f"0 0 {WIDTH} {HEIGHT}", class_="plot", role="img", aria_label=caption)
    return tag("figure", drawing, tag("figcaption", caption))


def _dot(x: str, y: str, trial: TrialResult, *, is_best: bool) -> Markup:
    title = tag("title", f"trial {trial.number}: {_number(trial.score)}")
    return tag("circle", title, cx=x, cy=y, r="5", class_="dot best" if is_best else "dot")


def _ends(scores: Sequence[float]) -> tuple[float, float]:
    low, high = min(scores), max(scores)
    return (low, high) if low < high else (low - 1, high + 1)


def _x(part: float) -> str:
    return f"{MARGIN + (WIDTH - 2 * MARGIN) * part:.1f}"


def _y(score: float, low: float, high: float) -> str:
    return f"{HEIGHT - MARGIN - (HEIGHT - 2 * MARGIN) * (score - low) / (high - low):.1f}"


def _cell(value: object) -> Markup:
    return tag("span", _number(value), class_="number")


def _number(value: object) -> str:
    return f"{value:.4g}" if isinstance(value, float) else str(value)
