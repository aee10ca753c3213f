"""Find the steps whose numbers are not finite, without waiting for the device in between."""

from __future__ import annotations

from dataclasses import dataclass, replace

import torch

from cogames_training.advantages import advantages
from cogames_training.args import TrainArgs
from cogames_training.experience import Experience

__all__ = ["FiniteCheck"]

MOST_ROWS = 64  # rows of a whole rollout that are saved


@dataclass
class FiniteCheck:
    """A result that `is_finite` tells later, with what is needed to save the steps behind it."""

    what: str
    is_finite: torch.Tensor
    """bool scalar on the device"""
    experience: Experience
    rows: torch.Tensor
    """segments that took part"""
    values: torch.Tensor
    """the critic's values of these rows before the update overwrote them"""
    ratio: torch.Tensor

    @classmethod
    def of_rollout(cls, experience: Experience) -> FiniteCheck:
        """Check what was collected: rewards, values and log-probabilities."""
        steps = experience.steps
        numbers = (steps.rewards, steps.bootstrap, experience.values, experience.log_probs)
        fine = torch.stack([torch.isfinite(tensor).all(1) for tensor in numbers]).all(0)
        # The rows with such numbers first; their order among each other stays.
        rows = torch.sort(fine.to(torch.uint8), stable=True).indices[:MOST_ROWS]
        what = "a reward, value or probability of the rollout"
        return cls(what, fine.all(), experience, rows, experience.values[rows], experience.ratio[rows])

    @classmethod
    def of_minibatch(cls, experience: Experience, rows: torch.Tensor) -> FiniteCheck:
        """Keep what an update of these rows will overwrite; `closed` adds whether the update was finite."""
        true = torch.ones((), dtype=torch.bool, device=rows.device)
        return cls("a gradient or the loss", true, experience, rows, experience.values[rows], experience.ratio[rows])

    def closed(self, is_finite: torch.Tensor) -> FiniteCheck:
        return replace(self, is_finite=is_finite.detach().clone())

    def batch(self, args: TrainArgs) -> dict[str, torch.Tensor]:
        """Return the steps on the CPU, one row per segment, in a form that can be saved."""
        experience, steps = self.experience, self.experience.steps[self.rows]
        found = {name: getattr(experience, name)[self.rows] for name in _SAVED}
        found |= {"rows": self.rows, "values": self.values, "ratio": self.ratio}
        found |= {"rewards": steps.rewards, "continues": steps.continues, "bootstrap": steps.bootstrap}
        weights = {"gae_lambda": args.gae_lambda, "rho_clip": args.rho_clip, "c_clip": args.c_clip}
        found["advantages"] = advantages(self.values, steps, self.ratio, gamma=args.gamma, **weights)
        found |= {f"state.{name}": tensor[self.rows] for name, tensor in experience.state.items()}
        return {name: tensor.detach().cpu().clone() for name, tensor in found.items()}


_SAVED = ("observations", "actions", "log_probs", "weights", "resets", "labels", "kinds")
