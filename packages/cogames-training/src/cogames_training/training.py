"""Run a training from beginning to end: settings, policy, teacher, folder, reports, checkpoints.

from cogames_training.args import TrainArgs
from cogames_training.training import train

result = train(TrainArgs(missions=["arena"], policy="class=sparse", total_steps=1_000_000))
print(result.bundle)  # `cogames play -m arena -p ...`
"""

from __future__ import annotations

import dataclasses
import gc
import io
import os
import random
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, cast

import numpy as np
import torch

from cogames_training.args import SettingError, TrainArgs
from cogames_training.curriculum import Curriculum, make_curriculum
from cogames_training.distributed import ONE_PROCESS, Processes, join_processes
from cogames_training.evaluation import evaluate
from cogames_training.following import follow
from cogames_training.interrupts import Interrupts
from cogames_training.memory import keep_freed_memory
from cogames_training.optimizers import ScheduleFree
from cogames_training.preparation import Prepared, check_same_run, is_recurrent, policy_document, prepare
from cogames_training.reports.dashboard import Dashboard
from cogames_training.reports.epoch import EpochReport
from cogames_training.run_log import RunLog
from cogames_training.runs import Checkpoint, Layout, RunFolder
from cogames_training.runs.atomic import write_file
from cogames_training.runs.record import read_record
from cogames_training.trainer import NotFinite, Trainer

__all__ = ["Result", "TrainingStopped", "make_trainer", "seed_everything", "train"]

BATCH_FILE = "not_finite.pt"


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

    A run of that name is continued. `tell` shows what the user should know; by default the dashboard does. Processes
    that torchrun has started train together; see `distributed`.

    Raises `SettingError` for settings that cannot work, before anything is written; `RunFolderError` for a folder that
    cannot be written or read; `TrainingStopped` when a number is no longer finite.
    """
    args.check()
    args = _own(args)
    keep_freed_memory()
    processes = join_processes(args.device, evaluates=args.evaluate_every > 0)
    seed_everything(args.seed)
    prepared = prepare(args)
    described = dataclasses.asdict(args)
    if run is not None:
        record = read_record(checkpoints / run) or {}
        check_same_run(described, prepared.sizes.rows, record, processes=processes.size)
    with closing(make_trainer(args, prepared, processes)) as trainer:
        if not processes.is_first:
            try:
                return cast(Result, follow(args, trainer, stop))
            except NotFinite as error:
                raise TrainingStopped(str(error)) from None
        describe = {
            "args": described,
            "seed": args.seed,
            "missions": [task.name for task in prepared.tasks],
            "policy": args.policy,
            "rows": prepared.sizes.rows,
            "processes": processes.size,
            "command": None if command is None else list(command),
        }
        with (
            RunFolder.create(checkpoints, run_id=run, layout=layout, describe=describe) as folder,
            _collecting_new_objects_only(),
        ):
            return processes.from_first(_run(args, prepared, trainer, folder, tell, stop))


def _run(
    args: TrainArgs,
    prepared: Prepared,
    trainer: Trainer,
    folder: RunFolder,
    tell: Callable[[str], None] | None,
    stop: Callable[[EpochReport], bool],
) -> Result:
    """Continue from the newest checkpoint, train, report, save."""
    title = f"{folder.name}: {', '.join(task.name for task in prepared.tasks)}"
    spec = policy_document(prepared)
    bundle: Path | None = None
    last: EpochReport | None = None
    saved_epoch = 0
    with Interrupts() as interrupts, Dashboard(title) as board:
        say = tell or board.note
        checkpoint = trainer.processes.from_first(folder.load_checkpoint())
        if checkpoint is not None:
            _continue(trainer, checkpoint, folder.name, say)
            bundle, saved_epoch = checkpoint.path.parent, trainer.epoch
        log = RunLog(folder, say, epoch=trainer.epoch, agent_steps=None if checkpoint is None else trainer.agent_steps)
        if bundle is not None:
            log.set_checkpoint(saved_epoch, bundle)
        failed = True
        took_saving = 0.0
        try:
            for report in trainer.train():
                _add_seconds(trainer, report, "checkpoint", took_saving)
                took_saving = 0.0
                if args.evaluate_every and report.epoch % args.evaluate_every == 0:
                    started = time.perf_counter()
                    report.evaluation = _evaluated(args, prepared, trainer)
                    _add_seconds(trainer, report, "evaluate", time.perf_counter() - started)
                log.add(report)  # before the checkpoint, from which a run continues after its epoch
                if report.epoch % args.checkpoint_every == 0:
                    started = time.perf_counter()
                    bundle, saved_epoch = _save(folder, trainer, spec), report.epoch
                    log.set_checkpoint(saved_epoch, bundle)
                    took_saving = time.perf_counter() - started  # the next report tells it
                board.update(report)
                last = report
                if trainer.processes.any(interrupts.requested or stop(report)):
                    break
            if trainer.epoch > saved_epoch:
                bundle = _save(folder, trainer, spec)
            failed = False
        except NotFinite as error:
            message = f"{error}; {_save_batch(folder, error)}. Try a lower learning rate"
            folder.finish("failed", message)
            raise TrainingStopped(message) from None
        finally:
            log.close(failed=failed)
        is_finished = trainer.agent_steps >= args.total_steps
        folder.finish("finished" if is_finished else "interrupted")
    return Result(folder.path, bundle, trainer.epoch, trainer.agent_steps, is_finished, last)


@contextmanager
def _collecting_new_objects_only() -> Iterator[None]:
    """Let the garbage collector ignore what exists now: PyTorch has a million objects, and they stay."""
    gc.freeze()
    gc.enable()
    try:
        yield
    finally:
        gc.unfreeze()


def _own(args: TrainArgs) -> TrainArgs:
    """Return a copy for this run, which schedules change, with what the teacher's mode implies."""
    if args.teacher is not None and args.teacher_mode in ("sliced_cloner_no_ppo", "supervisor"):
        return dataclasses.replace(args, ppo_actor=False, vf_coef=0.0)
    return dataclasses.replace(args)


def make_trainer(args: TrainArgs, prepared: Prepared, processes: Processes = ONE_PROCESS) -> Trainer:
    """Return a trainer that has not trained yet. Worlds and a teacher begin here, so what does not fit raises."""

    def curriculum(part: int) -> Curriculum:
        number = processes.rank * prepared.sizes.parts + part
        return make_curriculum(args.curriculum, prepared.tasks, seed=args.seed + number)

    return Trainer(
        args,
        prepared.sizes,
        prepared.network,
        curriculum,
        is_recurrent=is_recurrent(prepared.policy, prepared.spec.class_path),
        action_names=prepared.interface.action_names,
        device=prepared.device,
        engine=prepared.engine,
        make_teacher=prepared.make_teacher,
        teacher_network=prepared.teacher_network,
        make_sight=prepared.make_sight,
        opponents=prepared.opponents,
        processes=processes,
    )


def _continue(trainer: Trainer, checkpoint: Checkpoint, name: str, say: Callable[[str], None]) -> None:
    """Load a checkpoint. Raises `SettingError` if its weights do not fit the network."""
    for warning in checkpoint.warnings:
        say(warning)
    shapes = {key: tensor.shape for key, tensor in checkpoint.weights.items()}
    if shapes != {key: tensor.shape for key, tensor in trainer.network.state_dict().items()}:
        raise SettingError("policy", f"the network of the run {name} is another one; choose another name for a new run")
    trainer.load_state(checkpoint.state, checkpoint.weights)
    say(f"Continuing {name} after epoch {trainer.epoch} ({trainer.agent_steps:,} agent steps)")


def _save(folder: RunFolder, trainer: Trainer, spec: dict[str, Any]) -> Path:
    return folder.save_checkpoint(trainer.epoch, trainer.weights(), spec, trainer.state())


def _save_batch(folder: RunFolder, error: NotFinite) -> str:
    """Save the steps that made a number infinite; return a clause that says where they are."""
    path = folder.path / BATCH_FILE
    buffer = io.BytesIO()
    torch.save(error.batch, buffer)
    try:
        write_file(path, buffer.getvalue())
    except OSError as problem:
        return f"its minibatch could not be saved: {problem}"
    return f"the minibatch is in {path}"


def _evaluated(args: TrainArgs, prepared: Prepared, trainer: Trainer) -> dict[str, Any]:
    with _playing_weights(trainer):
        return evaluate(
            trainer.actor,
            prepared.tasks,
            action_names=prepared.interface.action_names,
            seeds=args.evaluation_seeds,
            threads=prepared.sizes.threads,
            make_sight=prepared.make_sight,
            greedy=bool(getattr(prepared.policy, "is_greedy", False)),
        )


@contextmanager
def _playing_weights(trainer: Trainer) -> Iterator[None]:
    """Give the network the weights that a checkpoint has; schedule-free optimizers train with others."""
    if not isinstance(trainer.optimizer, ScheduleFree):
        yield
        return
    own = {name: tensor.clone() for name, tensor in trainer.network.state_dict().items()}
    trainer.network.load_state_dict(trainer.weights())
    try:
        yield
    finally:
        trainer.network.load_state_dict(own)


def _add_seconds(trainer: Trainer, report: EpochReport, phase: str, seconds: float) -> None:
    """Count the time of something that belongs to an epoch but happens after it."""
    if seconds:
        report.phases[phase] = seconds
        report.seconds += seconds
        trainer.uptime += seconds
        report.uptime = trainer.uptime


def seed_everything(seed: int) -> None:
    """Seed the generators that networks are initialized with; everything else has its own."""
    random.seed(seed)
    np.random.seed(seed % 2**32)
    torch.manual_seed(seed)
    os.environ.setdefault("CUBLAS_WORKSPACE_CONFIG", ":4096:8")
