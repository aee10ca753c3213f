"""Optimizers by name, and the schedule-free ones."""

from __future__ import annotations

import inspect
from collections.abc import Iterable
from typing import Any

import torch
from torch import nn

from cogames_training.args import SettingError, TrainArgs

__all__ = ["ScheduleFree", "make_optimizer"]


def make_optimizer(network: nn.Module, args: TrainArgs) -> torch.optim.Optimizer:
    """Return the optimizer of a run for the network's parameters. Raises `SettingError`."""
    _check_betas(args)
    parameters = [parameter for parameter in network.parameters() if parameter.requires_grad]
    betas, decay = (args.beta1, args.beta2), args.weight_decay
    rate: Any = args.learning_rate
    if args.optimizer in ("adam", "adamw"):
        is_on_gpu = all(parameter.is_cuda for parameter in parameters)
        if is_on_gpu and args.cuda_graphs:  # a recorded step reads the step size from the device
            rate = torch.tensor(rate, device=parameters[0].device)
        kind = _Adam if args.optimizer == "adam" else _AdamW
        how = {"fused": True, "capturable": is_on_gpu and args.cuda_graphs}
        return kind(parameters, rate, betas, args.eps, weight_decay=decay, **how)
    if args.optimizer == "muon":
        return _Muon(parameters, args)
    is_adam = args.optimizer == "adamw_schedulefree"
    return ScheduleFree(
        parameters, rate, betas=betas, eps=args.eps, weight_decay=decay, warmup_steps=args.warmup_steps, is_adam=is_adam
    )


class _Uncompiled(torch.optim.Optimizer):
    """An optimizer without the support for `torch.compile`, because it imports the compiler: more than a second."""

    add_param_group = inspect.unwrap(torch.optim.Optimizer.add_param_group)
    zero_grad = inspect.unwrap(torch.optim.Optimizer.zero_grad)
    state_dict = inspect.unwrap(torch.optim.Optimizer.state_dict)
    load_state_dict = inspect.unwrap(torch.optim.Optimizer.load_state_dict)


class _Adam(_Uncompiled, torch.optim.Adam):
    step = torch.no_grad()(inspect.unwrap(torch.optim.Adam.step))


class _AdamW(_Uncompiled, torch.optim.AdamW):
    step = torch.no_grad()(inspect.unwrap(torch.optim.AdamW.step))


def _check_betas(args: TrainArgs) -> None:
    for name in ("beta1", "beta2"):
        if getattr(args, name) >= 1:
            raise SettingError(name, f"must be below 1, not {getattr(args, name)}")
    if args.beta1 == 0 and args.optimizer.endswith("_schedulefree"):
        raise SettingError("beta1", f"must be above 0 for {args.optimizer}, which averages the weights with it")


class ScheduleFree(_Uncompiled):
    """AdamW, or SGD with momentum, that needs no schedule (Defazio and others, 2024).

    Three sequences of weights: z takes the plain steps, x is the running mean of z weighted by the squared step size,
    and gradients are taken at y = (1 - beta1) z + beta1 x. The parameters are y; `mean_of` returns x, which is the
    result.
    """

    def __init__(
        self,
        parameters: Iterable[nn.Parameter],
        lr: float,
        *,
        betas: tuple[float, float],
        eps: float,
        weight_decay: float,
        warmup_steps: int,
        is_adam: bool,
    ) -> None:
        defaults = {
            "lr": lr,
            "betas": betas,
            "eps": eps,
            "weight_decay": weight_decay,
            "warmup_steps": warmup_steps,
            "is_adam": is_adam,
            "steps": 0,
            "weight_sum": 0.0,
            "largest_lr": 0.0,
        }
        super().__init__(parameters, defaults)

    @torch.no_grad()
    def step(self, closure: Any = None) -> None:  # type: ignore[override]
        for group in self.param_groups:
            group["steps"] += 1
            step, (beta1, beta2) = group["steps"], group["betas"]
            rate = group["lr"] * min(1.0, step / max(1, group["warmup_steps"]))
            group["largest_lr"] = max(rate, group["largest_lr"])
            weight = group["largest_lr"] ** 2
            group["weight_sum"] += weight
            share = weight / group["weight_sum"] if group["weight_sum"] else 0.0
            for y in group["params"]:
                if y.grad is None:
                    continue
                state = self.state[y]
                if not state:
                    state["z"] = y.clone()
                    if group["is_adam"]:
                        state["square"] = torch.zeros_like(y)
                gradient, z = y.grad, state["z"]
                if group["is_adam"]:
                    state["square"].mul_(beta2).addcmul_(gradient, gradient, value=1 - beta2)
                    gradient = gradient / ((state["square"] / (1 - beta2**step)).sqrt() + group["eps"])
                gradient = gradient + group["weight_decay"] * y
                x = (y - (1 - beta1) * z) / beta1
                z.sub_(gradient, alpha=rate)
                x.lerp_(z, share)
                y.copy_(x.mul_(beta1).add_(z, alpha=1 - beta1))

    @torch.no_grad()
    def mean_of(self, parameter: torch.Tensor) -> torch.Tensor:
        """Return the mean x of a parameter: the weights to keep and to play with."""
        for group in self.param_groups:
            if any(parameter is other for other in group["params"]) and self.state[parameter]:
                beta1 = group["betas"][0]
                return (parameter - (1 - beta1) * self.state[parameter]["z"]) / beta1
        return parameter.clone()


class _Muon(torch.optim.Optimizer):
    """Muon for matrices and Adam for everything else, behind one interface."""

    def __init__(self, parameters: list[nn.Parameter], args: TrainArgs) -> None:
        if not hasattr(torch.optim, "Muon"):
            raise SettingError("optimizer", f"muon needs PyTorch 2.9 or newer; this is {torch.__version__}")
        matrices = [parameter for parameter in parameters if parameter.ndim == 2]
        others = [parameter for parameter in parameters if parameter.ndim != 2]
        self._parts: list[torch.optim.Optimizer] = []
        if matrices:
            self._parts.append(torch.optim.Muon(matrices, args.learning_rate, weight_decay=args.weight_decay))
        if others:
            self._parts.append(torch.optim.Adam(others, args.learning_rate, (args.beta1, args.beta2), args.eps))
        super().__init__(parameters, {"lr": args.learning_rate})
        self.param_groups = [group for part in self._parts for group in part.param_groups]

    def step(self, closure: Any = None) -> None:  # type: ignore[override]
        for part in self._parts:
            part.step()

    def state_dict(self) -> dict[str, Any]:
        return {"parts": [part.state_dict() for part in self._parts]}

    def load_state_dict(self, state_dict: dict[str, Any]) -> None:
        for part, state in zip(self._parts, state_dict["parts"], strict=True):
            part.load_state_dict(state)
        self.param_groups = [group for part in self._parts for group in part.param_groups]
