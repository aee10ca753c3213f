"""What an agent is told to do for a while."""

from pydantic import BaseModel, Field

__all__ = ["MacroDirective"]


class MacroDirective(BaseModel):
    """Wishes of whoever steers the agent; each may be left out."""

    role: str | None = None
    target_entity_id: str | None = None
    target_region: str | None = None
    resource_bias: str | None = None
    objective: str | None = None
    talk: str | None = None
    note: str = ""
    metadata: dict[str, str | int | float | bool] = Field(default_factory=dict)

    def is_empty(self) -> bool:
        """True when it says nothing at all."""
        return not any(getattr(self, name) for name in type(self).model_fields)
