"""Options of a diagnosis, and errors raised before it starts.

DiagnoseError(ValueError)
    OutputFolderError    the output folder cannot be used
"""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

DEFAULT_OUTPUT = Path("outputs/cogames-diagnose")

STAGE1_SEED = 42
ABSOLUTE_SEED = 43
MIRROR_SEED = 44


class DiagnoseError(ValueError):
    """A diagnosis cannot start; the message says what to change."""


class OutputFolderError(DiagnoseError):
    """The output folder contains files of the user that would be replaced, or is not a folder."""


@dataclass(frozen=True)
class DiagnoseOptions:
    """The options of `cogames diagnose`. Policies have the form of `-p`; the device must be resolved, not `auto`."""

    policy: str
    mission_set: str = "cvc_evals"
    experiments: Sequence[str] = ()
    """names of the missions to play, full or the last part of a dotted name; empty for the whole set"""
    cogs: Sequence[int] = ()
    """numbers of cogs to play with; missions with another fixed number are skipped"""
    steps: int = 1000
    """steps of every episode"""
    episodes: int = 3
    """episodes of every case, in each of the three parts"""
    device: str | None = None
    action_timeout_ms: int = 10_000
    output_dir: Path | None = None
    """default: `outputs/cogames-diagnose/<run id>`; `artifacts` documents what is deleted from an existing folder"""
    scripted_baseline_policy: str | None = None
    known_strong_policy: str | None = None
    compare_run_dirs: Sequence[Path] = ()
    """folders of earlier runs to compare the interpretation with"""
    bundle_zip: Path | None = None
    stability_reruns: int = 0
    require_stable_interpretation: bool = False
    workers: int | None = None
    """processes to play in; None chooses by the work and the number of cores"""
    game: str = "cogsguard"

    def __post_init__(self) -> None:
        for name, minimum in (("steps", 1), ("episodes", 1), ("action_timeout_ms", 1), ("stability_reruns", 0)):
            if getattr(self, name) < minimum:
                raise DiagnoseError(f"{name} must be at least {minimum}, not {getattr(self, name)}.")
        wrong = [number for number in self.cogs if number < 1]
        if wrong:
            raise DiagnoseError(f"cogs must be at least 1, not {wrong[0]}.")
