"""Directives that steer an agent for some time."""

from pydantic import BaseModel, Field

__all__ = ["MacroDirective"]


class MacroDirective(BaseModel):
    """Instructions to an agent; all fields are optional."""

    role: str | None = None
    target_entity_id: str | None = None
    target_region: str | None = None
    resource_bias: str | None = None
    objective: str | None = None
    talk: str | None = None
    note: str = ""
    metadata: dict[str, str | int | float | bool] = Field(default_factory=dict)

    def is_empty(self) -> bool:
        """True if no field is set."""
        return not any(getattr(self, name) for name in type(self).model_fields)
