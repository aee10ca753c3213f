"""Give each policy its own state of the random generators that all code in a process shares.

Policies may draw from `random`, from `numpy.random` and from torch. Each policy has its own state of them, seeded from
the episode, so that its draws do not depend on the other policies or on the process it runs in.
"""

from __future__ import annotations

import hashlib
import random
import re
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from mettagrid.policy.policy_spec import PolicySpec

_numpy: Any = np.random  # its stubs omit the shared bit generator

__all__ = [
    "GlobalGenerators",
    "episode_id",
    "import_policy_code",
    "policy_seed",
    "restored_generators",
    "seed_generators",
]


def episode_id(episode_seed: int, policy_index: int) -> str:
    """Return the episode id that a policy sees; it encodes the seed of the shared generators."""
    return f"episode-{episode_seed}-{policy_index}"


def policy_seed(episode_id: str) -> int | None:
    """Return the seed, 0 to 2**32 - 1, that an id of ours encodes, or None for other ids."""
    if re.fullmatch(r"episode-\d+-\d+", episode_id) is None:
        return None
    return int.from_bytes(hashlib.sha256(episode_id.encode()).digest()[:4], "little")


def seed_generators(seed: int) -> None:
    """Seed the shared generators of this process as `GlobalGenerators` does; does not import torch."""
    random.seed(seed)
    _numpy.set_bit_generator(np.random.MT19937(np.random.SeedSequence(seed)))
    torch = sys.modules.get("torch")
    if torch is not None:
        torch.manual_seed(seed)


def import_policy_code(spec: PolicySpec, *, strict: bool = False) -> None:
    """Import a policy's class before seeding, because the libraries it imports, such as torch, must be seeded as well.

    Import errors are ignored here; creating the policy reports them. With `strict`, an error of the policy's own code
    is raised at once, so that the code does not run and print a second time.
    """
    from mettagrid.policy.import_roots import activate_import_roots
    from mettagrid.policy.loader import resolve_policy_class_path
    from mettagrid.util.module import load_symbol

    try:
        if spec.import_roots:
            activate_import_roots(spec.class_path, spec.import_roots)
        load_symbol(resolve_policy_class_path(spec.class_path))
    except ModuleNotFoundError as error:
        if strict and error.name is not None and not f"{spec.class_path}.".startswith(f"{error.name}."):
            raise
    except (Exception, SystemExit):
        if strict:
            raise


class GlobalGenerators:
    """One policy's saved state of the shared generators."""

    def __init__(self, seed: int | None) -> None:
        self._random = random.Random(seed).getstate()
        self._numpy: Any = np.random.MT19937(np.random.SeedSequence(seed))
        self._torch: Any = None
        self._seed = seed

    def put_in_place(self) -> None:
        """Install this state in the shared generators."""
        random.setstate(self._random)
        _numpy.set_bit_generator(self._numpy)
        self._restore_torch()

    @contextmanager
    def in_place(self) -> Iterator[None]:
        """Install this state inside the block and save the advanced state afterwards."""
        self.put_in_place()
        try:
            yield
        finally:
            self._random = random.getstate()
            self._numpy = _numpy.get_bit_generator()
            if "torch" in sys.modules:
                self._torch = sys.modules["torch"].get_rng_state()

    def _restore_torch(self) -> None:
        torch = sys.modules.get("torch")
        if torch is None:
            return
        if self._torch is None:
            torch.manual_seed(self._seed or 0)
        else:
            torch.set_rng_state(self._torch)


@contextmanager
def restored_generators() -> Iterator[None]:
    """Restore the shared generators afterwards, for the caller of the runner."""
    state, bits = random.getstate(), _numpy.get_bit_generator()
    torch = sys.modules.get("torch")
    torch_state = None if torch is None else torch.get_rng_state()
    try:
        yield
    finally:
        random.setstate(state)
        _numpy.set_bit_generator(bits)
        if torch is not None:
            torch.set_rng_state(torch_state)
