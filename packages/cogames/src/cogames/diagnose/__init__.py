"""What is wrong with a policy, and what to do about it.

    from cogames.diagnose import DiagnoseOptions, run_diagnosis

    run = run_diagnosis(DiagnoseOptions("starter"))
    print(run.dominant_issue, run.output_dir)

A run plays a set of missions with the policy alone and beside its copy, and names a dominant issue:

- `stability`: it misses deadlines, breaks, or earns by luck
- `speed`: its cogs stand still or get nowhere
- `strategy`: it chooses actions that fail
- `social_coordination`: it plays worse beside its copy than alone
- `mixed`: the two lowest scores are close to each other

All metrics with limits are rates, so that results do not depend on the number of steps or episodes: see
`metrics`, `scores` and `social`, and `docs/decisions/0008-diagnose-rates.md` for what that changes.
"""

from cogames.diagnose.options import DiagnoseError, DiagnoseOptions, OutputFolderError
from cogames.diagnose.run import DiagnoseRun, run_diagnosis

__all__ = ["DiagnoseError", "DiagnoseOptions", "DiagnoseRun", "OutputFolderError", "run_diagnosis"]
