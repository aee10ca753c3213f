"""Filter on the vibe an entity shows."""

from typing import Literal

from mettagrid.config.filter.filter import Filter, HandlerTarget


class VibeFilter(Filter):
    """Passes when the entity shows the vibe of that name."""

    filter_type: Literal["vibe"] = "vibe"
    vibe: str


def actorVibe(vibe: str) -> VibeFilter:
    """Require that the actor shows `vibe`."""
    return VibeFilter(target=HandlerTarget.ACTOR, vibe=vibe)


def targetVibe(vibe: str) -> VibeFilter:
    """Require that the target shows `vibe`."""
    return VibeFilter(target=HandlerTarget.TARGET, vibe=vibe)
