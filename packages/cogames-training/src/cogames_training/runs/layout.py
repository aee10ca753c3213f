"""Where a run keeps its files. Both layouts are those of the published trainers.

    tutorial                                recipe
    <root>/<run>/policy_spec.json           <root>/<run>/checkpoints/<run>:v<epoch>/policy_spec.json
    <root>/<run>/model_<epoch:06d>.pt       <root>/<run>/checkpoints/<run>:v<epoch>/weights.safetensors
    <root>/<run>/trainer_state.pt           <root>/<run>/checkpoints/trainer_state.pt
    <root>/<run>.pt                         -

In the tutorial layout `<run>/checkpoints/<run>:v<epoch>` has links to the weights of each epoch, so that `-p RUN:vN`
works for both. Both also have run.json, metrics.jsonl, evaluations.jsonl and TensorBoard event files in `<root>/<run>`.
"""

from __future__ import annotations

import os
import re
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

__all__ = ["Layout", "RunPaths", "default_data_dir"]

Layout = Literal["tutorial", "recipe"]

_MODEL = re.compile(r"model_([0-9]+)\.pt")


def default_data_dir() -> Path:
    """Return the folder of all runs: `DATA_DIR`, or `./train_dir`."""
    return Path(os.environ.get("DATA_DIR") or "./train_dir")


@dataclass(frozen=True)
class RunPaths:
    """The files of one run."""

    root: Path
    layout: Layout

    @property
    def name(self) -> str:
        return self.root.name

    @property
    def checkpoints(self) -> Path:
        """Folder of the trainer state; names of weights are relative to it."""
        return self.root if self.layout == "tutorial" else self.root / "checkpoints"

    @property
    def state(self) -> Path:
        return self.checkpoints / "trainer_state.pt"

    @property
    def previous_state(self) -> Path:
        return self.checkpoints / "trainer_state.previous.pt"

    @property
    def replaced_weights(self) -> Path:
        """Weights that a later save of the same epoch replaced; the older trainer state may need them."""
        return self.checkpoints / ".replaced_weights"

    @property
    def newest_weights(self) -> Path | None:
        """Copy of the newest weights beside the run folder."""
        return self.root.with_name(f"{self.name}.pt") if self.layout == "tutorial" else None

    def version(self, epoch: int) -> Path:
        """Folder of the bundle of one epoch."""
        return self.root / "checkpoints" / f"{self.name}:v{epoch}"

    def weights(self, epoch: int) -> Path:
        if self.layout == "tutorial":
            return self.root / f"model_{epoch:06d}.pt"
        return self.version(epoch) / "weights.safetensors"

    def all_weights(self) -> list[tuple[int, Path]]:
        """Return (epoch, file) of all checkpoints, oldest first."""
        found = []
        for path in self.checkpoints.iterdir() if self.checkpoints.is_dir() else ():
            if self.layout == "tutorial":
                match = _MODEL.fullmatch(path.name)
                if match is not None:
                    found.append((int(match[1]), path))
            else:
                run, colon, epoch = path.name.rpartition(":v")
                weights = path / "weights.safetensors"
                if colon and run == self.name and epoch.isdecimal() and weights.is_file():
                    found.append((int(epoch), weights))
        return sorted(found)

    @classmethod
    def of(cls, root: Path) -> RunPaths:
        """Return the paths of an existing run, whose layout its files show."""
        is_tutorial = any((root / name).exists() for name in ("trainer_state.pt", "policy_spec.json"))
        return cls(root, "tutorial" if is_tutorial or not (root / "checkpoints").is_dir() else "recipe")
