"""Mutation of the vibe."""

from typing import Literal

from mettagrid.config.mutation.mutation import EntityTarget, Mutation


class ChangeVibeMutation(Mutation):
    """Makes the entity show a vibe."""

    mutation_type: Literal["change_vibe"] = "change_vibe"
    target: EntityTarget = EntityTarget.TARGET
    vibe_name: str = "default"


def changeTargetVibe(vibe_name: str) -> ChangeVibeMutation:
    """Make the target show a vibe."""
    return ChangeVibeMutation(target=EntityTarget.TARGET, vibe_name=vibe_name)
