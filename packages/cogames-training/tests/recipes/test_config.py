"""Documented settings and the fields of the trainer that they become."""

from __future__ import annotations

from typing import Any

import pytest

from cogames_training.args import SettingError, TrainArgs
from cogames_training.recipes.binding import describe, keys_of, override
from cogames_training.recipes.config import TrainConfig
from cogames_training.recipes.grammar import parse_assignments
from cogames_training.recipes.train_args import FIELDS, to_train_args
from softmax.cli.errors import CommandError, UsageError


def convert(*words: str) -> TrainArgs:
    said: list[str] = []
    args = to_train_args(override(TrainConfig(), parse_assignments(words)), tell=said.append)
    assert said == []
    return args


def remarks(*words: str) -> str:
    said: list[str] = []
    to_train_args(override(TrainConfig(), parse_assignments(words)), tell=said.append)
    return " ".join(said)


def test_the_documented_defaults() -> None:
    args = convert()
    assert (args.total_steps, args.batch_size, args.minibatch_size, args.horizon) == (10**10, 2097152, 16384, 256)
    assert (args.optimizer, args.learning_rate, args.schedule) == ("adamw_schedulefree", 0.00737503, "constant")
    assert (args.beta1, args.beta2, args.eps, args.weight_decay) == (0.9, 0.999, 5.083e-7, 0.01)
    assert (args.warmup_steps, args.max_grad_norm, args.update_epochs) == (1000, 0.5, 1)
    assert (args.sampling, args.prio_alpha, args.prio_beta0) == ("sequential", 0.0, 0.6)
    assert (args.gamma, args.gae_lambda, args.rho_clip, args.c_clip) == (1.0, 0.95, 1.0, 1.0)
    assert (args.reward_centering, args.reward_clip) == (1e-3, 0.0)
    assert (args.clip_coef, args.ent_coef, args.norm_adv, args.target_kl) == (0.22017, 0.01, True, None)
    assert (args.vf_coef, args.vf_clip, args.critic_update) == (0.49657, 0.1, "gtd_lambda")
    assert (args.aux_coef, args.gtd_beta, args.teacher_offpolicy_rho_clip) == (1.0, 1.0, 1.0)
    assert (args.teacher, args.teacher_steps, args.policy, args.compile) == (None, 10**9, "class=sparse", False)
    assert (args.evaluate_every, args.checkpoint_every) == (100, 25)  # 30, lowered until it divides 100


def test_every_setting_has_a_meaning_and_every_table_entry_exists() -> None:
    meanings = dict(describe(TrainConfig))
    assert not [
        key for key, text in meanings.items() if not text and not key.startswith("curriculum.learning_progress")
    ]
    assert set(FIELDS) <= set(keys_of(TrainConfig))
    assert set(FIELDS.values()) <= set(TrainArgs.names())


def test_each_documented_key_reaches_its_field() -> None:
    args = convert(
        "trainer.losses.ppo_actor.ent_coef=0.02",
        "trainer.losses.ppo_critic.clip_vloss=false",
        "trainer.losses.ppo_critic.critic_update=mse",
        "trainer.advantage.reward_centering.enabled=false",
        "trainer.optimizer={type: adam, learning_rate: 1e-3, schedule: cosine}",
        "trainer.sampling.method=prioritized",
        "training_env.missions=[arena, machina_1]",
        "training_env.num_envs=16",
        "policy_architecture=lstm",
        "curriculum={algorithm: learning_progress, learning_progress: {memory: 10}}",
        "evaluator.epoch_interval=0",
        "checkpointer.epoch_interval=7",
        "device=cpu",
    )
    assert (args.ent_coef, args.vf_clip, args.critic_update, args.reward_centering) == (0.02, 0.0, "mse", 0.0)
    assert (args.optimizer, args.learning_rate, args.schedule) == ("adam", 1e-3, "cosine")
    assert (args.sampling, list(args.missions), args.parallel_envs) == ("prioritized", ["arena", "machina_1"], 16)
    assert (args.policy, args.curriculum, args.curriculum_settings) == (
        "class=lstm",
        "learning_progress",
        {"memory": 10},
    )
    assert (args.evaluate_every, args.checkpoint_every, args.device) == (0, 7, "cpu")


def test_the_teacher_of_the_guide() -> None:
    args = convert(
        'teacher={mode: sliced_cloner, policy_uri: "metta://policy/miner", teacher_led_proportion: 0.7}',
        "teacher.kwargs.action_loss_coef=0.5",
    )
    assert (args.teacher, args.teacher_mode) == ("metta://policy/miner", "sliced_cloner")
    assert (args.teacher_led_proportion, args.student_led_proportion) == (0.7, 0.0)
    assert (args.action_loss_coef, args.ppo_actor) == (0.5, True)


def test_the_reference_configuration_of_the_guide() -> None:
    config = {
        "trainer": {
            "total_timesteps": 20_000_000_000,
            "batch_size": 2097152,
            "losses": {
                "ppo_actor": {"enabled": True, "ent_coef": 0.01, "norm_adv": True, "clip_coef": 0.22},
                "ppo_critic": {"enabled": True, "vf_coef": 0.50, "critic_update": "gtd_lambda"},
                "sliced_scripted_cloner": {
                    "enabled": True,
                    "action_loss_coef": 1,
                    "student_led_proportion": 0.5,
                    "teacher_led_proportion": 0.5,
                },
            },
        },
        "training_env": {"supervisor_policy_uri": "metta://policy/cogsguard?gear=10"},
    }
    args = to_train_args(override(TrainConfig(), config))
    assert (args.teacher, args.teacher_mode) == ("metta://policy/cogsguard?gear=10", "sliced_cloner")
    assert (args.teacher_led_proportion, args.student_led_proportion, args.vf_coef) == (0.5, 0.5, 0.5)


def test_modes_without_ppo_switch_it_off() -> None:
    for mode in ("sliced_cloner_no_ppo", "supervisor"):
        args = convert(f"teacher={{mode: {mode}, policy_uri: miner}}")
        assert (args.ppo_actor, args.vf_coef) == (False, 0.0)
    kickstarter = convert("teacher={mode: kickstarter, policy_uri: x, kwargs: {temperature: 3, action_loss_coef: 0.4}}")
    assert (kickstarter.temperature, kickstarter.kickstart_coef, kickstarter.action_loss_coef) == (3, 0.4, 1)


def test_rules_and_gates_name_settings_and_losses() -> None:
    args = convert(
        "scheduler.rules=[{target_path: losses.ppo_actor.ent_coef, start_value: 0.02, end_value: 0, end_epoch: 9}]",
        "scheduler.run_gates=[{loss_instance_name: ppo_actor, phase: train, begin_at_step: 1_000}]",
    )
    assert args.schedule_rules == [{"field": "ent_coef", "start_value": 0.02, "end_value": 0, "end_epoch": 9}]
    assert args.loss_gates == [{"loss": "ppo_actor", "phase": "train", "begin_step": 1000}]


def test_batches_shrink_with_the_number_of_processes(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("WORLD_SIZE", "4")
    args = convert("trainer.scale_batches_by_world_size=true", "trainer.batch_size=65536")
    assert (args.batch_size, args.minibatch_size) == (16384, 4096)


def test_settings_that_are_changed_or_unused_are_reported() -> None:
    assert remarks("trainer.batch_size=4096", "trainer.minibatch_size=8192") == (
        "trainer.minibatch_size is lowered from 8192 to the batch size 4096"
    )
    assert "have no effect without teacher.policy_uri" in remarks("teacher.teacher_led_proportion=0.5")
    assert "phase=rollout have no effect" in remarks(
        "scheduler.run_gates=[{loss_instance_name: ppo_actor, phase: rollout}]"
    )
    assert "no effect with teacher.mode=kickstarter" in remarks(
        "teacher={mode: kickstarter, policy_uri: x, teacher_led_proportion: 0.7}"
    )
    assert "lowered to 5, which divides 20" in remarks("evaluator.epoch_interval=20", "checkpointer.epoch_interval=7")


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (["trainer.losses.cmpo.enabled=true"], "does not have this loss"),
        (["trainer.losses.sliced_scripted_cloner.enabled=true"], "needs training_env.supervisor_policy_uri"),
        (["training_env.supervisor_policy_uri=miner"], "no loss uses it"),
        (["teacher.policy_uri=a", "trainer.losses.kickstarter.enabled=true"], "enable only that"),
        (["teacher.policy_uri=a", "training_env.supervisor_policy_uri=b"], "give one teacher"),
        (["teacher={policy_uri: a, teacher_led_proportion: 0.6, student_led_proportion: 0.6}"], "at most 1"),
        (["policy_uri=a", "initial_policy_uri=b"], "both mean the same"),
        (["trainer.optimizer.schedule=cosine"], "needs constant"),
        (["scheduler.rules=[{target_path: colour, start_value: 1, end_value: 2}]"], "is not a setting"),
        (["scheduler.run_gates=[{loss_instance_name: grpo}]"], "is not a loss of this trainer"),
        (["curriculum.learning_progress.memory=3"], "needs curriculum.algorithm"),
        (["trainer.total_timesteps=0"], "at least 1"),
        (["trainer.compile=true"], "torch.compile made no run faster"),
    ],
)
def test_settings_that_cannot_work_are_refused(words: list[str], says: str) -> None:
    with pytest.raises(SettingError, match=says):
        convert(*words)


@pytest.mark.parametrize(
    ("words", "error", "says"),
    [
        (["trainer.batch_size=many"], CommandError, "trainer.batch_size"),
        (["teacher.mode=guess"], CommandError, "teacher.mode"),
        (["trainer.losses.sliced_scripted_cloner.restrict_ppo_to_ppo_mask=false"], CommandError, "restrict_ppo"),
        (["trainer.batchsize=1"], UsageError, "trainer.batchsize"),
        (["teacher={mod: x}"], UsageError, "teacher.mod"),
        (["curriculum.learning_progress.memoy=1"], UsageError, "memoy"),
    ],
)
def test_bad_values_and_unknown_keys_name_the_key(words: list[str], error: type[CommandError], says: str) -> None:
    with pytest.raises(error, match=says):
        override(TrainConfig(), parse_assignments(words))


def test_unknown_keys_of_teacher_kwargs_are_refused() -> None:
    config: dict[str, Any] = {"teacher": {"policy_uri": "miner", "kwargs": {"temperature": 1}}}
    with pytest.raises(UsageError, match=r"teacher\.kwargs\.temperature"):
        to_train_args(override(TrainConfig(), config))
