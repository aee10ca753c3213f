"""Filter on tags that actor and target have in common."""

from typing import Literal

from mettagrid.base_config import Config


class SharedTagPrefixFilter(Config):
    """Passes when actor and target share a tag that begins with the prefix."""

    filter_type: Literal["shared_tag_prefix"] = "shared_tag_prefix"
    tag_prefix: str


def sharedTagPrefix(prefix: str) -> SharedTagPrefixFilter:
    """Require that actor and target share a tag with that prefix, for example the same team."""
    return SharedTagPrefixFilter(tag_prefix=prefix)
