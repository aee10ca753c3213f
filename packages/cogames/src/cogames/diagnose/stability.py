"""Compare the interpretation of a run with reruns and earlier runs."""

import json
from collections.abc import Sequence
from pathlib import Path

from pydantic import BaseModel, ValidationError

from cogames.diagnose.symptoms import Symptom

TOP = 3


class Snapshot(BaseModel):
    """The interpretation of one run: its dominant issue and first symptoms."""

    label: str
    run_id: str
    dominant_issue: str
    top_symptom_ids: list[str]


class InterpretationStability(BaseModel):
    """Stable: two runs or more, one dominant issue, the same first symptoms in the same order."""

    snapshot_count: int
    compared_run_ids: list[str]
    dominant_issue_stable: bool
    top_symptom_stable: bool
    stable: bool
    notes: list[str]
    snapshots: list[Snapshot]


def take_snapshot(label: str, run_id: str, dominant_issue: str, symptoms: Sequence[Symptom]) -> Snapshot:
    top = [symptom.symptom_id for symptom in symptoms[:TOP]]
    return Snapshot(label=label, run_id=run_id, dominant_issue=dominant_issue, top_symptom_ids=top)


def read_snapshot(label: str, run_dir: Path) -> Snapshot:
    """Read the interpretation of an earlier run from its doctor note; raise `ValueError` if it has none."""
    path = run_dir / "doctor_note.json"
    try:
        note = json.loads(path.read_text(encoding="utf-8"))
        return Snapshot(
            label=label,
            run_id=note["run_id"],
            dominant_issue=note["dominant_issue"],
            top_symptom_ids=[symptom["symptom_id"] for symptom in note["symptoms"][:TOP]],
        )
    except OSError as error:
        raise ValueError(f"{path} cannot be read ({error.strerror}).") from error
    except (ValidationError, ValueError, KeyError, TypeError, AttributeError) as error:
        raise ValueError(f"{path} is not a doctor note.") from error


def compare_snapshots(snapshots: Sequence[Snapshot]) -> InterpretationStability:
    """Compare snapshots; the first one is that of the current run."""
    same_issue = len({snapshot.dominant_issue for snapshot in snapshots}) <= 1
    same_order = len({tuple(snapshot.top_symptom_ids) for snapshot in snapshots}) <= 1
    notes = []
    if len(snapshots) < 2:
        notes.append("No other run to compare with; use --stability-reruns or --compare-run-dir.")
    if not same_issue:
        notes.append("The runs disagree on the dominant issue.")
    if not same_order:
        notes.append("The runs disagree on the first symptoms or their order.")
    return InterpretationStability(
        snapshot_count=len(snapshots),
        compared_run_ids=[snapshot.run_id for snapshot in snapshots],
        dominant_issue_stable=same_issue,
        top_symptom_stable=same_order,
        stable=len(snapshots) >= 2 and same_issue and same_order,
        notes=notes,
        snapshots=list(snapshots),
    )
