"""The progress of an agent."""

from pydantic import BaseModel, Field

__all__ = ["ProgressMetricValue", "ProgressSnapshot"]

ProgressMetricValue = str | int | float | bool


class ProgressSnapshot(BaseModel):
    """The goals of an agent and its metrics."""

    objective: str = ""
    summary: str = ""
    milestones: list[str] = Field(default_factory=list)
    metrics: dict[str, ProgressMetricValue] = Field(default_factory=dict)

    def metric(self, name: str, default: ProgressMetricValue | None = None) -> ProgressMetricValue | None:
        return self.metrics.get(name, default)

    def render(self, *, max_metrics: int | None = 12) -> str:
        """Return the snapshot as text; metrics by name, at most `max_metrics`."""
        lines = [f"objective: {self.objective}", f"summary: {self.summary or 'none'}"]
        if self.milestones:
            lines += ["milestones:", *(f"- {milestone}" for milestone in self.milestones)]
        metrics = sorted(self.metrics.items())[:max_metrics]
        if metrics:
            lines += ["metrics:", *(f"- {name}: {value}" for name, value in metrics)]
        return "\n".join(lines)
