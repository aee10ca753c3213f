"""The published names of metrics.

`tutorial_metrics` has those of `cogames tutorial train`, `RecipeMetrics` those of the recipes. Statistics are means
over agents: there are no names for single agents.
"""

from __future__ import annotations

import math
import re
from collections import defaultdict, deque
from collections.abc import Mapping

from cogames_training.reports.epoch import EpochReport

__all__ = ["ROLLING", "RecipeMetrics", "tutorial_metrics"]

ROLLING = 5
"""epochs in the rolling mean of names that end in `.avg`"""

COLLECT = ("env", "teacher", "copy", "forward")
UPDATE = ("advantage", "train_forward", "learn")
OUTSIDE = ("evaluate", "checkpoint")

_ONE_AGENT = re.compile(r"(^|/)(agent[._/-]?\d+|env_agent/\d+|per_agent)(?=[./_]|$)")


def tutorial_metrics(report: EpochReport) -> dict[str, float]:
    """Return the metrics of `cogames tutorial train`; `performance/*` are seconds of the epoch."""
    phases = defaultdict(float, report.phases)
    metrics = {
        "SPS": report.steps_per_second,
        "agent_steps": float(report.agent_steps),
        "uptime": report.uptime,
        "epoch": float(report.epoch),
        "learning_rate": report.learning_rate,
        "performance/eval": sum(phases[name] for name in COLLECT),
        "performance/eval_forward": phases["forward"],
        "performance/env": phases["env"],
        "performance/eval_copy": phases["copy"],
        "performance/eval_misc": phases["teacher"],
        "performance/train": sum(phases[name] for name in (*UPDATE, "other")),
        "performance/train_forward": phases["train_forward"],
        "performance/learn": phases["learn"],
        "performance/train_copy": 0.0,  # the batch is collected in the memory that the update reads
        "performance/train_misc": phases["advantage"] + phases["other"],
    }
    metrics |= {f"environment/{name}": value for name, value in _episode(report).items()}
    metrics |= _prefixed("losses", report.losses)
    return metrics | _evaluation("evaluation", report)


class RecipeMetrics:
    """Names the metrics of one run's epochs, in order; rolling means and totals need those before."""

    def __init__(self) -> None:
        self._history: dict[str, deque[float]] = defaultdict(lambda: deque(maxlen=ROLLING))
        self._seconds: dict[str, float] = defaultdict(float)
        self._steps = 0.0
        self._checkpoint: tuple[int, str] | None = None

    def set_checkpoint(self, epoch: int, uri: str) -> None:
        """Set the newest checkpoint, which all later epochs report."""
        self._checkpoint = (epoch, uri)

    def __call__(self, report: EpochReport) -> dict[str, float]:
        """Return the metrics of an epoch."""
        episode = _episode(report)
        metrics = self._overview(report) | self._statistics(episode)
        metrics |= _prefixed("losses", report.losses)
        metrics |= _prefixed("experience", report.experience)
        metrics |= _prefixed("hyperparameters", {"learning_rate": report.learning_rate, **report.hyperparameters})
        metrics |= self._timing(report)
        metrics["metric/agent_step"] = float(report.agent_steps)
        metrics["metric/epoch"] = float(report.epoch)
        metrics["metric/total_time"] = report.uptime
        metrics["metric/train_time"] = report.uptime - sum(self._seconds[name] for name in OUTSIDE)
        if self._checkpoint is not None:
            metrics["checkpoint/latest_epoch"] = float(self._checkpoint[0])
        return metrics | _evaluation("eval", report)

    def texts(self) -> dict[str, str]:
        """Return the metrics that are texts."""
        return {} if self._checkpoint is None else {"checkpoint/latest_uri": self._checkpoint[1]}

    def _overview(self, report: EpochReport) -> dict[str, float]:
        reward = report.episode.get("reward")
        if reward is not None and math.isfinite(reward):
            self._history["overview/reward"].append(reward)
        recent = self._history["overview/reward"]
        estimate = report.experience
        metrics = {} if reward is None else {"overview/reward": reward, "overview/reward_vs_total_time": reward}
        if "avg_reward" in estimate or recent:
            name = "overview/avg_reward_estimate"
            metrics[name] = estimate["avg_reward"] if "avg_reward" in estimate else sum(recent) / len(recent)
            metrics[f"{name}_min"] = estimate.get("avg_reward_min", min(recent, default=metrics[name]))
            metrics[f"{name}_max"] = estimate.get("avg_reward_max", max(recent, default=metrics[name]))
        return metrics

    def _statistics(self, episode: Mapping[str, float]) -> dict[str, float]:
        metrics = {}
        for name, value in episode.items():
            if name.startswith("env_"):
                if math.isfinite(value):
                    self._history[name].append(value)
                metrics[name] = value
        for name, values in self._history.items():
            if name.startswith("env_") and values:
                metrics[f"{name}.avg"] = sum(values) / len(values)
        return metrics

    def _timing(self, report: EpochReport) -> dict[str, float]:
        self._steps += report.steps_per_second * report.seconds
        self._seconds["total"] += report.seconds
        metrics = {"timing_per_epoch/sps": report.steps_per_second}
        if self._seconds["total"] > 0:
            metrics["timing_cumulative/sps"] = self._steps / self._seconds["total"]
        for name, seconds in report.phases.items():
            self._seconds[name] += seconds
            metrics[f"timing_per_epoch/msec/{name}"] = 1000 * seconds
            metrics[f"timing_cumulative/msec/{name}"] = 1000 * self._seconds[name]
            if report.seconds > 0:
                metrics[f"timing_per_epoch/frac/{name}"] = seconds / report.seconds
                metrics[f"timing_cumulative/frac/{name}"] = self._seconds[name] / self._seconds["total"]
        return metrics


def _episode(report: EpochReport) -> dict[str, float]:
    """Return the statistics of episodes without those of single agents."""
    return {name: value for name, value in report.episode.items() if not _ONE_AGENT.search(name)}


def _evaluation(prefix: str, report: EpochReport) -> dict[str, float]:
    """Return the numbers of an evaluation: those of all missions, then those of each."""
    metrics: dict[str, float] = {}
    evaluation = report.evaluation or {}
    missions = evaluation.get("missions")
    parts = {"": evaluation, **(missions if isinstance(missions, dict) else {})}
    for mission, part in parts.items():
        place = f"{prefix}/{mission}/" if mission else f"{prefix}/"
        for name, value in part.items() if isinstance(part, dict) else ():
            if isinstance(value, int | float) and not isinstance(value, bool):
                metrics[place + name] = float(value)
    return metrics


def _prefixed(prefix: str, values: Mapping[str, float]) -> dict[str, float]:
    return {f"{prefix}/{name}": float(value) for name, value in values.items()}
