"""Archives of a run (the same files give the same bytes) and the guide that comes with them."""

import zipfile
from collections.abc import Sequence
from pathlib import Path

from cogames.diagnose.stability import InterpretationStability
from cogames.diagnose.status import VisitStatus
from cogames.diagnose.validity import DiagnoseValidity

EARLIEST = (1980, 1, 1, 0, 0, 0)  # the earliest time in the zip format
STORED = (".z", ".zip")  # already compressed


def write_zip(path: Path, root: Path, names: Sequence[str]) -> None:
    """Pack files of the folder `root`, in order of their names."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with zipfile.ZipFile(path, "w") as archive:
        for name in sorted(names):
            entry = zipfile.ZipInfo(name, EARLIEST)
            entry.external_attr = 0o644 << 16
            entry.compress_type = zipfile.ZIP_STORED if name.endswith(STORED) else zipfile.ZIP_DEFLATED
            archive.writestr(entry, (root / name).read_bytes())


def guide(
    status: VisitStatus, validity: DiagnoseValidity, stability: InterpretationStability, dominant_issue: str
) -> str:
    """`bundle_guide.md`."""
    failed = ", ".join(f"`{name}`" for name in validity.failed_check_ids) or "none"
    return f"""# How to read this diagnosis

- Dominant issue: `{dominant_issue}`
- Run: `{status.run_status}`, ended as `{status.stage_status}`, `{status.diagnosis_status}`
- Checks that failed: {failed}
- Reruns agree with the diagnosis: {"yes" if stability.stable else "not shown"}

## In five minutes

1. Open `diagnose_report.html`: the dominant issue and the first symptom are at the top.
2. Look at `diagnose_validity.json`. A run with failed checks may still be right, but know which they are.
3. Look at `interpretation_stability.json`. Without a second run, repeat it with `--stability-reruns 1`.
4. Watch the replay called `most_diagnostic` in `replay_exemplars.json`: `cogames replay FILE`.
5. Follow the first prescription in `doctor_note.json`, and check its `pass_fail_threshold` in the next run.

## The tournament objective

Tournaments count `<team>/aligned.junction.held`. The scores here explain why a policy holds few junctions, not how
many; `stage1_metric_correlation.json` shows which of them correlate with it.

## What to share

`diagnose_report.html`, `doctor_note.json`, `manifest.json` and `replay_bundle.zip`, or everything in one file with
`--bundle-zip FILE`.
"""
