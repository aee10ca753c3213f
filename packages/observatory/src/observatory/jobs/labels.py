"""Labels of workers, and the labels that jobs require."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Annotated

from pydantic import StringConstraints

__all__ = ["MAX_LABELS", "WorkerLabel", "fits", "labels_text"]

MAX_LABELS = 20
WorkerLabel = Annotated[str, StringConstraints(pattern=r"^[A-Za-z0-9][A-Za-z0-9_.=/-]{0,62}$")]
"""such as `gpu`, `region=eu` or `sandbox=bubblewrap`"""


def fits(required: Iterable[str] | None, labels: Iterable[str]) -> bool:
    """Return whether a worker with these labels may play a job that requires some."""
    return set(required or ()) <= set(labels)


def labels_text(labels: Iterable[str]) -> str:
    """Return labels for a sentence: `label gpu`, `labels gpu, region=eu`."""
    names = list(labels)
    return f"{'label' if len(names) == 1 else 'labels'} {', '.join(names)}"
