"""Sweeps: search for good settings of a training run with Optuna, which is imported only when a sweep runs."""

from cogames_training.sweeps.errors import SweepError
from cogames_training.sweeps.space import DOCUMENTED, Parameter, parse_search
from cogames_training.sweeps.study import SweepPlan, SweepResults, Trial, run_sweep

__all__ = ["DOCUMENTED", "Parameter", "SweepError", "SweepPlan", "SweepResults", "Trial", "parse_search", "run_sweep"]
