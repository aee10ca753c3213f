"""Diagnose a policy: find its main weakness and prescribe what to improve.

    from cogames.diagnose import DiagnoseOptions, run_diagnosis

    run = run_diagnosis(DiagnoseOptions("starter"))
    print(run.dominant_issue, run.output_dir)

A run plays a set of missions with the policy alone and beside its copy, and names a dominant issue:

- `stability`: it misses deadlines, crashes, or its reward depends on luck
- `speed`: its cogs stand still or make no progress
- `strategy`: it chooses actions that fail
- `social_coordination`: it plays worse beside its copy than alone
- `mixed`: the two lowest scores are close to each other

All metrics with limits are rates, so that results do not depend on the number of steps or episodes: see
`metrics`, `scores` and `social`, and `docs/decisions/0008-diagnose-rates.md` for the consequences.

The published names (`DiagnoseDoctorNote`, `load_doctor_note`, ...) are in `published`; they are imported on first use.
"""

from typing import Any

from cogames.diagnose.options import DiagnoseError, DiagnoseOptions, OutputFolderError
from cogames.diagnose.run import DiagnoseRun, run_diagnosis

__all__ = ["DiagnoseError", "DiagnoseOptions", "DiagnoseRun", "OutputFolderError", "run_diagnosis"]


def __getattr__(name: str) -> Any:
    import importlib

    published = importlib.import_module("cogames.diagnose.published")
    if name not in published.__all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(published, name)
