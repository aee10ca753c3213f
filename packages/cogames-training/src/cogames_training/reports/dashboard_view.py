"""The live display, for terminals of 80 columns and more."""

from __future__ import annotations

from collections.abc import Sequence

from rich.console import Console, ConsoleOptions, Group, RenderableType, RenderResult
from rich.segment import Segment
from rich.style import Style
from rich.table import Table
from rich.text import Text

from cogames_training.reports.dashboard import Progress, evaluation_text
from cogames_training.reports.epoch import PHASES, EpochReport
from cogames_training.reports.units import duration, number, short_count

__all__ = ["view"]

LOSSES = (
    "policy_loss",
    "value_loss",
    "entropy",
    "approx_kl",
    "clipfrac",
    "explained_variance",
    "cloning_loss",
)
SCORES = ("reward", "length", "env_agent/heart.gained", "env_collective/cogs/aligned.junction.held")
MAX_STATISTICS = 8


def view(progress: Progress) -> RenderableType:
    """Return the display of a run."""
    report = progress.report
    if report is None:
        return Text(progress.title)
    columns = Table.grid(padding=(0, 3), expand=True)
    for _ in range(3):
        columns.add_column(ratio=1)
    columns.add_row(_speed(progress, report), _losses(report), _scores(progress))
    parts: list[RenderableType] = [_head(progress, report), _Bar(_share(report)), Text(), columns]
    if progress.evaluation is not None:
        parts += [Text(), _evaluation(progress.evaluation)]
    parts += [Text(note, style="dim", overflow="fold") for note in progress.notes]
    return Group(*parts)


class _Bar:
    """A bar over the whole width."""

    def __init__(self, share: float) -> None:
        self._share = share

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        full, empty = ("━", "─") if options.encoding.lower().startswith("utf") else ("#", ".")
        filled = round(self._share * options.max_width)
        yield Segment(full * filled, Style(color="cyan"))
        yield Segment(empty * (options.max_width - filled), Style(dim=True))
        yield Segment.line()


def _head(progress: Progress, report: EpochReport) -> Text:
    text = Text(progress.title, style="bold", no_wrap=True, overflow="ellipsis")
    done = f"{short_count(report.agent_steps)} of {short_count(report.total_steps)} steps ({_share(report):.1%})"
    times = f"{duration(report.uptime)} so far, {duration(progress.seconds_left)} left"
    return text + Text(f"\nepoch {report.epoch}, {done}, {times}", style="not bold")


def _speed(progress: Progress, report: EpochReport) -> Table:
    rows = [(name, f"{share:4.0%}") for name, share in _shares(report)]
    return _table("Speed", [("steps/s", short_count(progress.steps_per_second)), *rows])


def _losses(report: EpochReport) -> Table:
    names = [name for name in LOSSES if name in report.losses]
    names += [name for name in report.losses if name not in names][: MAX_STATISTICS - len(names)]
    rows = [(name.replace("_", " "), number(report.losses[name])) for name in names]
    return _table("Losses", [*rows, ("learning rate", number(report.learning_rate))])


def _scores(progress: Progress) -> Table:
    report = progress.episode
    if report is None:
        return _table("Episodes", [("none ended yet", "")])
    names = [name for name in SCORES if name in report.episode]
    names += [name for name in report.episode if name not in names][: MAX_STATISTICS - len(names)]
    rows = [(name.rpartition("/")[2], number(report.episode[name])) for name in names]
    return _table("Episodes", [*rows, ("ended", str(report.episodes))])


def _evaluation(report: EpochReport) -> Text:
    evaluation = report.evaluation or {}
    text = Text.assemble(
        ("Evaluation ", "bold"),
        (evaluation_text(report), "bold green"),
        f" at epoch {report.epoch}, {evaluation.get('episodes', '?')} episodes on held-out maps",
    )
    missions = evaluation.get("missions")
    for name, part in missions.items() if isinstance(missions, dict) and len(missions) > 1 else ():
        if isinstance(part, dict):
            score = evaluation_text(EpochReport(0, 0, 0, 0.0, 0.0, evaluation=part))
            text.append(f"\n  {name} {score}")
    return text


def _table(title: str, rows: Sequence[tuple[str, str]]) -> Table:
    table = Table.grid(padding=(0, 1), expand=True)
    table.add_column(no_wrap=True, overflow="ellipsis", ratio=1)
    table.add_column(justify="right", no_wrap=True)
    table.add_row(Text(title, style="bold"), "")
    for name, value in rows:
        table.add_row(Text(name, style="dim"), Text(value))
    return table


def _shares(report: EpochReport) -> list[tuple[str, float]]:
    """Return the share of each phase in the time of the epoch."""
    names = [*PHASES, *(name for name in report.phases if name not in PHASES)]
    total = max(report.seconds, sum(report.phases.values()), 1e-9)
    return [(name.replace("_", " "), report.phases[name] / total) for name in names if report.phases.get(name)]


def _share(report: EpochReport) -> float:
    return min(max(report.agent_steps / max(report.total_steps, 1), 0.0), 1.0)
