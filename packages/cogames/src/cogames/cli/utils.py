"""Compatibility names for command-line helpers: variants by name, quiet logs."""

from __future__ import annotations

import logging
import warnings
from collections.abc import Sequence
from typing import TYPE_CHECKING

from mettagrid.cogame.errors import MissionError

if TYPE_CHECKING:
    from mettagrid.cogame.core import CoGameMissionVariant
    from mettagrid.cogame.variants import VariantRegistry

__all__ = ["parse_variants", "suppress_noisy_logs"]


def parse_variants(registry: VariantRegistry, variants_arg: Sequence[str] | None) -> list[CoGameMissionVariant]:
    """Return the variants of `registry` with the given names, in order; raise `MissionError` for an unknown name."""
    variants = []
    for name in variants_arg or ():
        variant = registry.get(name)
        if variant is None:
            known = ", ".join(item.name for item in registry.all())
            raise MissionError(f"Unknown variant {name!r}.\nAvailable variants: {known}")
        variants.append(variant)
    return variants


def suppress_noisy_logs() -> None:
    """Hide deprecation warnings, and requests and subprocess notices of libraries below their own warnings."""
    warnings.filterwarnings("ignore", category=DeprecationWarning)
    warnings.filterwarnings("ignore", message=".*invalid escape sequence.*", category=SyntaxWarning)
    warnings.filterwarnings("ignore", message=".*Redirects are currently not supported in Windows or MacOs.*")
    logging.getLogger("httpx").setLevel(logging.WARNING)
    logging.getLogger("torch.distributed.elastic.multiprocessing.redirects").setLevel(logging.ERROR)
