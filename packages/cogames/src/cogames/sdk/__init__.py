"""Kits for programs that play: a game in words (`sdk.cogsguard`), built on `mettagrid.sdk.agent`."""

from cogames.sdk import base
from cogames.sdk.base import SemanticEventExtractor, SemanticStateAdapter

__all__ = ["SemanticEventExtractor", "SemanticStateAdapter", "base"]
