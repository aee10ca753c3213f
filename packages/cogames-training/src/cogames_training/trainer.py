"""The training loop: collect steps, compute advantages, learn from minibatches, report, save."""

from __future__ import annotations

import math
import time
import warnings
from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import torch
from torch import nn

from cogames_training import losses, schedules
from cogames_training.actor import Actor, is_native
from cogames_training.advantages import advantages
from cogames_training.args import SettingError, TrainArgs
from cogames_training.curriculum import Curriculum
from cogames_training.distributed import ONE_PROCESS, Processes
from cogames_training.engines import Engine, make_worlds
from cogames_training.experience import Experience, Kind
from cogames_training.finite import FiniteCheck
from cogames_training.opponents import Opponent, Opponents, WeightPool
from cogames_training.optimizers import ScheduleFree, make_optimizer
from cogames_training.recording import Recording, kept_experience
from cogames_training.reports.epoch import EpochReport
from cogames_training.rollout import Part, Rollout
from cogames_training.seeing import Sight, SightMaker
from cogames_training.sizes import Sizes
from cogames_training.statistics import episode_means
from cogames_training.teaching import PolicyMaker, Teacher, draw_kinds
from cogames_training.worlds import WorldSettings
from mettagrid.policy._cpu_kernels import has_bfloat16, has_fast_bfloat16, kernel_settings

__all__ = ["NotFinite", "Trainer"]

RANK_SEEDS = 0x9E3779B97F4A7C15  # far apart, so that processes of runs with similar seeds draw differently
UNRECORDED = ("learning_rate", "prio_beta0", "teacher_led_proportion", "student_led_proportion", "reward_centering")
"""settings that may change without recording the gradient step again"""
IS_SEEN_AS_TEACHING = ("sliced_cloner", "sliced_cloner_no_ppo", "supervisor", "sliced_kickstarter")


class NotFinite(RuntimeError):
    """A weight, gradient or loss became NaN or infinite; `batch` has the steps that did it, one row per segment."""

    def __init__(self, what: str, batch: dict[str, torch.Tensor]) -> None:
        super().__init__(f"Training stopped: {what} is not a finite number")
        self.batch = batch


@dataclass
class _Sums:
    """Means over the minibatches of an epoch; kept on the device so that nothing waits for it."""

    totals: dict[str, torch.Tensor] = field(default_factory=dict)
    counts: dict[str, int] = field(default_factory=lambda: defaultdict(int))

    def add(self, **values: torch.Tensor) -> None:
        for name, value in values.items():
            if name not in self.totals:
                self.totals[name] = torch.zeros_like(value.detach())
            self.totals[name] += value.detach()
            self.counts[name] += 1

    def clear(self) -> None:
        """Start again, in the same tensors: a recorded step adds to them."""
        for total in self.totals.values():
            total.zero_()
        self.counts.clear()

    def means(self) -> dict[str, float]:
        return {name: float(total) / self.counts[name] for name, total in self.totals.items() if self.counts[name]}


class Trainer:
    """Trains one network. `train` yields a report after each epoch; between two of them the run can be saved."""

    def __init__(
        self,
        args: TrainArgs,
        sizes: Sizes,
        network: nn.Module,
        curriculum: Callable[[int], Curriculum],
        *,
        is_recurrent: bool,
        action_names: list[str],
        device: torch.device,
        engine: Engine = "cpu",
        make_teacher: PolicyMaker | None = None,
        teacher_network: tuple[nn.Module, bool] | None = None,
        make_sight: SightMaker = lambda worlds, make_array: Sight(worlds),
        opponents: Sequence[Opponent] = (),
        processes: Processes = ONE_PROCESS,
    ) -> None:
        """`curriculum(part)` makes the curriculum of a part. `teacher_network` is (network, is recurrent)."""
        self.args, self.sizes, self.network, self.device = args, sizes, network, device
        self.processes = processes
        processes.copy_weights(network)
        self.optimizer = make_optimizer(network, args)
        self.scheduler = schedules.Scheduler(
            schedules.read_rules(args.schedule_rules), schedules.read_gates(args.loss_gates)
        )
        self.generator = torch.Generator(device).manual_seed((args.seed + processes.rank * RANK_SEEDS) % 2**63)
        self.draws = np.random.default_rng((args.seed, 0x7EAC, processes.rank))
        self.epoch = self.agent_steps = self.gradient_steps = 0
        self.uptime = 0.0
        self._center: torch.Tensor | None = None  # running mean of each row's rewards
        self._metrics: dict[str, float] = {}

        total = sizes.worlds * processes.size
        settings = WorldSettings(args.seed, args.map_seed, args.maps, total, sizes.threads)
        pinned = device.type == "cuda"

        def make_array(name: str, shape: tuple[int, ...], dtype: Any) -> np.ndarray:
            array = np.zeros(shape, dtype)
            return torch.from_numpy(array).pin_memory().numpy() if pinned else array

        noop = action_names.index("noop") if "noop" in action_names else 0
        # Native layers on the CPU round their factors themselves; everything else needs PyTorch's autocast.
        wants = {"auto": has_fast_bfloat16(), "float32": False, "bfloat16": has_bfloat16()}[args.precision]
        self._rounds = wants and is_native(network)
        autocast = args.precision == "bfloat16" and not self._rounds
        self._pool: WeightPool | None = None
        first = sizes.worlds * processes.rank
        bounds = [first + sizes.worlds * part // sizes.parts for part in range(sizes.parts + 1)]
        parts, row = [], 0
        for number in range(sizes.parts):
            numbers = range(bounds[number], bounds[number + 1])
            worlds = make_worlds(
                engine, args.engine, curriculum(number), numbers, settings, make_array=make_array, tell=warnings.warn
            )
            teacher = None if make_teacher is None else Teacher(worlds, make_teacher, threads=sizes.threads)
            executor = ThreadPoolExecutor(1, f"worlds {number}") if sizes.parts > 1 else None
            sight = make_sight(worlds, make_array=make_array)
            tokens = worlds.observations.shape[1]

            def make_actor(own: nn.Module, remembers: bool = is_recurrent, tokens: int = tokens) -> Actor:
                return Actor(own, is_recurrent=remembers, tokens=tokens, bfloat16=autocast)

            others = None
            if opponents:
                if self._pool is None:
                    self._pool = WeightPool(network, size=args.opponent_pool, make_actor=make_actor)
                    self._pool.add(self.weights())
                others = Opponents(
                    worlds,
                    opponents,
                    self._pool,
                    make_actor=make_actor,
                    num_actions=len(action_names),
                    noop=noop,
                    seed=args.seed,
                    threads=sizes.threads,
                )
            rows = slice(row, row + worlds.rows)
            parts.append(Part(worlds, rows, teacher, sight=sight, opponents=others, executor=executor))
            row += worlds.rows
        self.actor = make_actor(network)
        self._is_native = self.actor.is_native
        teacher_actor = None if teacher_network is None else make_actor(*teacher_network)
        records = args.cuda_graphs and device.type == "cuda" and bool(getattr(network, "is_recordable", False))
        self.rollout = Rollout(
            parts,
            self.actor,
            horizon=sizes.horizon,
            num_actions=len(action_names),
            noop=noop,
            generator=self.generator,
            teacher_actor=teacher_actor,
            cuda_graphs=records,
        )
        self._has_teacher = make_teacher is not None or teacher_actor is not None
        self._sums = _Sums()
        self._recording: Recording | None = None
        self._kept: Experience | None = None
        is_simple = processes.size == 1 and self._pool is None and args.target_kl is None
        if records and is_simple and args.optimizer in ("adam", "adamw"):
            self._recording = Recording(self.generator)
            self._beta = torch.zeros((), device=device)
            self._all_finite = torch.ones((), dtype=torch.bool, device=device)
            self._recorded_rows = torch.zeros(sizes.segments, dtype=torch.int64, device=device)

    def train(self) -> Iterator[EpochReport]:
        while self.agent_steps < self.args.total_steps:
            with self._threads():
                report = self.train_epoch()
            yield report

    def train_epoch(self) -> EpochReport:
        args, sizes, started = self.args, self.sizes, time.perf_counter()
        updates = self.scheduler.update(epoch=self.epoch, agent_step=self.agent_steps, metrics=self._metrics)
        for name, value in updates.items():
            setattr(args, name, value)

        # Collect
        teacher_led, student_led = self._proportions()
        kinds = draw_kinds(self.draws, sizes.rows, teacher_led=teacher_led, student_led=student_led)
        self.actor.set_training(False)
        experience = self.rollout.collect(kinds)
        self._adjust_rewards(experience)
        checks = [FiniteCheck.of_rollout(experience)]
        episodes = self.rollout.take_episodes()
        seconds = self.rollout.take_seconds()

        # Learn
        self.actor.set_training(True)
        sums = self._sums
        sums.clear()
        progress = self.agent_steps / args.total_steps
        learning = time.perf_counter()
        if self._recording is not None:
            experience = self._kept = kept_experience(self._kept, experience)
        if self._can_replay(experience, progress):
            rate, check = self._replay(experience, progress)
            checks.append(check)
        else:
            for segments, importance in self._minibatches(experience, progress, seconds):
                rate = self._set_rate(progress)
                check = FiniteCheck.of_minibatch(experience, segments)
                kl = self._learn(experience, segments, importance, sums, seconds)
                checks.append(check.closed(self._is_finite))
                self.gradient_steps += 1
                if args.target_kl is not None and float(self.processes.sum(kl)) / self.processes.size > args.target_kl:
                    break
        self._check_finite(checks)  # waits until the device has finished the gradient steps
        seconds["learn"] += time.perf_counter() - learning - seconds["advantage"] - seconds["train_forward"]

        # Report
        counted = int(experience.weights.sum())
        numbers = sums.means() | {"explained_variance": _explained(experience)}
        shared = self.processes.gather((counted, numbers, episodes, np.bincount(kinds, minlength=3)))
        epoch_steps = sum(process[0] for process in shared)
        episodes = [episode for process in shared for episode in process[2]]
        counts = np.sum([process[3] for process in shared], axis=0)
        self.epoch += 1
        self.agent_steps += epoch_steps
        took = time.perf_counter() - started
        self.uptime += took
        report = EpochReport(
            epoch=self.epoch,
            agent_steps=self.agent_steps,
            total_steps=args.total_steps,
            seconds=took,
            uptime=self.uptime,
            phases=self._phases(seconds, took),
            losses={name: sum(process[1][name] for process in shared) / len(shared) for name in numbers},
            episode=episode_means(episodes, self.rollout.parts[0].worlds.tasks),
            episodes=len(episodes),
            learning_rate=rate,
            hyperparameters={name: float(getattr(args, name)) for name in ("ent_coef", "clip_coef", "gamma")}
            | {"teacher_led_proportion": teacher_led, "student_led_proportion": student_led},
            experience={f"{kind.name.lower()}_segments": int(counts[kind]) for kind in Kind},
            epoch_steps=epoch_steps,
        )
        if self._pool is not None and self.epoch % args.checkpoint_every == 0:
            self._pool.add(self.weights())
        self._metrics = {f"losses/{name}": value for name, value in report.losses.items()} | report.episode
        return report

    # The parts of an epoch

    def _threads(self) -> AbstractContextManager[None]:
        """Share the native layers of a network between threads, and nothing else."""
        if not self._is_native:
            return nullcontext()
        return kernel_settings(torch.get_num_threads(), bfloat16=self._rounds)

    def _proportions(self) -> tuple[float, float]:
        """Return the parts of the rows that the teacher and the student lead in the next rollout."""
        if not self._has_teacher or self.args.teacher_mode not in IS_SEEN_AS_TEACHING:
            return 0.0, 0.0
        if self.args.teacher_mode == "supervisor":  # the student learns the teacher's actions everywhere
            return self.args.teacher_led_proportion, 1 - self.args.teacher_led_proportion
        return schedules.teacher_proportions(self.args, self.agent_steps)

    def _adjust_rewards(self, experience: Experience) -> None:
        """Cut, centre and add to the rewards, as the settings say."""
        args, rewards = self.args, experience.steps.rewards
        if args.reward_clip > 0:
            rewards.clamp_(-args.reward_clip, args.reward_clip)
        if args.teacher_mode in ("eer_kickstarter", "eer_cloner") and self._has_teacher:
            weight = args.r_lambda * schedules.teacher_weight(args, self.agent_steps)
            if experience.teacher_logits is not None:
                log_probs = experience.teacher_logits.log_softmax(-1)
                likelihood = log_probs.gather(-1, experience.actions[..., :1])[..., 0].clamp(min=math.log(0.01))
            else:
                agrees = (experience.actions == experience.labels).all(-1).float()
                likelihood = agrees.clamp(min=0.01).log()
            rewards.add_(weight * likelihood)
        if args.reward_centering > 0:
            mean = torch.zeros(len(rewards), device=rewards.device) if self._center is None else self._center
            for step in range(rewards.shape[1]):
                counts = experience.weights[:, step]  # not those of opponents
                mean = mean + args.reward_centering * (rewards[:, step] - mean) * counts
                rewards[:, step] -= mean
            self._center = mean

    def _minibatches(
        self, experience: Experience, progress: float, seconds: dict[str, float]
    ) -> Iterator[tuple[torch.Tensor, torch.Tensor]]:
        """Yield the rows of each minibatch and their weights; each draw uses fresh advantages."""
        args, sizes = self.args, self.sizes
        rows, minibatches = torch.arange(sizes.rows, device=self.device), sizes.minibatches
        if self._pool is not None:  # rows of opponents have no step to learn from
            rows = torch.nonzero(experience.weights.any(1))[:, 0]
            minibatches = max(self.processes.gather(math.ceil(len(rows) / sizes.segments)))
        if args.sampling == "sequential":
            for number in range(minibatches * args.update_epochs):
                first = number % minibatches * sizes.segments
                if first >= len(rows):  # another process has more rows
                    first = 0
                part = rows[first : first + sizes.segments]
                yield part, torch.ones(len(part), device=self.device)
            return
        for _ in range(minibatches * args.update_epochs):
            started = time.perf_counter()
            drawn = self._draw(experience, rows, self._correction(progress))
            seconds["advantage"] += time.perf_counter() - started
            yield drawn

    def _correction(self, progress: float) -> float:
        """Return how much of the bias of prioritized draws is corrected now."""
        return self.args.prio_beta0 + (1 - self.args.prio_beta0) * self.args.prio_alpha * progress

    def _draw(
        self, experience: Experience, rows: torch.Tensor, beta: float | torch.Tensor
    ) -> tuple[torch.Tensor, torch.Tensor]:
        """Draw rows by the size of their advantages; return them and their weights."""
        # Where nothing is learned from rewards, advantages say nothing about a row.
        size = self._advantages(experience).abs().mul_(experience.weights).sum(1).nan_to_num(0.0, 0.0)
        size = torch.where(experience.kinds == Kind.PPO, size, size.mean())
        weight = size[rows] ** self.args.prio_alpha
        chances = (weight + 1e-6) / (weight.sum() + 1e-6)
        drawn = torch.multinomial(chances, min(self.sizes.segments, len(rows)), generator=self.generator)
        return rows[drawn], (len(rows) * chances[drawn]) ** -beta

    def _set_rate(self, progress: float) -> float:
        """Give the optimizer its step size, and return it."""
        rate = schedules.learning_rate(self.args, progress=progress, gradient_step=self.gradient_steps)
        for group in self.optimizer.param_groups:
            if isinstance(group["lr"], torch.Tensor):
                group["lr"].fill_(rate)
            else:
                group["lr"] = rate
        return rate

    # Learning as a CUDA graph

    def _can_replay(self, experience: Experience, progress: float) -> bool:
        """Record the gradient step if it is like the last epoch's; return whether it can be replayed."""
        if self._recording is None:
            return False
        args = self.args
        taught = schedules.teacher_weight(args, self.agent_steps) if self._has_teacher else 0.0
        active = tuple(self._is_active(loss) for loss in ("ppo_actor", "ppo_critic"))
        settings = tuple(getattr(args, name) for name in sorted(schedules.ADJUSTABLE) if name not in UNRECORDED)
        counts = dict(self._sums.counts)
        fits = self._recording.prepare(
            (experience.observations.data_ptr(), settings, taught, active), lambda: self._recorded_step(experience)
        )
        self._sums.counts.clear()
        self._sums.counts.update(counts)
        return fits

    def _recorded_step(self, experience: Experience) -> None:
        if self.args.sampling == "prioritized":
            everything = torch.arange(self.sizes.rows, device=self.device)
            rows, importance = self._draw(experience, everything, self._beta)
            self._recorded_rows.copy_(rows)
        else:
            rows = self._recorded_rows
            importance = torch.ones(len(rows), device=self.device)
        self._learn(experience, rows, importance, self._sums, defaultdict(float))
        self._all_finite.logical_and_(self._is_finite)

    def _replay(self, experience: Experience, progress: float) -> tuple[float, FiniteCheck]:
        """Take all gradient steps of the epoch; return the last step size and whether all numbers were finite."""
        assert self._recording is not None
        self._beta.fill_(self._correction(progress))
        self._all_finite.fill_(True)
        steps = self.sizes.minibatches * self.args.update_epochs
        for number in range(steps):
            rate = self._set_rate(progress)
            if self.args.sampling == "sequential":
                first = number % self.sizes.minibatches * self.sizes.segments
                wrapped = torch.arange(first, first + self.sizes.segments, device=self.device) % self.sizes.rows
                self._recorded_rows.copy_(wrapped)
            self._recording.replay()
            self.gradient_steps += 1
        for name in self._sums.totals:
            self._sums.counts[name] = steps
        return rate, FiniteCheck.of_minibatch(experience, self._recorded_rows.clone()).closed(self._all_finite)

    def _advantages(self, experience: Experience, rows: torch.Tensor | None = None) -> torch.Tensor:
        values, steps, ratio = experience.values, experience.steps, experience.ratio
        if rows is not None:
            values, steps, ratio = values[rows], steps[rows], ratio[rows]
        clips = {"rho_clip": self.args.rho_clip, "c_clip": self.args.c_clip}
        return advantages(values, steps, ratio, gamma=self.args.gamma, gae_lambda=self.args.gae_lambda, **clips)

    def _learn(
        self,
        experience: Experience,
        rows: torch.Tensor,
        importance: torch.Tensor,
        sums: _Sums,
        seconds: dict[str, float],
    ) -> torch.Tensor:
        """Take one gradient step on some rows; returns how far the policy has moved."""
        args = self.args
        started = time.perf_counter()
        state = {name: tensor[rows] for name, tensor in experience.state.items()}
        heads = self.actor.unroll(experience.observations.index_select(0, rows), state, experience.resets[rows])
        seconds["train_forward"] += time.perf_counter() - started

        shape = (len(rows), experience.horizon)
        actions = experience.actions[rows].flatten(0, 1)
        if heads.vibes is None:
            actions = torch.stack([actions[:, 0], torch.zeros_like(actions[:, 1])], -1)
        log_probs, values = heads.log_probs(actions).reshape(shape), heads.values.reshape(shape)
        kinds, weights = experience.kinds[rows][:, None], experience.weights[rows]
        old_values, steps = experience.values[rows], experience.steps[rows]
        with torch.no_grad():
            ratio = (log_probs - experience.log_probs[rows]).clamp(-10, 10).exp()

        # Advantages: of the values when the steps were taken, or with gradients through the new ones
        learns = weights * (kinds == Kind.PPO)
        if args.critic_update == "gtd_lambda":
            is_led = kinds == Kind.TEACHER_LED
            rho = torch.where(is_led, ratio.clamp(max=args.teacher_offpolicy_rho_clip), 1.0)
            both = torch.cat([values, old_values[:, -1:]], 1)
            differences = advantages(both, steps, rho, gamma=args.gamma, gae_lambda=args.gae_lambda)
            found = differences.detach()
        else:
            found = self._advantages(experience, rows)

        # Actor
        scaled = importance[:, None] * (_normalized(found, learns, self.processes) if args.norm_adv else found)
        actor = losses.actor_loss(log_probs, experience.log_probs[rows], scaled, learns, clip_coef=args.clip_coef)
        entropy = losses.mean_over(heads.entropy().reshape(shape), weights)
        policy_weight = float(args.ppo_actor and self._is_active("ppo_actor"))
        loss = policy_weight * actor.loss - args.ent_coef * entropy

        # Critic
        vf_coef = args.vf_coef * self._is_active("ppo_critic")
        if args.critic_update == "gtd_lambda":
            assert heads.auxiliary is not None
            auxiliary = heads.auxiliary.reshape(shape)
            head: Any = self.network.h_value
            value_loss, aux_loss = losses.gradient_critic_loss(
                values, auxiliary, differences, weights, list(head.parameters()), beta=args.gtd_beta
            )
            loss = loss + vf_coef * value_loss + args.aux_coef * aux_loss
        else:
            returns = found + old_values[:, :-1]
            value_loss = losses.squared_critic_loss(values, old_values[:, :-1], returns, weights, vf_clip=args.vf_clip)
            loss = loss + vf_coef * value_loss

        # Teacher
        if self._has_teacher:
            loss = loss + self._teacher_loss(experience, rows, heads, values, weights, kinds, sums)

        self.optimizer.zero_grad(set_to_none=True)
        loss.backward()
        self.processes.average_gradients(self.network.parameters(), weights.sum())
        norm = nn.utils.clip_grad_norm_(self.network.parameters(), args.max_grad_norm)
        self._is_finite = torch.isfinite(norm) & torch.isfinite(loss)
        self.optimizer.step()

        experience.values[rows, :-1] = values.detach()
        experience.ratio[rows] = ratio
        sums.add(
            policy_loss=actor.loss,
            value_loss=value_loss,
            entropy=entropy,
            approx_kl=actor.approx_kl,
            old_approx_kl=actor.old_approx_kl,
            clipfrac=actor.clipped,
            importance=losses.mean_over(ratio, learns),
            grad_norm=norm,
        )
        return actor.approx_kl

    def _teacher_loss(
        self,
        experience: Experience,
        rows: torch.Tensor,
        heads: Any,
        values: torch.Tensor,
        weights: torch.Tensor,
        kinds: torch.Tensor,
        sums: _Sums,
    ) -> torch.Tensor:
        """Return the loss on the teacher's actions, or on a teacher network's probabilities and values."""
        args, mode = self.args, self.args.teacher_mode
        part = schedules.teacher_weight(args, self.agent_steps)
        if part == 0 or mode in ("eer_kickstarter", "eer_cloner"):
            return torch.zeros((), device=self.device)
        taught = weights * (kinds != Kind.PPO) if mode in IS_SEEN_AS_TEACHING else weights
        if mode in ("kickstarter", "logit_kickstarter", "sliced_kickstarter") and experience.teacher_logits is not None:
            logits = experience.teacher_logits[rows].flatten(0, 1)
            divergence = losses.kickstarting_loss(heads.logits, logits, taught.flatten(), temperature=args.temperature)
            assert experience.teacher_values is not None
            error = losses.mean_over((values - experience.teacher_values[rows]) ** 2, taught)
            sums.add(kickstarting_loss=divergence, teacher_value_loss=error)
            return part * (args.kickstart_coef * divergence + args.value_loss_coef * 0.5 * error)
        labels = experience.labels[rows]
        is_known = (labels >= 0).all(-1)
        if heads.vibes is None:
            is_known = is_known & (labels[..., 1] == 0)
        counted = taught * is_known
        log_probs = heads.log_probs(labels.clamp(min=0).flatten(0, 1)).reshape(counted.shape)
        loss = losses.cloning_loss(log_probs, counted)
        with torch.no_grad():
            agreement = losses.mean_over(
                (heads.logits.argmax(-1).reshape(counted.shape) == labels[..., 0]).float(), counted
            )
        sums.add(cloning_loss=loss, teacher_agreement=agreement)
        coefficient = args.kickstart_coef if mode == "kickstarter" else args.action_loss_coef
        return part * coefficient * loss

    def _is_active(self, loss: str) -> bool:
        return self.scheduler.is_active(loss, "train", epoch=self.epoch, agent_step=self.agent_steps)

    def _check_finite(self, checks: list[FiniteCheck]) -> None:
        """Raise `NotFinite` if a number of the rollout, a loss, gradient or weight of the epoch was not finite."""
        own = torch.stack([check.is_finite for check in checks]).tolist()  # waits for the device once per epoch
        for check, *flags in zip(checks, *self.processes.gather(own), strict=True):
            if False in flags:  # all processes stop, with the steps of the first one that failed
                raise NotFinite(check.what, self.processes.gather(check.batch(self.args))[flags.index(False)])
        for name, parameter in self.network.named_parameters():
            if not math.isfinite(float(parameter.detach().sum(dtype=torch.float64))):  # one such number makes it so
                raise NotFinite(f"a weight of {name}", checks[-1].batch(self.args))

    def _phases(self, seconds: dict[str, float], took: float) -> dict[str, float]:
        """Return where the time of the epoch went; waiting for the worlds counts as theirs."""
        seconds = dict(seconds)
        waited = seconds.pop("wait", 0.0)
        if self.sizes.parts > 1:  # the parts' own time overlaps with the network's
            busy = max(1e-9, seconds.get("env", 0.0) + seconds.get("teacher", 0.0))
            teacher = waited * seconds.get("teacher", 0.0) / busy
            seconds["env"], seconds["teacher"] = waited - teacher, teacher
        seconds["other"] = max(0.0, took - sum(seconds.values()))
        return seconds

    # Stop and resume

    def weights(self) -> dict[str, torch.Tensor]:
        """Return the weights to keep and to play with, on the CPU."""
        kept = {name: tensor.detach().cpu().clone() for name, tensor in self.network.state_dict().items()}
        if isinstance(self.optimizer, ScheduleFree):
            for name, parameter in self.network.named_parameters():
                kept[name] = self.optimizer.mean_of(parameter).detach().cpu()
        return kept

    def state(self) -> dict[str, Any]:
        """Return everything that `load_state` needs beside the weights to continue exactly.

        All processes call it together; the result has the state of each.
        """
        first, *others = self.processes.gather(self._own_state())
        is_mean = isinstance(self.optimizer, ScheduleFree)  # then `weights` are not those that training continues with
        own = {name: tensor.detach().cpu().clone() for name, tensor in self.network.state_dict().items() if is_mean}
        return {
            "network": own,
            "optimizer_state_dict": self.optimizer.state_dict(),
            "global_step": self.agent_steps,
            "agent_step": self.agent_steps,
            "update": self.epoch,
            "gradient_steps": self.gradient_steps,
            "uptime": self.uptime,
            "metrics": self._metrics,
            "scheduler": self.scheduler.state(),
            "opponent_pool": None if self._pool is None else self._pool.state(),
            **first,
            "other_processes": others,
        }

    def _own_state(self) -> dict[str, Any]:
        """Return the state that differs between the processes of a run."""
        return {
            "generator": self.generator.get_state(),
            "draws": self.draws.bit_generator.state,
            "center": None if self._center is None else self._center.cpu(),
            "parts": [
                {
                    "worlds": _as_tensors(part.worlds.state()),
                    "memory": {name: tensor.cpu().clone() for name, tensor in part.state.items()},
                    "teacher_memory": {name: tensor.cpu().clone() for name, tensor in teacher_state.items()},
                    "resets": torch.from_numpy(part.resets.copy()),
                    "curriculum": part.worlds.curriculum.state(),
                    "opponents": None if part.opponents is None else part.opponents.state(),
                }
                for part, teacher_state in zip(self.rollout.parts, self.rollout.teacher_states(), strict=True)
            ],
        }

    def load_state(self, state: dict[str, Any], weights: dict[str, torch.Tensor]) -> None:
        """Continue from `state` and `weights`, in a trainer made with the same settings that has not trained yet.

        Raises `SettingError` for the state of another number of processes.
        """
        others = state.get("other_processes", [])
        if 1 + len(others) != self.processes.size:
            raise SettingError(
                "processes", f"the run has {1 + len(others)}, not {self.processes.size}; start the same number"
            )
        own = [state, *others][self.processes.rank]
        self.network.load_state_dict(state["network"] or weights)
        self.optimizer.load_state_dict(state["optimizer_state_dict"])
        self.agent_steps, self.epoch = state["agent_step"], state["update"]
        self.gradient_steps, self.uptime = state["gradient_steps"], state["uptime"]
        self.generator.set_state(own["generator"])
        self.draws.bit_generator.state = own["draws"]
        self._center = None if own["center"] is None else own["center"].to(self.device)
        self._metrics = state["metrics"]
        self.scheduler.load_state(state["scheduler"])
        if self._pool is not None:
            self._pool.load_state(state["opponent_pool"])
        taught = self.rollout.teacher_states()
        for part, teacher_state, saved in zip(self.rollout.parts, taught, own["parts"], strict=True):
            part.worlds.curriculum.load_state(saved["curriculum"])
            part.worlds.restore(_as_arrays(saved["worlds"]), part.watch)
            for name, tensor in saved["memory"].items():
                part.state[name].copy_(tensor)
            for name, tensor in saved["teacher_memory"].items():
                if (
                    name in teacher_state and teacher_state[name].shape == tensor.shape
                ):  # the teacher may be another one
                    teacher_state[name].copy_(tensor)
            part.resets[:] = saved["resets"].numpy()
            if part.opponents is not None:
                part.opponents.load_state(saved["opponents"])

    def close(self) -> None:
        for part in self.rollout.parts:
            part.close()


def _as_tensors(state: dict[str, Any]) -> dict[str, Any]:
    return {name: torch.from_numpy(value) if isinstance(value, np.ndarray) else value for name, value in state.items()}


def _as_arrays(state: dict[str, Any]) -> dict[str, Any]:
    return {name: value.numpy() if isinstance(value, torch.Tensor) else value for name, value in state.items()}


def _normalized(values: torch.Tensor, weights: torch.Tensor, processes: Processes) -> torch.Tensor:
    """Scale to mean 0 and deviation 1 over the steps that count, in all processes."""
    total, count = processes.sum(torch.stack([(values * weights).sum(), weights.sum()]))
    mean = total / count.clamp(min=1e-8)
    variance = processes.sum(((values - mean) ** 2 * weights).sum()) / (count - 1).clamp(min=1)
    return (values - mean) / (variance.sqrt() + 1e-8)


def _explained(experience: Experience) -> float:
    """Return how much of the returns' variance the critic explains: 1 all of it, 0 none."""
    counts = experience.weights > 0
    values = experience.values[:, :-1][counts]
    following = torch.where(experience.steps.continues > 0, experience.values[:, 1:], experience.steps.bootstrap)
    target = (experience.steps.rewards + following)[counts]
    variance = target.var()
    return float(torch.where(variance > 0, 1 - (target - values).var() / variance.clamp(min=1e-12), math.nan))
