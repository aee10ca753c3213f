"""The settings of a recipe's training run, nested as the published guide writes them, one line of meaning each.

`train_args.to_train_args` turns them into the flat settings of the trainer.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field, field_validator

from cogames_training.args import TeacherMode
from cogames_training.curriculum import LearningProgressSettings

__all__ = [
    "CurriculumConfig",
    "RecipeConfig",
    "TeacherConfig",
    "TrainConfig",
    "TrainerConfig",
    "TrainingEnvConfig",
]


class RecipeConfig(BaseModel):
    """Base of all settings: unknown keys are errors, and the text below a field is its meaning."""

    model_config = ConfigDict(
        extra="forbid", use_attribute_docstrings=True, validate_assignment=True, coerce_numbers_to_str=True
    )


class OptimizerConfig(RecipeConfig):
    type: Literal["adamw_schedulefree", "adam", "adamw", "muon", "sgd_schedulefree"] = "adamw_schedulefree"
    """algorithm that turns gradients into steps"""
    learning_rate: float = 0.00737503
    """step size, after the warm-up"""
    beta1: float = 0.9
    """decay of the gradient's mean"""
    beta2: float = 0.999
    """decay of the gradient's square"""
    eps: float = 5.083e-7
    """added to the root of the gradient's square"""
    weight_decay: float = 0.01
    """pull of the weights towards 0"""
    warmup_steps: int = 1000
    """gradient steps over which the step size rises from 0"""
    schedule: Literal["constant", "cosine", "linear"] = "constant"
    """course of the step size over the run; the schedule-free algorithms need `constant`"""
    min_lr_ratio: float = 0.0
    """step size at the end of a cosine or linear course, as a part of `learning_rate`"""


class SamplingConfig(RecipeConfig):
    method: Literal["sequential", "prioritized"] = "sequential"
    """take segments in order, or draw them by the size of their advantages"""
    prio_alpha: float = 0.0
    """prioritized: how much the size counts; 0: not at all"""
    prio_beta0: float = 0.6
    """prioritized: how much of the drawing's bias is corrected at the start"""


class RewardCenteringConfig(RecipeConfig):
    enabled: bool = True
    """subtract the running mean of each agent's rewards"""
    beta: float = 1e-3
    """rate of that running mean"""


class AdvantageConfig(RecipeConfig):
    gamma: float = 1.0
    """how much a reward one step later is worth"""
    gae_lambda: float = 0.95
    """how far an advantage looks ahead before it trusts the critic"""
    vtrace_rho_clip: float = 1.0
    """largest weight of a temporal difference of older data"""
    vtrace_c_clip: float = 1.0
    """largest weight of the differences after it"""
    reward_centering: RewardCenteringConfig = Field(default_factory=RewardCenteringConfig)
    """rewards relative to their mean"""


class ActorLossConfig(RecipeConfig):
    enabled: bool = True
    """whether rewards train the actor"""
    clip_coef: float = 0.22017
    """largest change of an action's probability that is still rewarded"""
    ent_coef: float = 0.01
    """weight of the entropy, which keeps the policy exploring"""
    norm_adv: bool = True
    """scale the advantages of a minibatch to mean 0 and deviation 1"""
    target_kl: float | None = None
    """end an update when the policy has moved further than this"""


class CriticLossConfig(RecipeConfig):
    enabled: bool = True
    """whether rewards train the critic"""
    vf_coef: float = 0.49657
    """weight of the critic's loss"""
    vf_clip_coef: float = 0.1
    """largest change of a value in one update"""
    clip_vloss: bool = True
    """whether `vf_clip_coef` applies"""
    critic_update: Literal["gtd_lambda", "mse"] = "gtd_lambda"
    """gradient temporal differences with an auxiliary head, or the squared error"""
    aux_coef: float = 1.0
    """gtd_lambda: weight of the auxiliary head"""
    beta: float = 1.0
    """gtd_lambda: pull of the auxiliary head's weights towards 0"""
    teacher_offpolicy_rho_clip: float = 1.0
    """gtd_lambda: largest weight of a row in which the teacher acts"""


class TeacherLossConfig(RecipeConfig):
    """A loss that needs a teacher."""

    enabled: bool = False
    """learn from `training_env.supervisor_policy_uri` with this loss; `teacher.mode` enables it as well"""


class SlicedLossConfig(TeacherLossConfig):
    teacher_led_proportion: float = 0.2
    """part of the rows in which the teacher acts, at the start"""
    student_led_proportion: float = 0.0
    """part of the rows in which the student acts and the teacher only labels, at the start"""


class SlicedClonerConfig(SlicedLossConfig):
    action_loss_coef: float = 1.0
    """weight of the loss on the teacher's actions"""
    restrict_ppo_to_ppo_mask: Literal[True] = True
    """PPO learns only from rows without the teacher; this trainer has no other way"""


class SupervisorConfig(TeacherLossConfig):
    action_loss_coef: float = 1.0
    """weight of the loss on the teacher's actions"""


class KickstarterConfig(TeacherLossConfig):
    temperature: float = 2.0
    """softens the teacher's and the student's probabilities"""
    action_loss_coef: float = 0.6
    """weight of the loss on the teacher's probabilities"""
    value_loss_coef: float = 1.0
    """weight of the loss on the teacher's values"""


class SlicedKickstarterConfig(SlicedLossConfig, KickstarterConfig):
    pass


class RewardingLossConfig(TeacherLossConfig):
    r_lambda: float = 0.01
    """reward for agreeing with the teacher"""


class AbsentLossConfig(RecipeConfig):
    """A published loss that this trainer does not have."""

    enabled: bool = False
    """must be false"""


class LossesConfig(RecipeConfig):
    sliced_kickstarter: SlicedKickstarterConfig = Field(default_factory=SlicedKickstarterConfig)
    """learn a teacher network's probabilities and values in some rows"""
    sliced_scripted_cloner: SlicedClonerConfig = Field(default_factory=SlicedClonerConfig)
    """learn a teacher's actions in some rows, and PPO in the others"""
    eer_kickstarter: RewardingLossConfig = Field(default_factory=RewardingLossConfig)
    """reward agreement with a teacher network"""
    eer_cloner: RewardingLossConfig = Field(default_factory=RewardingLossConfig)
    """reward agreement with a teacher's actions"""
    ppo_critic: CriticLossConfig = Field(default_factory=CriticLossConfig)
    """learn the values of observations"""
    quantile_ppo_critic: AbsentLossConfig = Field(default_factory=AbsentLossConfig)
    """not in this trainer"""
    ppo_actor: ActorLossConfig = Field(default_factory=ActorLossConfig)
    """learn actions from rewards"""
    cmpo: AbsentLossConfig = Field(default_factory=AbsentLossConfig)
    """not in this trainer"""
    vit_reconstruction: AbsentLossConfig = Field(default_factory=AbsentLossConfig)
    """not in this trainer"""
    contrastive: AbsentLossConfig = Field(default_factory=AbsentLossConfig)
    """not in this trainer"""
    stable_latent: AbsentLossConfig = Field(default_factory=AbsentLossConfig)
    """not in this trainer"""
    future_latent_ema: AbsentLossConfig = Field(default_factory=AbsentLossConfig)
    """not in this trainer"""
    grpo: AbsentLossConfig = Field(default_factory=AbsentLossConfig)
    """not in this trainer"""
    supervisor: SupervisorConfig = Field(default_factory=SupervisorConfig)
    """learn only a teacher's actions, without PPO"""
    sl_checkpointed_kickstarter: AbsentLossConfig = Field(default_factory=AbsentLossConfig)
    """not in this trainer"""
    kickstarter: KickstarterConfig = Field(default_factory=KickstarterConfig)
    """learn a teacher network's probabilities and values"""
    logit_kickstarter: KickstarterConfig = Field(default_factory=KickstarterConfig)
    """learn a teacher network's probabilities and values, from its logits"""


class TrainerConfig(RecipeConfig):
    total_timesteps: int = 10_000_000_000
    """agent steps over all worlds"""
    batch_size: int = 2_097_152
    """agent steps per update"""
    minibatch_size: int = 16_384
    """agent steps per gradient step"""
    bptt_horizon: int = 256
    """steps of each agent between updates"""
    update_epochs: int = 1
    """how often each update uses the whole batch"""
    max_grad_norm: float = 0.5
    """longer gradients are scaled down to this length"""
    compile: bool = False
    """must be false: torch.compile has no gain here"""
    scale_batches_by_world_size: bool = False
    """divide `batch_size` and `minibatch_size` by the number of processes (WORLD_SIZE)"""
    optimizer: OptimizerConfig = Field(default_factory=OptimizerConfig)
    """the step that follows a gradient"""
    sampling: SamplingConfig = Field(default_factory=SamplingConfig)
    """choice of the segments of a minibatch"""
    advantage: AdvantageConfig = Field(default_factory=AdvantageConfig)
    """estimate of how good an action was"""
    losses: LossesConfig = Field(default_factory=LossesConfig)
    """what the network is trained to do"""


class TrainingEnvConfig(RecipeConfig):
    missions: list[str] = Field(default_factory=lambda: ["arena"])
    """missions to train on, as `cogames missions` prints them"""
    variants: list[str] = Field(default_factory=list)
    """variants added to every mission"""
    cogs: int | None = None
    """agents per world; by default what the mission says"""
    seed: int | None = None
    """seed of the first map; by default the run's seed"""
    maps: int = 1024
    """different maps of each mission"""
    num_envs: int | None = None
    """worlds stepped together; by default what `trainer.batch_size` needs"""
    num_workers: int | None = None
    """threads of the engine and of teachers; by default one per core"""
    supervisor_policy_uri: str | None = None
    """teacher of the loss that is enabled in `trainer.losses`"""
    opponents: list[str] = Field(default_factory=list)
    """policies of the other teams; `self`: earlier checkpoints of this run"""

    @field_validator("missions", "variants", "opponents", mode="before")
    @classmethod
    def _one_is_a_list(cls, value: Any) -> Any:
        return [value] if isinstance(value, str) else value


class TeacherConfig(RecipeConfig):
    mode: TeacherMode = "sliced_cloner"
    """how to learn from the teacher"""
    policy_uri: str | None = None
    """policy to learn from; none disables the teacher"""
    steps: int = 1_000_000_000
    """agent steps until the teacher's part has shrunk to nothing"""
    teacher_led_proportion: float = 0.2
    """part of the rows in which the teacher acts, at the start"""
    student_led_proportion: float = 0.0
    """part of the rows in which the student acts and the teacher only labels, at the start"""
    kwargs: dict[str, Any] = Field(default_factory=dict)
    """settings of the mode's loss that differ from `trainer.losses`"""


class CurriculumConfig(RecipeConfig):
    algorithm: Literal["rotation", "discrete_random", "learning_progress"] = "rotation"
    """how a world chooses its next task; a text for `curriculum` sets only this"""
    tasks: dict[str, Any] | None = None
    """generator: single, set, bucketed or merge; by default each mission is a task"""
    learning_progress: LearningProgressSettings = Field(default_factory=LearningProgressSettings)
    """settings of `learning_progress`"""


class EvaluatorConfig(RecipeConfig):
    epoch_interval: int = 100
    """epochs between evaluations on held-out maps; 0: none"""
    episodes: int = 20
    """episodes of an evaluation, each on its own map"""


class CheckpointerConfig(RecipeConfig):
    epoch_interval: int = 30
    """epochs between checkpoints; lowered until it divides `evaluator.epoch_interval`"""


class WandbConfig(RecipeConfig):
    mode: Literal["auto", "offline", "disabled"] = "auto"
    """log where an API key or a login is there, or only to files, or not at all"""
    project: str | None = None
    """project of the run; by default WANDB_PROJECT or cogames"""


class SchedulerConfig(RecipeConfig):
    rules: list[dict[str, Any]] = Field(default_factory=list)
    """courses of settings: target_path, mode, style, start_value, end_value, start_agent_step, end_agent_step, ..."""
    run_gates: list[dict[str, Any]] = Field(default_factory=list)
    """when losses take part: loss_instance_name, phase, begin_at_step, end_at_step, cycle_length, ..."""


class TrainConfig(RecipeConfig):
    """All settings of a training run."""

    run: str | None = None
    """name of the run and of its folder; the same name continues it"""
    trainer: TrainerConfig = Field(default_factory=TrainerConfig)
    """how to learn"""
    training_env: TrainingEnvConfig = Field(default_factory=TrainingEnvConfig)
    """where to learn"""
    teacher: TeacherConfig = Field(default_factory=TeacherConfig)
    """policy to learn from"""
    curriculum: CurriculumConfig = Field(default_factory=CurriculumConfig)
    """order of the tasks"""
    evaluator: EvaluatorConfig = Field(default_factory=EvaluatorConfig)
    """evaluations during training"""
    checkpointer: CheckpointerConfig = Field(default_factory=CheckpointerConfig)
    """checkpoints"""
    scheduler: SchedulerConfig = Field(default_factory=SchedulerConfig)
    """settings that change during the run"""
    wandb: WandbConfig = Field(default_factory=WandbConfig)
    """Weights & Biases"""
    policy_architecture: str = "sparse"
    """network to train: a name of `cogames policies`, or a class of yours"""
    initial_policy_uri: str | None = None
    """bundle whose weights the run begins with"""
    policy_uri: str | None = None
    """another name of `initial_policy_uri`"""
    seed: int = 42
    """seeds the network, the sampling and the worlds"""
    device: str = "auto"
    """auto, cpu, cuda or mps"""
    precision: Literal["auto", "float32", "bfloat16"] = "auto"
    """numbers of the network; losses, optimizer and weights stay float32"""
    data_dir: str | None = None
    """folder of all runs; by default DATA_DIR or ./train_dir"""

    @field_validator("curriculum", mode="before")
    @classmethod
    def _text_is_the_algorithm(cls, value: Any) -> Any:
        return {"algorithm": value} if isinstance(value, str) else value

    @field_validator("teacher", mode="before")
    @classmethod
    def _none_is_no_teacher(cls, value: Any) -> Any:
        return TeacherConfig() if value is None else value

    def teacher_losses(self) -> Mapping[str, TeacherLossConfig]:
        """Return the losses that need a teacher, by name."""
        losses = {name: getattr(self.trainer.losses, name) for name in LossesConfig.model_fields}
        return {name: loss for name, loss in losses.items() if isinstance(loss, TeacherLossConfig)}

    def absent_losses(self) -> list[str]:
        """Return the names of enabled losses that this trainer does not have."""
        losses = {name: getattr(self.trainer.losses, name) for name in LossesConfig.model_fields}
        return [name for name, loss in losses.items() if isinstance(loss, AbsentLossConfig) and loss.enabled]
