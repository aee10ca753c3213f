"""Compatibility names that check for the optional neural-network libraries."""

from importlib.util import find_spec

__all__ = ["has_neural", "require_neural"]


def has_torch() -> bool:
    """Return whether PyTorch is installed, without importing it."""
    return find_spec("torch") is not None


def has_neural() -> bool:
    """Return whether the libraries of `pip install cogames[neural]` are installed."""
    return has_torch()


def require_neural(command: str) -> None:
    """End the program with an install command when the neural libraries are missing."""
    if not has_neural():
        raise SystemExit(f"'{command}' needs PyTorch, which is not installed.\nhint: pip install cogames[neural]")
