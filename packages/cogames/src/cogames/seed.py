"""Compatibility name for seeding the global random generators before a rollout."""

import random
import sys

__all__ = ["seed_rollout_rng"]


def seed_rollout_rng(seed: int) -> None:
    """Seed `random`, numpy and, where it is imported or installed, PyTorch."""
    import numpy as np

    from cogames.optional_deps import has_torch

    random.seed(seed)
    np.random.seed(seed)
    if "torch" in sys.modules or has_torch():
        import torch  # type: ignore[import-not-found,unused-ignore]

        torch.manual_seed(seed)
        if torch.cuda.is_available():
            torch.cuda.manual_seed_all(seed)
