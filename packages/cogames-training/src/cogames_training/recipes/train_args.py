"""Turn the nested settings of a recipe into the flat settings of the trainer: each documented key is one field."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from dataclasses import asdict
from functools import reduce
from typing import Any

from cogames_training.args import SettingError, TeacherMode, TrainArgs
from cogames_training.curriculum import LearningProgressSettings
from cogames_training.recipes.binding import override
from cogames_training.recipes.config import (
    KickstarterConfig,
    RewardingLossConfig,
    SlicedLossConfig,
    TeacherLossConfig,
    TrainConfig,
)
from cogames_training.schedules import read_gates, read_rules
from softmax.cli.output import warn

__all__ = ["FIELDS", "LOSS_OF_MODE", "to_train_args"]

FIELDS = {
    "seed": "seed",
    "device": "device",
    "precision": "precision",
    "training_env.missions": "missions",
    "training_env.variants": "variants",
    "training_env.cogs": "cogs",
    "training_env.seed": "map_seed",
    "training_env.maps": "maps",
    "training_env.num_envs": "parallel_envs",
    "training_env.num_workers": "threads",
    "training_env.opponents": "opponents",
    "trainer.total_timesteps": "total_steps",
    "trainer.batch_size": "batch_size",
    "trainer.minibatch_size": "minibatch_size",
    "trainer.bptt_horizon": "horizon",
    "trainer.update_epochs": "update_epochs",
    "trainer.max_grad_norm": "max_grad_norm",
    "trainer.compile": "compile",
    "trainer.optimizer.type": "optimizer",
    "trainer.optimizer.learning_rate": "learning_rate",
    "trainer.optimizer.beta1": "beta1",
    "trainer.optimizer.beta2": "beta2",
    "trainer.optimizer.eps": "eps",
    "trainer.optimizer.weight_decay": "weight_decay",
    "trainer.optimizer.warmup_steps": "warmup_steps",
    "trainer.optimizer.schedule": "schedule",
    "trainer.optimizer.min_lr_ratio": "min_lr_ratio",
    "trainer.sampling.method": "sampling",
    "trainer.sampling.prio_alpha": "prio_alpha",
    "trainer.sampling.prio_beta0": "prio_beta0",
    "trainer.advantage.gamma": "gamma",
    "trainer.advantage.gae_lambda": "gae_lambda",
    "trainer.advantage.vtrace_rho_clip": "rho_clip",
    "trainer.advantage.vtrace_c_clip": "c_clip",
    "trainer.advantage.reward_centering.beta": "reward_centering",
    "trainer.losses.ppo_actor.enabled": "ppo_actor",
    "trainer.losses.ppo_actor.clip_coef": "clip_coef",
    "trainer.losses.ppo_actor.ent_coef": "ent_coef",
    "trainer.losses.ppo_actor.norm_adv": "norm_adv",
    "trainer.losses.ppo_actor.target_kl": "target_kl",
    "trainer.losses.ppo_critic.vf_coef": "vf_coef",
    "trainer.losses.ppo_critic.vf_clip_coef": "vf_clip",
    "trainer.losses.ppo_critic.critic_update": "critic_update",
    "trainer.losses.ppo_critic.aux_coef": "aux_coef",
    "trainer.losses.ppo_critic.beta": "gtd_beta",
    "trainer.losses.ppo_critic.teacher_offpolicy_rho_clip": "teacher_offpolicy_rho_clip",
    "evaluator.epoch_interval": "evaluate_every",
    "evaluator.episodes": "evaluation_seeds",
    "checkpointer.epoch_interval": "checkpoint_every",
}
"""keys that become a field unchanged, unless another key switches them off"""

TEACHER_FIELDS = {
    "teacher_led_proportion": "teacher_led_proportion",
    "student_led_proportion": "student_led_proportion",
    "temperature": "temperature",
    "value_loss_coef": "value_loss_coef",
    "r_lambda": "r_lambda",
}

LOSS_OF_MODE: dict[TeacherMode, str] = {
    "sliced_cloner": "sliced_scripted_cloner",
    "sliced_cloner_no_ppo": "sliced_scripted_cloner",
    "supervisor": "supervisor",
    "kickstarter": "kickstarter",
    "logit_kickstarter": "logit_kickstarter",
    "sliced_kickstarter": "sliced_kickstarter",
    "eer_kickstarter": "eer_kickstarter",
    "eer_cloner": "eer_cloner",
}

GATE_KEYS = {
    "loss_instance_name": "loss",
    "begin_at_step": "begin_step",
    "end_at_step": "end_step",
    "begin_at_epoch": "begin_epoch",
    "end_at_epoch": "end_epoch",
}


def to_train_args(config: TrainConfig, *, tell: Callable[[str], None] = warn) -> TrainArgs:
    """Return the trainer's settings; raise `SettingError` for settings that contradict each other.

    `tell` gets a sentence for each setting that is changed or has no effect.
    """
    absent = config.absent_losses()
    if absent:
        raise SettingError(f"trainer.losses.{absent[0]}", "this trainer does not have this loss; set enabled=false")
    args = TrainArgs(policy=_policy(config), reward_clip=0.0)
    for path, field in FIELDS.items():
        setattr(args, field, reduce(getattr, path.split("."), config))
    _apply_switches(args, config)
    _apply_batch_sizes(args, config, tell)
    _apply_teacher(args, config, tell)
    _apply_curriculum(args, config)
    _apply_checkpoints(args, tell)
    args.schedule_rules = [_rule(rule) for rule in config.scheduler.rules]
    args.loss_gates = [_gate(gate) for gate in config.scheduler.run_gates]
    if any(gate.get("phase") == "rollout" for gate in args.loss_gates):
        tell("run gates with phase=rollout have no effect: every loss reads the same rollout")
    read_rules(args.schedule_rules)
    read_gates(args.loss_gates)
    args.check()
    return args


def _policy(config: TrainConfig) -> str:
    given = {config.initial_policy_uri, config.policy_uri} - {None}
    if len(given) > 1:
        raise SettingError("policy_uri", "differs from initial_policy_uri; both mean the same, give one")
    if given:
        return str(given.pop())
    name = config.policy_architecture
    return name if "=" in name else f"class={name}"


def _apply_switches(args: TrainArgs, config: TrainConfig) -> None:
    critic, advantage = config.trainer.losses.ppo_critic, config.trainer.advantage
    if not critic.enabled:
        args.vf_coef = args.aux_coef = 0.0
    if not critic.clip_vloss:
        args.vf_clip = 0.0
    if not advantage.reward_centering.enabled:
        args.reward_centering = 0.0
    if args.optimizer.endswith("schedulefree") and args.schedule != "constant":
        raise SettingError("trainer.optimizer.schedule", f"{args.optimizer} needs constant; adam and muon take others")


def _apply_batch_sizes(args: TrainArgs, config: TrainConfig, tell: Callable[[str], None]) -> None:
    batch, processes = config.trainer.batch_size, int(os.environ.get("WORLD_SIZE") or 1)
    if config.trainer.scale_batches_by_world_size:
        batch = max(1, batch // processes)
        args.minibatch_size = max(1, args.minibatch_size // processes)
    if args.minibatch_size > batch:
        if config.trainer.minibatch_size != type(config.trainer)().minibatch_size:
            tell(f"trainer.minibatch_size is lowered from {args.minibatch_size} to the batch size {batch}")
        args.minibatch_size = batch
    args.batch_size = batch


def _apply_teacher(args: TrainArgs, config: TrainConfig, tell: Callable[[str], None]) -> None:
    teacher, losses, supervisor = config.teacher, config.teacher_losses(), config.training_env.supervisor_policy_uri
    enabled = [name for name, loss in losses.items() if loss.enabled]
    if teacher.policy_uri is not None:
        if supervisor not in (None, teacher.policy_uri):
            raise SettingError(
                "training_env.supervisor_policy_uri", "differs from teacher.policy_uri; give one teacher"
            )
        name = LOSS_OF_MODE[teacher.mode]
        if set(enabled) - {name}:
            raise SettingError(
                f"trainer.losses.{enabled[0]}", f"teacher.mode={teacher.mode} uses {name}; enable only that"
            )
        loss = override(losses[name], teacher.kwargs, path="teacher.kwargs")
        args.teacher, args.teacher_mode = teacher.policy_uri, teacher.mode
        _apply_teacher_loss(args, loss)
        args.teacher_led_proportion = teacher.kwargs.get("teacher_led_proportion", teacher.teacher_led_proportion)
        args.student_led_proportion = teacher.kwargs.get("student_led_proportion", teacher.student_led_proportion)
        _tell_of_unused_proportions(config, tell)
    elif enabled:
        if len(enabled) > 1:
            raise SettingError("trainer.losses", f"{' and '.join(enabled)} both need the teacher; enable one")
        if supervisor is None:
            raise SettingError(f"trainer.losses.{enabled[0]}", "needs training_env.supervisor_policy_uri=URI")
        args.teacher = supervisor
        args.teacher_mode = next(mode for mode, name in LOSS_OF_MODE.items() if name == enabled[0])
        _apply_teacher_loss(args, losses[enabled[0]])
    elif supervisor is not None:
        raise SettingError(
            "training_env.supervisor_policy_uri",
            "no loss uses it; add trainer.losses.sliced_scripted_cloner.enabled=true, or set teacher.policy_uri",
        )
    elif teacher != type(teacher)():
        tell("the settings of `teacher` have no effect without teacher.policy_uri")
    args.teacher_steps = teacher.steps
    if args.teacher is not None and args.teacher_mode in ("sliced_cloner_no_ppo", "supervisor"):
        args.ppo_actor, args.vf_coef = False, 0.0


def _tell_of_unused_proportions(config: TrainConfig, tell: Callable[[str], None]) -> None:
    teacher, defaults = config.teacher, type(config.teacher)()
    used = ["teacher_led_proportion"] if teacher.mode == "supervisor" else []
    used += ["teacher_led_proportion", "student_led_proportion"] if teacher.mode.startswith("sliced_") else []
    for name in ("teacher_led_proportion", "student_led_proportion"):
        if name not in used and getattr(teacher, name) != getattr(defaults, name):
            tell(f"teacher.{name} has no effect with teacher.mode={teacher.mode}")


def _apply_teacher_loss(args: TrainArgs, loss: TeacherLossConfig) -> None:
    for name, field in TEACHER_FIELDS.items():
        if hasattr(loss, name):
            setattr(args, field, getattr(loss, name))
    if isinstance(loss, KickstarterConfig):
        args.kickstart_coef = loss.action_loss_coef
    elif not isinstance(loss, RewardingLossConfig):
        args.action_loss_coef = loss.action_loss_coef  # type: ignore[attr-defined]
    if not isinstance(loss, SlicedLossConfig):
        args.teacher_led_proportion = args.student_led_proportion = 0.0


def _apply_curriculum(args: TrainArgs, config: TrainConfig) -> None:
    curriculum = config.curriculum
    args.curriculum = "random" if curriculum.algorithm == "discrete_random" else curriculum.algorithm
    args.tasks = curriculum.tasks
    defaults, given = asdict(LearningProgressSettings()), asdict(curriculum.learning_progress)
    args.curriculum_settings = {name: value for name, value in given.items() if value != defaults[name]}
    curriculum.learning_progress.check()
    if args.curriculum_settings and args.curriculum != "learning_progress":
        raise SettingError("curriculum.learning_progress", "needs curriculum.algorithm=learning_progress")


def _apply_checkpoints(args: TrainArgs, tell: Callable[[str], None]) -> None:
    """Lower the interval of checkpoints until it divides the interval of evaluations."""
    evaluations, interval = args.evaluate_every, args.checkpoint_every
    if evaluations < 1 or interval < 1 or evaluations % interval == 0:
        return
    args.checkpoint_every = next(n for n in range(min(interval, evaluations), 0, -1) if evaluations % n == 0)
    if (evaluations, interval) != (100, 30):
        tell(f"checkpointer.epoch_interval is lowered to {args.checkpoint_every}, which divides {evaluations}")


def _rule(rule: Mapping[str, Any]) -> dict[str, Any]:
    """Return a rule with the field of its `target_path`, which may begin below `trainer`."""
    document = dict(rule)
    path = str(document.pop("target_path", ""))
    known = {**FIELDS, **_teacher_paths()}
    field = known.get(path) or known.get(f"trainer.{path}")
    if field is None:
        raise SettingError(
            "scheduler.rules: target_path", f"{path!r} is not a setting; write trainer.losses.ppo_actor.ent_coef"
        )
    return {"field": field, **document}


def _teacher_paths() -> dict[str, str]:
    paths = {f"teacher.{name}": name for name in ("teacher_led_proportion", "student_led_proportion")}
    for name, loss in TrainConfig().teacher_losses().items():
        for key in type(loss).model_fields:
            if key in TEACHER_FIELDS:
                paths[f"trainer.losses.{name}.{key}"] = TEACHER_FIELDS[key]
            elif key == "action_loss_coef":
                field = "kickstart_coef" if isinstance(loss, KickstarterConfig) else "action_loss_coef"
                paths[f"trainer.losses.{name}.{key}"] = field
    return paths


def _gate(gate: Mapping[str, Any]) -> dict[str, Any]:
    document = {GATE_KEYS.get(key, key): value for key, value in gate.items()}
    active = document.get("active_in_cycle")
    if isinstance(active, int):
        document["active_in_cycle"] = [active]
    if "loss" not in document:
        raise SettingError("scheduler.run_gates", "each gate needs loss_instance_name")
    return document
