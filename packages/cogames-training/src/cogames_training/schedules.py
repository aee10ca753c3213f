"""Values that change during a run: the step size, the teacher's part, and the rules and gates of a scheduler.

    scheduler = Scheduler(read_rules(args.schedule_rules), read_gates(args.loss_gates))
    for name, value in scheduler.update(epoch=3, agent_step=98_304, metrics={"overview/reward": 1.2}).items():
        setattr(args, name, value)
    if scheduler.is_active("ppo_actor", "train", epoch=3, agent_step=98_304): ...

Everything here is a function of the epoch, the agent steps and the metrics. `Scheduler.state` is JSON; a scheduler that
loads it continues exactly.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields
from typing import Any, Literal, TypeVar

from cogames_training.args import SettingError, TrainArgs

__all__ = [
    "ADJUSTABLE",
    "GATED_LOSSES",
    "Gate",
    "Phase",
    "Rule",
    "Scheduler",
    "learning_rate",
    "read_gates",
    "read_rules",
    "teacher_proportions",
    "teacher_weight",
]

Phase = Literal["rollout", "train"]

ADJUSTABLE = frozenset(
    """learning_rate weight_decay max_grad_norm gamma gae_lambda rho_clip c_clip reward_centering prio_alpha prio_beta0
    clip_coef ent_coef target_kl vf_coef vf_clip aux_coef gtd_beta teacher_led_proportion student_led_proportion
    action_loss_coef value_loss_coef temperature kickstart_coef r_lambda teacher_offpolicy_rho_clip""".split()
)
"""fields of `TrainArgs` that a rule may change during a run"""

GATED_LOSSES = frozenset(
    """ppo_actor ppo_critic sliced_scripted_cloner sliced_kickstarter kickstarter logit_kickstarter eer_kickstarter
    eer_cloner supervisor""".split()
)
"""losses that a gate may switch on and off"""

UNSCHEDULED_MODES = ("supervisor",)
SLICED_MODES = ("sliced_cloner", "sliced_cloner_no_ppo", "sliced_kickstarter")

Read = TypeVar("Read", "Rule", "Gate")


def learning_rate(args: TrainArgs, *, progress: float, gradient_step: int = 0) -> float:
    """Return the step size at `progress` (0 to 1) of the run; `gradient_step` counts from 0 and matters in the warm-up.

    The warm-up multiplies the schedule, so the two may overlap. Schedule-free optimizers do their own warm-up and have
    no schedule: they get `learning_rate` unchanged.
    """
    if args.optimizer.endswith("schedulefree"):
        return args.learning_rate
    done = min(max(progress, 0.0), 1.0)
    if args.schedule == "cosine":
        course = 0.5 * (1 + math.cos(math.pi * done))
    elif args.schedule == "linear":
        course = 1 - done
    else:
        course = 1.0
    course = course if args.schedule == "constant" else args.min_lr_ratio + (1 - args.min_lr_ratio) * course
    warm = min(1.0, (gradient_step + 1) / args.warmup_steps) if args.warmup_steps else 1.0
    return args.learning_rate * course * warm


def teacher_proportions(args: TrainArgs, agent_step: int) -> tuple[float, float]:
    """Return the parts of the rows that the teacher and the student lead now; both shrink to 0 over `teacher_steps`."""
    if args.teacher is None:
        return 0.0, 0.0
    rest = 1.0 if args.teacher_mode in UNSCHEDULED_MODES else _remaining(agent_step, args.teacher_steps)
    return args.teacher_led_proportion * rest, args.student_led_proportion * rest


def teacher_weight(args: TrainArgs, agent_step: int) -> float:
    """Return the factor of the teacher's loss coefficients, from 1 to 0; 0 means that the teacher may be disabled.

    Sliced modes keep 1 until `teacher_steps`, because their slices shrink instead. The supervisor always has 1. The
    other modes keep 1 for the first half of `teacher_steps` and fall to 0 over the second.
    """
    if args.teacher is None:
        return 0.0
    if args.teacher_mode in UNSCHEDULED_MODES:
        return 1.0
    rest = _remaining(agent_step, args.teacher_steps)
    return float(rest > 0) if args.teacher_mode in SLICED_MODES else min(1.0, 2 * rest)


def _remaining(agent_step: int, steps: int) -> float:
    return max(0.0, 1 - agent_step / steps)


@dataclass(frozen=True)
class Rule:
    """A course for one field of `TrainArgs`, between two epochs or two counts of agent steps.

    With mode `progress` the value follows the position in that window. With mode `metric` it follows the metric: `min`
    of the metric gives `start_value` and `max` gives `end_value`; the window only limits when the rule applies. After
    the window the value stays as it is.
    """

    field: str
    """field of `TrainArgs`"""
    start_value: float
    """value at the start of the window, or where the metric is `min`"""
    end_value: float
    """value at the end of the window, or where the metric is `max`"""
    mode: Literal["progress", "metric"] = "progress"
    """follow the position in the window, or a metric"""
    style: Literal["linear", "cosine", "sawtooth"] = "linear"
    """course between the values; `sawtooth` is linear and starts again after each `cycle_length`"""
    start_agent_step: int | None = None
    """agent step at which the rule begins"""
    end_agent_step: int | None = None
    """agent step at which the rule ends"""
    start_epoch: int | None = None
    """epoch at which the rule begins"""
    end_epoch: int | None = None
    """epoch at which the rule ends"""
    cycle_length: int | None = None
    """sawtooth: agent steps or epochs, as in the window, of one tooth; by default the whole window"""
    metric_key: str | None = None
    """metric: name of the metric, as the log has it"""
    ema_beta: float = 0.0
    """metric: part of the old value that its running mean keeps; 0 takes each value as it is"""
    min: float | None = None
    """metric: value of the metric that gives `start_value`"""
    max: float | None = None
    """metric: value of the metric that gives `end_value`"""

    def check(self) -> None:
        """Raise `SettingError` for a rule that cannot work."""
        if self.field not in ADJUSTABLE:
            allowed = ", ".join(sorted(ADJUSTABLE))
            raise SettingError(f"scheduler rule for {self.field}", f"cannot change during a run; these can: {allowed}")
        by_epoch = self.start_epoch is not None or self.end_epoch is not None
        by_step = self.start_agent_step is not None or self.end_agent_step is not None
        if by_epoch and by_step:
            raise self._error("give its start and end in agent steps or in epochs, not both")
        begin, end = self._window()
        if end is not None and end <= begin:
            raise self._error(f"must end after it starts, not at {end} after {begin}")
        if self.mode == "progress" and end is None:
            raise self._error("needs end_agent_step or end_epoch")
        if self.mode == "metric" and self.metric_key is None:
            raise self._error("needs metric_key")
        if self.mode == "metric" and (self.min is None or self.max is None or self.min >= self.max):
            raise self._error("needs min and max, the range of the metric, with min below max")
        if not 0 <= self.ema_beta < 1:
            raise self._error(f"ema_beta must be from 0 to below 1, not {self.ema_beta}")
        if self.cycle_length is not None and (self.cycle_length < 1 or self.style != "sawtooth"):
            raise self._error("cycle_length must be at least 1 and needs style sawtooth")
        if self.style == "sawtooth" and self.mode == "metric":
            raise self._error("style sawtooth needs mode progress")

    def has_begun(self, epoch: int, agent_step: int) -> bool:
        return self._position(epoch, agent_step) >= self._window()[0]

    def has_ended(self, epoch: int, agent_step: int) -> bool:
        end = self._window()[1]
        return end is not None and self._position(epoch, agent_step) >= end

    def value(self, epoch: int, agent_step: int, metric: float | None) -> float | None:
        """Return the value now; None for a metric that has not been logged yet."""
        if self.mode == "metric":
            if metric is None or self.min is None or self.max is None:
                return None
            done = (metric - self.min) / (self.max - self.min)
        else:
            begin, end = self._window()
            position = min(self._position(epoch, agent_step), end) if end is not None else begin
            done = self._progress(position - begin, (end or begin) - begin)
        done = min(max(done, 0.0), 1.0)
        if self.style == "cosine":
            done = 0.5 * (1 - math.cos(math.pi * done))
        return self.start_value + (self.end_value - self.start_value) * done

    def _progress(self, elapsed: int, length: int) -> float:
        if self.style != "sawtooth" or self.cycle_length is None:
            return elapsed / length
        in_cycle = elapsed % self.cycle_length
        return 1.0 if elapsed == length and in_cycle == 0 else in_cycle / self.cycle_length

    def _window(self) -> tuple[int, int | None]:
        if self.start_epoch is not None or self.end_epoch is not None:
            return self.start_epoch or 0, self.end_epoch
        return self.start_agent_step or 0, self.end_agent_step

    def _position(self, epoch: int, agent_step: int) -> int:
        return epoch if self.start_epoch is not None or self.end_epoch is not None else agent_step

    def _error(self, message: str) -> SettingError:
        return SettingError(f"scheduler rule for {self.field}", message)


@dataclass(frozen=True)
class Gate:
    """When a loss takes part. It must be inside all limits that are set; a loss with several gates needs only one."""

    loss: str
    """name of the loss, as in `trainer.losses`"""
    phase: Phase = "train"
    """switch its part of the rollout, or of the update"""
    begin_step: int | None = None
    """first agent step"""
    end_step: int | None = None
    """first agent step at which it is off again"""
    begin_epoch: int | None = None
    """first epoch"""
    end_epoch: int | None = None
    """first epoch at which it is off again"""
    cycle_length: int | None = None
    """epochs of a cycle"""
    active_in_cycle: Sequence[int] | None = None
    """epochs of the cycle in which the loss is on; the first is 1"""

    def check(self) -> None:
        """Raise `SettingError` for a gate that cannot work."""
        name = f"run gate of {self.loss}"
        if self.loss not in GATED_LOSSES:
            raise SettingError(name, f"is not a loss of this trainer; these are: {', '.join(sorted(GATED_LOSSES))}")
        if (self.cycle_length is None) != (self.active_in_cycle is None):
            raise SettingError(name, "needs both cycle_length and active_in_cycle, or neither")
        cycle = self.cycle_length or 0
        if self.active_in_cycle is not None and not all(1 <= epoch <= cycle for epoch in self.active_in_cycle):
            raise SettingError(name, f"active_in_cycle must be from 1 to cycle_length ({cycle})")

    def is_open(self, epoch: int, agent_step: int) -> bool:
        after = agent_step >= (self.begin_step or 0) and epoch >= (self.begin_epoch or 0)
        before = (self.end_step is None or agent_step < self.end_step) and (
            self.end_epoch is None or epoch < self.end_epoch
        )
        if self.cycle_length is None or self.active_in_cycle is None:
            return after and before
        return after and before and epoch % self.cycle_length + 1 in self.active_in_cycle


class Scheduler:
    """Rules and gates of a run. `update` once per epoch; `is_active` at any time."""

    def __init__(self, rules: Sequence[Rule] = (), gates: Sequence[Gate] = ()) -> None:
        for rule in rules:
            rule.check()
        for gate in gates:
            gate.check()
        self.rules = tuple(rules)
        self.gates = tuple(gates)
        self._means: list[float | None] = [None] * len(rules)
        self._ended = [False] * len(rules)
        self._values: dict[str, float] = {}

    @property
    def values(self) -> dict[str, float]:
        """The last value of each field that a rule has changed so far."""
        return dict(self._values)

    def update(self, *, epoch: int, agent_step: int, metrics: Mapping[str, float]) -> dict[str, float]:
        """Apply the rules and return `values`. A rule's last value, the one at its end, stays; later rules win."""
        for number, rule in enumerate(self.rules):
            if self._ended[number] or not rule.has_begun(epoch, agent_step):
                continue
            self._ended[number] = rule.has_ended(epoch, agent_step)
            if rule.mode == "metric" and self._ended[number]:
                continue
            value = rule.value(epoch, agent_step, self._mean(number, metrics))
            if value is not None:
                self._values[rule.field] = value
        return self.values

    def is_active(self, loss: str, phase: Phase, *, epoch: int, agent_step: int) -> bool:
        """Return whether a loss takes part: a loss without gates always does."""
        gates = [gate for gate in self.gates if gate.loss == loss and gate.phase == phase]
        return not gates or any(gate.is_open(epoch, agent_step) for gate in gates)

    def state(self) -> dict[str, Any]:
        """Return the state as JSON values."""
        return {"means": list(self._means), "ended": list(self._ended), "values": self.values}

    def load_state(self, state: Mapping[str, Any]) -> None:
        """Continue from `state`; raise `SettingError` when it belongs to another number of rules."""
        if len(state["means"]) != len(self.rules):
            raise SettingError(
                "scheduler", f"the run was saved with {len(state['means'])} rules, not {len(self.rules)}"
            )
        self._means, self._ended = list(state["means"]), list(state["ended"])
        self._values = dict(state["values"])

    def _mean(self, number: int, metrics: Mapping[str, float]) -> float | None:
        rule, old = self.rules[number], self._means[number]
        new = metrics.get(rule.metric_key) if rule.metric_key is not None else None
        if new is not None and math.isfinite(new):
            self._means[number] = new if old is None else rule.ema_beta * old + (1 - rule.ema_beta) * new
        return self._means[number]


def read_rules(documents: Sequence[Mapping[str, Any]]) -> list[Rule]:
    """Return the rules of `TrainArgs.schedule_rules`; raise `SettingError` for unknown keys."""
    return [_read(Rule, document) for document in documents]


def read_gates(documents: Sequence[Mapping[str, Any]]) -> list[Gate]:
    """Return the gates of `TrainArgs.loss_gates`; raise `SettingError` for unknown keys."""
    return [_read(Gate, document) for document in documents]


def _read(kind: type[Read], document: Mapping[str, Any]) -> Read:
    names = [item.name for item in fields(kind)]
    unknown = [name for name in document if name not in names]
    if unknown:
        raise SettingError(f"scheduler: {unknown[0]}", f"is not a key of a {kind.__name__.lower()}: {', '.join(names)}")
    try:
        read = kind(**document)
    except TypeError as error:
        raise SettingError("scheduler", str(error)) from None
    read.check()
    return read
