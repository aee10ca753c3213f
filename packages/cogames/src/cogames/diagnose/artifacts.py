"""The output folder of a diagnosis.

A folder may be reused. The output of the earlier run is then deleted first: the files that a diagnosis writes, by name,
and its folders of replays. Other files stay. Symbolic links are removed, not followed. A non-empty folder with the name
of a replay folder raises an error if the output folder has no earlier diagnosis: it belongs to the user.
"""

import json
import os
import shutil
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from pydantic import BaseModel

from cogames.diagnose.options import OutputFolderError

RUN_CONFIG = "run_config.json"

FILES = (
    RUN_CONFIG,
    "stage1_probe_catalog.json",
    "stage1_probe_threshold_profile.json",
    "stage2_probe_catalog.json",
    "stage1_pack_contract.json",
    "stage1_gate.json",
    "stage1_summary.json",
    "stage1_rollout_summary.json",
    "stage1_baselines.json",
    "stage1_metrics.json",
    "stage1_signals.json",
    "stage1_probe_evaluations.json",
    "stage1_metric_correlation.json",
    "stage2_absolute_summary.json",
    "stage2_mirror_summary.json",
    "stage2_social_signal.json",
    "stage2_diagnosis_delta.json",
    "metrics.json",
    "replay_exemplars.json",
    "diagnose_state.json",
    "doctor_note.json",
    "diagnose_report.html",
    "diagnose_validity.json",
    "interpretation_stability.json",
    "stability_rerun_snapshots.json",
    "bundle_guide.md",
    "replay_bundle.zip",
    "manifest.json",
)

STAGE1_REPLAYS = "replays"
STAGE2_REPLAYS = "replays_stage2"
RERUNS = "stability_reruns"
FOLDERS = (STAGE1_REPLAYS, STAGE2_REPLAYS, RERUNS)


class OutputFolder:
    """An output folder and the files that this run has written to it."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self._written: set[str] = set()

    @classmethod
    def prepare(cls, root: Path) -> "OutputFolder":
        """Create the folder, or delete the output of an earlier run from it."""
        root = Path(os.path.abspath(root.expanduser()))
        if root.exists() and not root.is_dir():
            raise OutputFolderError(f"{root} is a file; choose another --output-dir.")
        root.mkdir(parents=True, exist_ok=True)
        is_ours = _holds_a_run(root)
        for name in FOLDERS:
            path = root / name
            if path.is_dir() and not path.is_symlink() and not is_ours and any(path.iterdir()):
                raise OutputFolderError(
                    f"{path} is not from a diagnosis and would be replaced; choose another --output-dir."
                )
        for name in FILES:
            _remove_file(root / name)
        for name in FOLDERS:
            _remove_folder(root / name)
        return cls(root)

    @property
    def files(self) -> list[str]:
        """Return the names of the written files, sorted."""
        return sorted(self._written)

    def check_outside(self, path: Path) -> None:
        """Raise `OutputFolderError` if a path has the name of a file that the diagnosis writes."""
        path = Path(os.path.abspath(path.expanduser()))
        if path.parent == self.root and path.name in (*FILES, *FOLDERS):
            raise OutputFolderError(f"{path} is written by the diagnosis itself; choose another --bundle-zip.")

    def write_json(self, name: str, content: object) -> None:
        self.write_text(name, json.dumps(_plain(content), indent=2, ensure_ascii=False, allow_nan=False) + "\n")

    def write_text(self, name: str, text: str) -> None:
        (self.root / name).write_text(text, encoding="utf-8")
        self.add(name)

    def make_folder(self, name: str) -> Path:
        path = self.root / name
        path.mkdir(parents=True, exist_ok=True)
        return path

    def add(self, name: str) -> None:
        """Register a file that other code wrote, such as a replay."""
        self._written.add(name)


def _plain(value: object) -> Any:
    """Convert models at any depth to JSON values."""
    if isinstance(value, BaseModel):
        return value.model_dump(mode="json")
    if isinstance(value, Mapping):
        return {str(key): _plain(entry) for key, entry in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(entry) for entry in value]
    return value


def _holds_a_run(root: Path) -> bool:
    try:
        config = json.loads((root / RUN_CONFIG).read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return False
    return isinstance(config, dict) and {"run_id", "pack_id"} <= config.keys()


def _remove_file(path: Path) -> None:
    if path.is_symlink() or path.is_file():
        path.unlink()


def _remove_folder(path: Path) -> None:
    if path.is_symlink():
        path.unlink()
    elif path.is_dir():
        shutil.rmtree(path)  # removes links inside without following them
