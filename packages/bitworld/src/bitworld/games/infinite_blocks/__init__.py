"""Infinite blocks: pieces fall into one wide field; a run of 8 cells clears for the player whose piece completes it."""

from bitworld.games.infinite_blocks.game import InfiniteBlocks, Settings

__all__ = ["InfiniteBlocks", "Settings"]
