"""Show a run while it trains: a live display on a terminal, otherwise a line every few seconds, both on stderr."""

from __future__ import annotations

import sys
import time
from collections import deque
from collections.abc import Callable
from types import TracebackType
from typing import TYPE_CHECKING, TextIO

from cogames_training.reports.epoch import EpochReport
from cogames_training.reports.units import duration, number, short_count

if TYPE_CHECKING:
    from rich.live import Live

__all__ = ["Dashboard", "Progress", "plain_line"]

PLAIN_SECONDS = 10.0
SPEED_EPOCHS = 10


class Progress:
    """The newest report, with the speed of the last epochs and what was true before."""

    def __init__(self, title: str) -> None:
        self.title = title
        self.report: EpochReport | None = None
        self.evaluation: EpochReport | None = None
        """newest report with an evaluation"""
        self.episode: EpochReport | None = None
        """newest report with statistics of episodes"""
        self.notes: deque[str] = deque(maxlen=3)
        self._recent: deque[tuple[float, float]] = deque(maxlen=SPEED_EPOCHS)

    def add(self, report: EpochReport) -> None:
        self.report = report
        self.evaluation = report if report.evaluation is not None else self.evaluation
        self.episode = report if report.episode else self.episode
        self._recent.append((report.steps_per_second * report.seconds, report.seconds))

    @property
    def steps_per_second(self) -> float:
        """Mean over the last epochs."""
        seconds = sum(seconds for _, seconds in self._recent)
        return sum(steps for steps, _ in self._recent) / seconds if seconds > 0 else 0.0

    @property
    def seconds_left(self) -> float | None:
        if self.report is None or self.steps_per_second <= 0:
            return None
        return max(self.report.total_steps - self.report.agent_steps, 0) / self.steps_per_second


class Dashboard:
    """Shows the reports given to `update`; use it as a context manager.

    `stream` is stderr by default. `live` overrides whether the stream is a terminal.
    """

    def __init__(
        self,
        title: str,
        *,
        stream: TextIO | None = None,
        live: bool | None = None,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._progress = Progress(title)
        self._stream = stream or sys.stderr
        self._is_live = self._stream.isatty() if live is None else live
        self._clock = clock
        self._last_line: float | None = None
        self._printed: EpochReport | None = None
        self._display: Live | None = None

    def __enter__(self) -> Dashboard:
        if self._is_live:
            from rich.console import Console
            from rich.live import Live

            # Only `update` redraws; a thread that redraws would take time from the trainer.
            console = Console(file=self._stream, force_terminal=True, soft_wrap=False)
            self._display = Live(console=console, auto_refresh=False, redirect_stdout=False, redirect_stderr=False)
            self._display.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        if self._display is not None:
            self._display.stop()
            self._display = None
        elif self._progress.report is not self._printed:
            self._print_line()

    def update(self, report: EpochReport) -> None:
        """Show an epoch."""
        self._progress.add(report)
        if self._display is not None:
            from cogames_training.reports.dashboard_view import view

            self._display.update(view(self._progress), refresh=True)
            return
        now = self._clock()
        if self._last_line is None or now - self._last_line >= PLAIN_SECONDS or report.evaluation is not None:
            self._last_line = now
            self._print_line()

    def note(self, text: str) -> None:
        """Show a remark, such as the path of a new checkpoint."""
        if self._display is None:
            print(text, file=self._stream, flush=True)
        else:
            self._progress.notes.append(text)

    def _print_line(self) -> None:
        self._printed = self._progress.report
        print(plain_line(self._progress), file=self._stream, flush=True)


def plain_line(progress: Progress) -> str:
    """Return the state of the run in one line."""
    report = progress.report
    if report is None:
        return progress.title
    share = min(report.agent_steps / max(report.total_steps, 1), 1.0)
    parts = [
        f"epoch {report.epoch}",
        f"{short_count(report.agent_steps)} of {short_count(report.total_steps)} steps ({share:.0%})",
        f"{short_count(progress.steps_per_second)} steps/s",
    ]
    if progress.episode is not None and "reward" in progress.episode.episode:
        parts.append(f"reward {number(progress.episode.episode['reward'])}")
    if "approx_kl" in report.losses:
        parts.append(f"kl {number(report.losses['approx_kl'])}")
    if report.evaluation is not None:
        parts.append(f"evaluation {evaluation_text(report)}")
    parts.append(f"{duration(progress.seconds_left)} left")
    return ", ".join(parts)


def evaluation_text(report: EpochReport) -> str:
    """Return the score of an evaluation with its interval."""
    evaluation = report.evaluation or {}
    text = number(_float(evaluation.get("score")))
    low, high = _float(evaluation.get("low")), _float(evaluation.get("high"))
    return text if low is None or high is None else f"{text} ({number(low)} to {number(high)})"


def _float(value: object) -> float | None:
    return float(value) if isinstance(value, int | float) else None
