"""Repeat a gradient step as a CUDA graph: recorded once, then replayed without Python between its kernels.

A minibatch launches about a thousand kernels, which takes Python longer than the GPU needs for them. A recording reads
and writes the same memory each time, so the experience of every rollout is copied to the same place.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable
from dataclasses import fields, replace

import torch

from cogames_training.advantages import Steps
from cogames_training.experience import Experience

__all__ = ["Recording", "kept_experience"]


class Recording:
    """A function without arguments that is recorded when it is needed a second time with the same `key`.

    The key has everything that the recording would keep as it was: settings and shapes.
    """

    def __init__(self, generator: torch.Generator) -> None:
        self._generator = generator
        self._key: Hashable = None
        self._graph: torch.cuda.CUDAGraph | None = None

    def prepare(self, key: Hashable, function: Callable[[], None]) -> bool:
        """Record `function`, without running it, if the last key was the same; return whether `replay` can be used."""
        if key != self._key:
            self._key, self._graph = key, None
            return False
        if self._graph is None:
            self._graph = torch.cuda.CUDAGraph()
            self._graph.register_generator_state(self._generator)
            with torch.cuda.graph(self._graph):
                function()
        return True

    def replay(self) -> None:
        assert self._graph is not None
        self._graph.replay()


def kept_experience(kept: Experience | None, new: Experience) -> Experience:
    """Return `new` in the memory of `kept`, or as it is if there is none or the shapes differ."""
    if kept is None or kept.observations.data_ptr() != new.observations.data_ptr():
        return replace(new)
    for item in fields(Experience):
        old, value = getattr(kept, item.name), getattr(new, item.name)
        if isinstance(value, Steps):
            for name in ("rewards", "continues", "bootstrap"):
                getattr(old, name).copy_(getattr(value, name))
        elif isinstance(value, dict):
            for name, tensor in value.items():
                old[name].copy_(tensor)
        elif value is not None:
            old.copy_(value)
    return kept
