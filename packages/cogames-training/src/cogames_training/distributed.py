"""Train one network in several processes, each with worlds of its own.

    torchrun --standalone --nproc-per-node 4 -m -- cogames tutorial train -m arena --steps 1000000000
    torchrun --standalone --nproc-per-node 4 -- tools/run.py recipes.experiment.cogsguard.train run=first

The `--` is needed because torchrun would take `--run` for an option of its own.

A run joins the other processes when `RANK`, `WORLD_SIZE`, `MASTER_ADDR` and `MASTER_PORT` are set, as torchrun sets
them. Process i uses GPU `LOCAL_RANK`. Settings such as `parallel_envs`, `batch_size` and `minibatch_size` are those of
each process; `total_steps` counts the agent steps of all of them. The first process alone writes files, reports and
evaluates.

All processes hold the same weights: gradients are averaged over the steps of all minibatches, and advantages are
normalized over them. A checkpoint has the state of every process, so a run continues only with the same number of
them. After Ctrl-C all processes stop at the end of the epoch. torchrun kills those that need more than 30 seconds for
that; newer versions have `--shutdown-timeout`.
"""

from __future__ import annotations

import atexit
import io
import os
from collections.abc import Iterable
from datetime import timedelta
from typing import TypeVar

import torch
from torch import distributed, nn

from cogames.policy.device import resolve_device
from cogames_training.args import SettingError

__all__ = ["ONE_PROCESS", "Processes", "is_first_process", "join_processes"]

Value = TypeVar("Value")

VARIABLES = ("RANK", "WORLD_SIZE", "MASTER_ADDR", "MASTER_PORT")
WAIT = timedelta(minutes=10)
WAIT_FOR_EVALUATION = timedelta(hours=4)


class Processes:
    """The processes of a run. This class is a single one; every method is for all processes at the same time."""

    rank = 0
    size = 1

    @property
    def is_first(self) -> bool:
        return self.rank == 0

    def sum(self, tensor: torch.Tensor) -> torch.Tensor:
        """Return the sum of the processes' tensors, which have the same shape."""
        return tensor

    def average_gradients(self, parameters: Iterable[nn.Parameter], weight: torch.Tensor) -> None:
        """Replace the gradients by the mean over the processes, with a weight for each process."""

    def copy_weights(self, network: nn.Module) -> None:
        """Give every process the weights of the first one."""

    def gather(self, value: Value) -> list[Value]:
        """Return the values of all processes, by rank."""
        return [value]

    def from_first(self, value: Value) -> Value:
        """Return the first process's value."""
        return self.gather(value)[0]

    def any(self, flag: bool) -> bool:
        """Return whether the flag is true in at least one process."""
        return True in self.gather(flag)


ONE_PROCESS = Processes()


class _Group(Processes):
    """The processes of PyTorch's default group."""

    def __init__(self) -> None:
        self.rank, self.size = distributed.get_rank(), distributed.get_world_size()

    def sum(self, tensor: torch.Tensor) -> torch.Tensor:
        total = tensor.detach().clone()
        distributed.all_reduce(total)
        return total

    @torch.no_grad()
    def average_gradients(self, parameters: Iterable[nn.Parameter], weight: torch.Tensor) -> None:
        gradients = [parameter.grad for parameter in parameters if parameter.grad is not None]
        # The weight itself is the last element, so that one message is enough.
        flat = torch.cat([*(gradient.reshape(-1) for gradient in gradients), weight.new_ones(1)]) * weight
        distributed.all_reduce(flat)
        flat /= flat[-1].clamp(min=1e-8)
        for gradient, mean in zip(gradients, flat[:-1].split([tensor.numel() for tensor in gradients]), strict=True):
            gradient.copy_(mean.view_as(gradient))

    def copy_weights(self, network: nn.Module) -> None:
        for tensor in network.state_dict().values():
            distributed.broadcast(tensor, 0)

    def gather(self, value: Value) -> list[Value]:
        buffer = io.BytesIO()
        torch.save(value, buffer)  # pickle alone cannot read all types of tensors
        contents = [b""] * self.size
        distributed.all_gather_object(contents, buffer.getvalue())
        return [torch.load(io.BytesIO(content), weights_only=False) for content in contents]


def is_first_process() -> bool:
    """Return whether this process prints results, also before and after it has joined the others."""
    return os.environ.get("RANK", "0") == "0"


def join_processes(device: str, *, evaluates: bool = False) -> Processes:
    """Join the processes that the environment names, until this one ends; return `ONE_PROCESS` if it names none.

    `device` is a `TrainArgs.device`. With `evaluates` the processes wait for hours for the first one. A process joins
    once: later calls return the same processes. Raises `SettingError` for an environment that cannot work.
    """
    if distributed.is_available() and distributed.is_initialized():
        return _Group()
    if os.environ.get("WORLD_SIZE", "1") == "1" or "RANK" not in os.environ:
        return ONE_PROCESS
    missing = [name for name in VARIABLES if name not in os.environ]
    if missing:
        raise SettingError("processes", f"{', '.join(missing)} is not set; start several processes with torchrun")
    backend = "gloo"
    if resolve_device(device)[0].startswith("cuda"):
        backend = "cpu:gloo,cuda:nccl"
        own = int(os.environ.get("LOCAL_RANK", os.environ["RANK"]))
        if own >= torch.cuda.device_count():
            raise SettingError("processes", f"process {own} has no GPU; start at most {torch.cuda.device_count()} here")
        torch.cuda.set_device(own)
    distributed.init_process_group(backend, timeout=WAIT_FOR_EVALUATION if evaluates else WAIT)
    atexit.register(distributed.destroy_process_group)  # not sooner: torchrun's store lets a process join only once
    return _Group()
