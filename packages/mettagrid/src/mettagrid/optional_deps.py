"""Check whether the packages for training are installed."""

from importlib.util import find_spec

__all__ = ["has_train", "require_train"]

_TRAIN_PACKAGES = ("torch", "pufferlib")


def has_train() -> bool:
    """Return whether PyTorch and PufferLib can be imported."""
    return all(find_spec(package) is not None for package in _TRAIN_PACKAGES)


def require_train(context: str) -> None:
    """Raise ImportError with the name `context` unless PyTorch and PufferLib can be imported."""
    if not has_train():
        missing = [package for package in _TRAIN_PACKAGES if find_spec(package) is None]
        raise ImportError(f"'{context}' needs {' and '.join(missing)}: `pip install {' '.join(missing)}`")
