"""Recipes: training runs, evaluations and games with `key=value` settings; `tools/run.py` runs them."""

from collections.abc import Sequence

__all__ = ["main"]


def main(words: Sequence[str] | None = None) -> int:
    """Run a command line of `tools/run.py` and return the exit code."""
    from cogames_training.recipes.runner import main as run

    return run(words)
