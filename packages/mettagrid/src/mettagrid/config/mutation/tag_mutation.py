"""Mutations of tags."""

from typing import Literal

from mettagrid.config.mutation.mutation import EntityTarget, Mutation


class AddTagMutation(Mutation):
    """Gives the entity a tag."""

    mutation_type: Literal["add_tag"] = "add_tag"
    target: EntityTarget = EntityTarget.TARGET
    tag: str


class RemoveTagMutation(Mutation):
    """Removes a tag from the entity."""

    mutation_type: Literal["remove_tag"] = "remove_tag"
    target: EntityTarget = EntityTarget.TARGET
    tag: str


class RemoveTagsWithPrefixMutation(Mutation):
    """Removes every tag that begins with the prefix from the entity."""

    mutation_type: Literal["remove_tags_with_prefix"] = "remove_tags_with_prefix"
    target: EntityTarget = EntityTarget.TARGET
    prefix: str


def addTag(tag: str, target: EntityTarget = EntityTarget.TARGET) -> AddTagMutation:
    """Give the target (or the actor) a tag."""
    return AddTagMutation(tag=tag, target=target)


def removeTag(tag: str, target: EntityTarget = EntityTarget.TARGET) -> RemoveTagMutation:
    """Remove a tag from the target (or the actor)."""
    return RemoveTagMutation(tag=tag, target=target)


def removeTagPrefix(prefix: str, target: EntityTarget = EntityTarget.TARGET) -> RemoveTagsWithPrefixMutation:
    """Remove every tag that begins with `prefix` from the target (or the actor)."""
    return RemoveTagsWithPrefixMutation(prefix=prefix, target=target)


def RemoveTagsWithPrefix(prefix: str, target: EntityTarget = EntityTarget.TARGET) -> RemoveTagsWithPrefixMutation:
    """Do the same as `removeTagPrefix`."""
    return removeTagPrefix(prefix, target)
