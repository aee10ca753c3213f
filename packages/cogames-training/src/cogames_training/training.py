"""Run a training from beginning to end: settings, policy, teacher, folder, reports, checkpoints.

from cogames_training.args import TrainArgs
from cogames_training.training import train

result = train(TrainArgs(missions=["arena"], policy="class=sparse", total_steps=1_000_000))
print(result.bundle)  # `cogames play -m arena -p ...`
"""

from __future__ import annotations

import dataclasses
import inspect
import os
import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import torch

from cogames.missions import choose_missions
from cogames.policy.arguments import parse_policy_spec
from cogames.policy.device import resolve_device
from cogames_training.args import SettingError, TrainArgs
from cogames_training.curriculum import Curriculum, make_curriculum, make_tasks
from cogames_training.evaluation import evaluate
from cogames_training.interfaces import joined_interface, translation
from cogames_training.interrupts import Interrupts
from cogames_training.reports.dashboard import Dashboard
from cogames_training.reports.epoch import EpochReport
from cogames_training.reports.names import RecipeMetrics, tutorial_metrics
from cogames_training.reports.tensorboard import EventWriter
from cogames_training.reports.wandb import WandbLogger
from cogames_training.runs import Layout, RunFolder
from cogames_training.sizes import Sizes, choose_sizes
from cogames_training.tasks import Task
from cogames_training.trainer import NotFinite, Trainer
from mettagrid.policy.loader import initialize_or_load_policy
from mettagrid.policy.policy import MultiAgentPolicy
from mettagrid.policy.policy_env_interface import PolicyEnvInterface
from mettagrid.policy.policy_spec import PolicySpec

if TYPE_CHECKING:
    from torch import nn

__all__ = ["Result", "TrainingStopped", "train"]


class TrainingStopped(RuntimeError):
    """The run stopped because its numbers are no longer finite; the message says where the batch was saved."""


@dataclass(frozen=True)
class Result:
    """What a run has done."""

    run: Path
    """its folder"""
    bundle: Path | None
    """the newest checkpoint, as `-p` takes it"""
    epochs: int
    agent_steps: int
    is_finished: bool
    """false after Ctrl-C"""
    last: EpochReport | None
    """report of the last epoch; None if none was played"""


@dataclass
class _Prepared:
    """Everything that can be wrong is found before the first step."""

    tasks: list[Task]
    interfaces: list[PolicyEnvInterface]
    interface: PolicyEnvInterface
    spec: PolicySpec
    policy: MultiAgentPolicy
    network: nn.Module
    device: torch.device
    sizes: Sizes
    make_teacher: Callable[[PolicyEnvInterface], MultiAgentPolicy] | None
    teacher_network: tuple[nn.Module, bool] | None


def train(
    args: TrainArgs,
    *,
    run: str | None = None,
    layout: Layout = "tutorial",
    checkpoints: Path = Path("train_dir"),
    command: Sequence[str] | None = None,
    tell: Callable[[str], None] | None = None,
    stop: Callable[[EpochReport], bool] = lambda report: False,
) -> Result:
    """Train until `total_steps`, until `stop` returns true for an epoch, or until Ctrl-C.

    A run of that name is continued. `tell` shows what the user should know; by default the dashboard does.

    Raises `SettingError` for settings that cannot work, before anything is written; `RunFolderError` for a folder that
    cannot be written or read; `TrainingStopped` when a number is no longer finite.
    """
    args.check()
    _seed_everything(args.seed)
    prepared = _prepare(args)
    describe = {
        "args": dataclasses.asdict(args),
        "seed": args.seed,
        "missions": [task.name for task in prepared.tasks],
        "policy": args.policy,
        "command": None if command is None else list(command),
    }
    with RunFolder.create(checkpoints, run_id=run, layout=layout, describe=describe) as folder:
        return _run(args, prepared, folder, layout, tell, stop)


def _run(
    args: TrainArgs,
    prepared: _Prepared,
    folder: RunFolder,
    layout: Layout,
    tell: Callable[[str], None] | None,
    stop: Callable[[EpochReport], bool],
) -> Result:
    def curriculum(part: int) -> Curriculum:
        return make_curriculum(args.curriculum, prepared.tasks, seed=args.seed + part)

    knows_names = bool(getattr(prepared.network, "knows_names", False))
    trainer = Trainer(
        args,
        prepared.sizes,
        prepared.network,
        curriculum,
        is_recurrent=_is_recurrent(prepared.policy, prepared.spec.class_path),
        action_names=prepared.interface.action_names,
        device=prepared.device,
        make_teacher=prepared.make_teacher,
        teacher_network=prepared.teacher_network,
        translation=translation(prepared.interfaces, prepared.interface) if knows_names else None,
    )
    metrics = RecipeMetrics() if layout == "recipe" else tutorial_metrics
    spec = _policy_spec(prepared)
    bundle: Path | None = None
    last: EpochReport | None = None
    saved_epoch = 0
    with Interrupts() as interrupts, Dashboard(f"{folder.name}: {', '.join(t.name for t in prepared.tasks)}") as board:
        say = tell or board.note
        checkpoint = folder.load_checkpoint()
        purge = None if checkpoint is None else int(checkpoint.state["agent_step"]) + 1
        events = EventWriter(folder.path, purge_step=purge)
        if checkpoint is not None:
            for warning in checkpoint.warnings:
                say(warning)
            trainer.load_state(checkpoint.state)
            bundle, saved_epoch = checkpoint.path.parent, trainer.epoch
            say(f"Continuing {folder.name} after epoch {trainer.epoch} ({trainer.agent_steps:,} agent steps)")
        wandb = WandbLogger.start(name=folder.name, folder=folder.path, config=folder.record, tell=say)

        def save() -> Path:
            saved = folder.save_checkpoint(trainer.epoch, trainer.weights(), spec, trainer.state())
            if isinstance(metrics, RecipeMetrics):
                metrics.set_checkpoint(trainer.epoch, str(saved))
            return saved

        try:
            for report in trainer.train():
                if args.evaluate_every and report.epoch % args.evaluate_every == 0:
                    report.evaluation = evaluate(trainer.actor, prepared.tasks, args, seeds=args.evaluation_seeds)
                if report.epoch % args.checkpoint_every == 0:
                    bundle, saved_epoch = save(), report.epoch
                folder.append_metrics(report)
                named = metrics(report)
                events.add(report.agent_steps, named)
                if wandb is not None:
                    wandb.log(named, step=report.agent_steps)
                board.update(report)
                last = report
                if interrupts.requested or stop(report):
                    break
        except NotFinite as error:
            path = folder.path / "not_finite.pt"
            torch.save(error.batch, path)
            folder.finish("failed", str(error))
            raise TrainingStopped(f"{error}; the minibatch is in {path}. Try a lower learning rate") from None
        finally:
            trainer.close()
            events.close()
            if wandb is not None:
                wandb.finish()
        if trainer.epoch > saved_epoch:
            bundle = save()
        is_finished = trainer.agent_steps >= args.total_steps
        folder.finish("finished" if is_finished else "interrupted")
    return Result(folder.path, bundle, trainer.epoch, trainer.agent_steps, is_finished, last)


def _prepare(args: TrainArgs) -> _Prepared:
    chosen = choose_missions(args.missions, variants=args.variants, cogs=args.cogs)
    generator = args.tasks or None
    tasks = make_tasks([(mission.name, mission.env) for mission in chosen], generator, seed=args.seed)
    interfaces = [PolicyEnvInterface.from_mg_cfg(task.config) for task in tasks]
    interface = joined_interface(interfaces, [task.name for task in tasks])
    device_name, warning = resolve_device(args.device)
    if warning is not None:
        raise SettingError("device", warning)
    device = torch.device(device_name)
    spec = parse_policy_spec(args.policy, device=device_name).to_policy_spec()
    spec.init_kwargs = {**spec.init_kwargs, **args.overrides}
    policy, network = _trainable(args, interface, spec, device)
    rows = max(task.config.game.num_agents for task in tasks)
    sizes = choose_sizes(args, rows_per_world=rows, device=device)
    make_teacher, teacher_network = _teacher(args, interfaces, interface, device)
    return _Prepared(tasks, interfaces, interface, spec, policy, network, device, sizes, make_teacher, teacher_network)


def _trainable(
    args: TrainArgs, interface: PolicyEnvInterface, spec: PolicySpec, device: torch.device
) -> tuple[MultiAgentPolicy, nn.Module]:
    """Return the policy and its network."""
    needs_head = args.critic_update == "gtd_lambda"
    policy = initialize_or_load_policy(interface, spec, device_override=str(device))
    network = policy.network()
    if network is None:
        raise SettingError("policy", f"{args.policy} has no network, so it cannot be trained; try class=sparse")
    if needs_head and not hasattr(network, "h_value") and "auxiliary" in inspect.signature(type(policy)).parameters:
        spec.init_kwargs = {**spec.init_kwargs, "auxiliary": True}
        policy = initialize_or_load_policy(interface, spec, device_override=str(device))
        network = policy.network()
    if needs_head and not hasattr(network, "h_value"):
        raise SettingError("critic_update", "gtd_lambda needs a network with an auxiliary head, such as class=sparse")
    return policy, network.to(device)


def _teacher(
    args: TrainArgs, interfaces: Sequence[PolicyEnvInterface], joined: PolicyEnvInterface, device: torch.device
) -> tuple[Callable[[PolicyEnvInterface], MultiAgentPolicy] | None, tuple[nn.Module, bool] | None]:
    """Return how to make the scripted teacher, or the network of a teacher that has one."""
    if args.teacher is None:
        return None, None
    spec = parse_policy_spec(args.teacher, device=str(device)).to_policy_spec()

    def make(interface: PolicyEnvInterface) -> MultiAgentPolicy:
        return initialize_or_load_policy(interface, spec)

    try:
        policies = [make(interface) for interface in interfaces]
    except (ImportError, TypeError, ValueError, RuntimeError, OSError) as error:
        raise SettingError("teacher", f"{args.teacher} does not fit this mission: {error}") from error
    network = policies[0].network()
    if network is None:
        return make, None
    teacher = make(joined)
    return None, (teacher.network().to(device).eval(), _is_recurrent(teacher, spec.class_path))


def _is_recurrent(policy: MultiAgentPolicy, class_path: str) -> bool:
    """Return whether the network has a memory; policies without `is_recurrent` tell it by their name."""
    tells = getattr(policy, "is_recurrent", None)
    if callable(tells):
        return bool(tells())
    return any(word in class_path.lower() for word in ("lstm", "rnn"))


def _policy_spec(prepared: _Prepared) -> dict[str, Any]:
    """Return the content of `policy_spec.json`."""
    policy = prepared.policy
    kwargs = {name: value for name, value in prepared.spec.init_kwargs.items() if name != "device"}
    own = getattr(policy, "init_kwargs", None)
    if callable(own):
        kwargs |= own()
    return {
        "class_path": f"{type(policy).__module__}.{type(policy).__qualname__}",
        "init_kwargs": kwargs,
        "policy_env_interface": prepared.interface.model_dump(mode="json"),
    }


def _seed_everything(seed: int) -> None:
    """Seed the generators that networks are initialized with; everything else has its own."""
    random.seed(seed)
    np.random.seed(seed % 2**32)
    torch.manual_seed(seed)
    os.environ.setdefault("CUBLAS_WORKSPACE_CONFIG", ":4096:8")
