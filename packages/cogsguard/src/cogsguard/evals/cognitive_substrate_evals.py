"""The published module path of the cognitive substrate evaluations."""

from cogsguard.evals.cognitive_substrate import EVAL_MISSIONS

__all__ = ["EVAL_MISSIONS"]
