"""The settings of a training run, one line of meaning each."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, fields
from typing import Literal

__all__ = ["EngineChoice", "Precision", "SettingError", "TeacherMode", "TrainArgs"]

EngineChoice = Literal["cpu", "gpu", "auto"]

Precision = Literal["auto", "float32", "bfloat16"]

TeacherMode = Literal[
    "sliced_cloner",
    "sliced_cloner_no_ppo",
    "supervisor",
    "kickstarter",
    "logit_kickstarter",
    "sliced_kickstarter",
    "eer_kickstarter",
    "eer_cloner",
]


class SettingError(ValueError):
    """A setting that cannot work, with the field's name; the message says what is allowed."""

    def __init__(self, name: str, message: str) -> None:
        super().__init__(f"{name}: {message}")
        self.name = name


@dataclass
class TrainArgs:
    """Defaults are those of `cogames tutorial train`; `cogames_training.recipes` has those of the recipes."""

    # What to learn
    missions: Sequence[str] = ("arena",)
    """missions to train on; world i begins with mission i and takes the next at each reset"""
    cogs: int | None = None
    """agents per world; by default what the mission says"""
    variants: Sequence[str] = ()
    """variants added to every mission"""
    policy: str = "class=sparse"
    """policy to train, in the form of `-p`; a bundle continues from its weights"""
    total_steps: int = 10_000_000_000
    """agent steps over all worlds"""
    seed: int = 42
    """seeds the network, the sampling and the worlds"""
    map_seed: int | None = None
    """seed of the first map; by default `seed`"""
    maps: int = 1024
    """different maps of each mission, built in the background; seeds `map_seed` to `map_seed` + `maps` - 1"""

    # Rollouts
    parallel_envs: int | None = None
    """worlds stepped together; by default what `batch_size` needs, or 256"""
    batch_size: int | None = None
    """agent steps per update, over all rows; by default rows x `horizon`"""
    horizon: int = 64
    """steps of each agent between updates"""
    minibatch_size: int = 4096
    """agent steps per gradient step"""
    update_epochs: int = 1
    """how often each update uses the whole batch"""
    threads: int | None = None
    """threads of the engine and of teachers; by default one per core"""
    device: str = "auto"
    """auto, cpu, cuda or mps"""
    engine: EngineChoice = "cpu"
    """what plays the worlds: threads of the CPU, the GPU that trains, or the GPU where that is possible"""

    # Optimizer
    optimizer: Literal["adam", "adamw", "muon", "adamw_schedulefree", "sgd_schedulefree"] = "adam"
    """the algorithm that turns gradients into steps"""
    learning_rate: float = 0.00092
    """step size at the start, after any warm-up"""
    schedule: Literal["cosine", "linear", "constant"] = "cosine"
    """course of the step size over the run"""
    min_lr_ratio: float = 0.0
    """step size at the end, as a part of `learning_rate`"""
    warmup_steps: int = 0
    """gradient steps over which the step size rises from 0"""
    beta1: float = 0.95
    """decay of the gradient's mean"""
    beta2: float = 0.999
    """decay of the gradient's square"""
    eps: float = 1e-8
    """added to the root of the gradient's square"""
    weight_decay: float = 0.0
    """pull of the weights towards 0"""
    max_grad_norm: float = 1.5
    """longer gradients are scaled down to this length"""

    # Advantage
    gamma: float = 0.995
    """how much a reward one step later is worth"""
    gae_lambda: float = 0.90
    """how far an advantage looks ahead before it trusts the critic"""
    rho_clip: float = 1.0
    """largest weight of a temporal difference of older data"""
    c_clip: float = 1.0
    """largest weight of the differences after it"""
    reward_clip: float = 1.0
    """rewards are cut to this size; 0 leaves them"""
    reward_centering: float = 0.0
    """rate of the running mean that is subtracted from each agent's rewards; 0 leaves them"""

    # Segments of a minibatch
    sampling: Literal["prioritized", "sequential"] = "prioritized"
    """draw segments by the size of their advantages, or take them in order"""
    prio_alpha: float = 0.8
    """how much the size counts; 0: not at all"""
    prio_beta0: float = 0.2
    """how much of the drawing's bias is corrected at the start; it rises during the run"""

    # Actor
    clip_coef: float = 0.2
    """largest change of an action's probability that is still rewarded"""
    ent_coef: float = 0.01
    """weight of the entropy, which keeps the policy exploring"""
    norm_adv: bool = True
    """scale the advantages of a minibatch to mean 0 and deviation 1"""
    target_kl: float | None = None
    """end an update when the policy has moved further than this"""
    ppo_actor: bool = True
    """whether rewards train the actor"""

    # Critic
    vf_coef: float = 2.0
    """weight of the critic's loss"""
    vf_clip: float = 0.2
    """largest change of a value in one update; 0: any"""
    critic_update: Literal["mse", "gtd_lambda"] = "mse"
    """squared error, or gradient temporal differences with an auxiliary head"""
    aux_coef: float = 1.0
    """gtd_lambda: weight of the auxiliary head"""
    gtd_beta: float = 1.0
    """gtd_lambda: pull of the auxiliary head's weights towards 0"""

    # Teacher
    teacher: str | None = None
    """policy to learn from, as a name or URI; none by default"""
    teacher_mode: TeacherMode = "sliced_cloner"
    """how to learn from it"""
    teacher_steps: int = 1_000_000_000
    """agent steps until the teacher's part has shrunk to nothing"""
    teacher_led_proportion: float = 0.2
    """part of the rows in which the teacher acts, at the start"""
    student_led_proportion: float = 0.0
    """part of the rows in which the student acts and the teacher only labels, at the start"""
    action_loss_coef: float = 1.0
    """weight of the loss on the teacher's actions"""
    value_loss_coef: float = 1.0
    """kickstarting: weight of the loss on a teacher network's values"""
    temperature: float = 2.0
    """kickstarting: softens the teacher's and the student's probabilities"""
    kickstart_coef: float = 0.6
    """kickstarting: weight of the loss on a teacher network's probabilities"""
    r_lambda: float = 0.01
    """eer modes: reward for agreeing with the teacher"""
    teacher_offpolicy_rho_clip: float = 1.0
    """gtd_lambda: largest weight of a row in which the teacher acts"""

    # Opponents, in missions with several teams
    opponents: Sequence[str] = ()
    """policies that play the other teams, drawn for each world in turn; `self`: earlier checkpoints of this run"""
    opponent_pool: int = 8
    """how many earlier checkpoints `self` draws from"""

    # Curriculum
    curriculum: Literal["rotation", "random", "learning_progress"] = "rotation"
    """how a world chooses its next mission"""
    tasks: dict[str, object] | None = None
    """task generator of `curriculum.make_tasks`: bucketed, set or merge; by default each mission is a task"""
    curriculum_settings: dict[str, object] = field(default_factory=dict)
    """fields of `curriculum.LearningProgressSettings` that differ from its defaults"""

    # Scheduler
    schedule_rules: Sequence[dict[str, object]] = ()
    """courses of other fields during the run, as `schedules.Rule` writes them"""
    loss_gates: Sequence[dict[str, object]] = ()
    """when each loss takes part, as `schedules.Gate` writes it; by default always"""

    # Reports
    evaluate_every: int = 0
    """epochs between evaluations on held-out maps; 0: none"""
    evaluation_seeds: int = 20
    """episodes of an evaluation, each on a map of its own"""
    checkpoint_every: int = 200
    """epochs between checkpoints"""

    # Speed; none of these changes what is learned, beyond rounding
    precision: Precision = "auto"
    """numbers of the network; losses, optimizer and weights stay float32. auto: bfloat16 for native
    layers on a CPU that multiplies it faster, else float32"""
    compile: bool = False
    """must be false: torch.compile has no gain here"""
    cuda_graphs: bool = True
    """on a GPU, replay decisions and gradient steps as CUDA graphs, if the network allows it"""

    overrides: dict[str, object] = field(default_factory=dict, repr=False)
    """settings of the policy class, as `kw.NAME=VALUE` gives them"""

    def check(self) -> None:
        """Raise `SettingError` for a value that cannot work."""
        if self.compile:
            reason = "torch.compile made no run faster, and a compiled network cannot be recorded as a CUDA graph"
            raise SettingError("compile", f"{reason}; leave it false")
        if not self.missions:
            raise SettingError("missions", "name at least one mission")
        positive = ("total_steps", "horizon", "minibatch_size", "update_epochs", "maps", "evaluation_seeds")
        for name in (*positive, "checkpoint_every", "teacher_steps", "opponent_pool"):
            _require(name, getattr(self, name), getattr(self, name) >= 1, "at least 1")
        for name in ("parallel_envs", "batch_size", "threads", "cogs"):
            value = getattr(self, name)
            _require(name, value, value is None or value >= 1, "at least 1")
        for name in ("gamma", "gae_lambda", "prio_alpha", "prio_beta0", "beta1", "beta2", "min_lr_ratio"):
            _require(name, getattr(self, name), 0 <= getattr(self, name) <= 1, "from 0 to 1")
        for name in ("teacher_led_proportion", "student_led_proportion"):
            _require(name, getattr(self, name), 0 <= getattr(self, name) <= 1, "from 0 to 1")
        led = self.teacher_led_proportion + self.student_led_proportion
        _require("teacher_led_proportion + student_led_proportion", led, led <= 1 + 1e-9, "at most 1")
        for name in ("learning_rate", "eps", "max_grad_norm", "temperature"):
            _require(name, getattr(self, name), getattr(self, name) > 0, "above 0")
        for name in ("seed", "evaluate_every", "warmup_steps", "ent_coef", "vf_coef", "vf_clip", "reward_clip"):
            _require(name, getattr(self, name), getattr(self, name) >= 0, "0 or more")

    @classmethod
    def names(cls) -> list[str]:
        return [item.name for item in fields(cls)]


def _require(name: str, value: object, is_fine: bool, allowed: str) -> None:
    if not is_fine:
        raise SettingError(name, f"must be {allowed}, not {value}")
