"""Networks that come with their weights: bundles of the `sparse` network in half precision. They play without PyTorch.

`docs/guides/training.md` has the settings, the hardware and the scores of the runs that trained them.
"""

from pathlib import Path
from typing import Any, ClassVar

from mettagrid.policy.policy_env_interface import PolicyEnvInterface
from mettagrid.policy.sparse import SparsePolicy
from mettagrid.policy.submission import read_submission_policy_spec

__all__ = ["TrainedArenaPolicy", "TrainedMinerPolicy", "TrainedPolicy"]


class TrainedPolicy(SparsePolicy):
    """A `sparse` network whose weights and arguments are in a folder beside this file.

    `greedy` plays the most likely action, otherwise actions are drawn; by default it is as the bundle says. Raises
    `ValueError` in a game with another number of actions.
    """

    short_names: ClassVar[list[str] | None] = None
    _bundle: ClassVar[str]

    def __init__(self, policy_env_info: PolicyEnvInterface, device: str = "cpu", *, greedy: bool | None = None) -> None:
        folder = Path(__file__).with_name(self._bundle)
        spec = read_submission_policy_spec(folder)
        kwargs = spec.init_kwargs if greedy is None else {**spec.init_kwargs, "greedy": greedy}
        super().__init__(policy_env_info, device, **kwargs)
        self.load_policy_data(str(folder / str(spec.data_path)))

    def init_kwargs(self) -> dict[str, Any]:
        """Return the arguments that create this policy; the bundle has the others."""
        return {"greedy": self.is_greedy}


class TrainedArenaPolicy(TrainedPolicy):
    """Network that learned `arena` from `starter` and from rewards."""

    short_names: ClassVar[list[str] | None] = ["trained_arena"]
    _bundle = "arena"


class TrainedMinerPolicy(TrainedPolicy):
    """Network that learned `tutorial.miner` from rewards alone."""

    short_names: ClassVar[list[str] | None] = ["trained_miner"]
    _bundle = "miner"
