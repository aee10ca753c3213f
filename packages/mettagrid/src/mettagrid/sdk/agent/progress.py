"""How far the agent has come."""

from pydantic import BaseModel, Field

__all__ = ["ProgressMetricValue", "ProgressSnapshot"]

ProgressMetricValue = str | int | float | bool


class ProgressSnapshot(BaseModel):
    """What it is after, in words and in numbers."""

    objective: str = ""
    summary: str = ""
    milestones: list[str] = Field(default_factory=list)
    metrics: dict[str, ProgressMetricValue] = Field(default_factory=dict)

    def metric(self, name: str, default: ProgressMetricValue | None = None) -> ProgressMetricValue | None:
        return self.metrics.get(name, default)

    def render(self, *, max_metrics: int | None = 12) -> str:
        """All of it as text; metrics by name, no more than `max_metrics`."""
        lines = [f"objective: {self.objective}", f"summary: {self.summary or 'none'}"]
        if self.milestones:
            lines += ["milestones:", *(f"- {milestone}" for milestone in self.milestones)]
        metrics = sorted(self.metrics.items())[:max_metrics]
        if metrics:
            lines += ["metrics:", *(f"- {name}: {value}" for name, value in metrics)]
        return "\n".join(lines)
