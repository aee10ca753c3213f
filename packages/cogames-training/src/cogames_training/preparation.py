"""Find everything that can be wrong with the settings of a run before its first step and before its first file."""

from __future__ import annotations

import inspect
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np
import torch

from cogames.missions import choose_missions
from cogames.policy.arguments import parse_policy_spec
from cogames.policy.device import resolve_device
from cogames_training.args import SettingError, TrainArgs
from cogames_training.engines import Engine, chosen_engine
from cogames_training.interfaces import joined_interface, translation
from cogames_training.opponents import SELF, Opponent
from cogames_training.seeing import Sight
from cogames_training.sizes import Sizes, choose_sizes
from cogames_training.tasks import Task, make_tasks
from cogames_training.teaching import PolicyMaker
from cogames_training.worlds import ArrayMaker, TrainingWorlds
from mettagrid.policy.loader import initialize_or_load_policy
from mettagrid.policy.policy import MultiAgentPolicy
from mettagrid.policy.policy_env_interface import PolicyEnvInterface
from mettagrid.policy.policy_spec import PolicySpec

if TYPE_CHECKING:
    from torch import nn

__all__ = ["Prepared", "check_same_run", "is_recurrent", "policy_document", "prepare"]

LOADING_ERRORS = (ImportError, AttributeError, LookupError, TypeError, ValueError, RuntimeError, OSError)
SAME_IN_A_RUN = (
    *("seed", "map_seed", "maps", "missions", "cogs", "variants", "tasks", "curriculum", "optimizer"),
    *("opponents", "opponent_pool"),
)
"""settings that a run keeps when it continues, because its saved state depends on them"""


@dataclass
class Prepared:
    """What a run needs, loaded and checked."""

    tasks: list[Task]
    interface: PolicyEnvInterface
    """of all tasks together"""
    spec: PolicySpec
    policy: MultiAgentPolicy
    network: nn.Module
    device: torch.device
    sizes: Sizes
    make_teacher: PolicyMaker | None
    """makes a scripted teacher"""
    teacher_network: tuple[nn.Module, bool] | None
    """network of a teacher that has one, and whether it is recurrent"""
    translation: np.ndarray | None
    """ids of each task's features and tags as the network knows them; None if they are the same"""
    opponents: Sequence[Opponent] = ()
    """policies that play the other teams; none: the learner plays all teams"""
    engine: Engine = "cpu"

    def has_memory(self) -> bool:
        """Return whether the network sees more than the plain observations."""
        make = getattr(self.policy, "make_memory", None)
        return make is not None and make(1, threads=1) is not None

    def make_sight(
        self, worlds: TrainingWorlds, *, make_array: ArrayMaker | None = None, task: int | None = None
    ) -> Sight:
        """Return what the network sees of worlds with all tasks, or with one of them."""
        table = self.translation
        if table is not None and task is not None:
            table = table[task : task + 1]
        memory = getattr(self.policy, "make_memory", None)
        return Sight(worlds, interface=self.interface, make_memory=memory, translation=table, make_array=make_array)


def prepare(args: TrainArgs) -> Prepared:
    """Load missions, policy and teacher. Raises `SettingError`, and the errors of missions and policy files."""
    chosen = choose_missions(args.missions, variants=args.variants, cogs=args.cogs)
    tasks = make_tasks([(mission.name, mission.env) for mission in chosen], args.tasks or None, seed=args.seed)
    interfaces = [PolicyEnvInterface.from_mg_cfg(task.config) for task in tasks]
    interface = joined_interface(interfaces, [task.name for task in tasks])
    device_name, warning = resolve_device(args.device)
    if warning is not None:
        raise SettingError("device", warning.partition(";")[0])
    device = torch.device(device_name)
    spec = parse_policy_spec(args.policy, device=device_name).to_policy_spec()
    spec.init_kwargs = {**spec.init_kwargs, **args.overrides}
    policy, network = _trainable(args, interface, spec, device)
    rows = max(task.config.game.num_agents for task in tasks)
    sizes = choose_sizes(args, rows_per_world=rows, device=device)
    make_teacher, teacher_network = _teacher(args, interfaces, interface, device)
    knows_names = bool(getattr(network, "knows_names", False))
    table = translation(interfaces, interface) if knows_names else None
    prepared = Prepared(
        tasks,
        interface,
        spec,
        policy,
        network,
        device,
        sizes,
        make_teacher,
        teacher_network,
        translation=table,
        opponents=_opponents(args, tasks, interfaces, interface, device),
    )
    prepared.engine = chosen_engine(args.engine, prepared)
    if prepared.engine == "gpu":  # the GPU steps the worlds and trains in turn, so halves would not overlap
        prepared.sizes = replace(sizes, parts=1)
    return prepared


def check_same_run(args: Mapping[str, Any], rows: int, record: Mapping[str, Any], *, processes: int = 1) -> None:
    """Raise `SettingError` if a run cannot continue with other settings than the ones in its `run.json`."""
    before = record.get("args")
    if not isinstance(before, Mapping):
        return
    for name in SAME_IN_A_RUN:
        if name in before and _plain(before[name]) != _plain(args[name]):
            raise SettingError(
                name,
                f"the run {record.get('run')} has {before[name]}, not {args[name]}; choose another name for a new run",
            )
    if record.get("rows", rows) != rows:
        raise SettingError(
            "parallel_envs", f"the run {record.get('run')} has {record['rows']} agents in all, not {rows}"
        )
    if record.get("processes", 1) != processes:
        raise SettingError(
            "processes",
            f"the run {record.get('run')} has {record.get('processes', 1)}, not {processes}; start the same number",
        )


def policy_document(prepared: Prepared) -> dict[str, Any]:
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


def is_recurrent(policy: MultiAgentPolicy, class_path: str) -> bool:
    """Return whether the network has a memory; policies without `is_recurrent` tell it by their name."""
    tells = getattr(policy, "is_recurrent", None)
    if callable(tells):
        return bool(tells())
    return any(word in class_path.lower() for word in ("lstm", "rnn"))


def _trainable(
    args: TrainArgs, interface: PolicyEnvInterface, spec: PolicySpec, device: torch.device
) -> tuple[MultiAgentPolicy, nn.Module]:
    """Return the policy and its network."""

    def load() -> MultiAgentPolicy:
        with _explained("policy", args.policy):
            return initialize_or_load_policy(interface, spec, device_override=str(device))

    needs_head = args.critic_update == "gtd_lambda"
    policy = load()
    network = policy.network()
    if network is None:
        raise SettingError("policy", f"{args.policy} has no network, so it cannot be trained; try class=sparse")
    if needs_head and not hasattr(network, "h_value") and "auxiliary" in inspect.signature(type(policy)).parameters:
        spec.init_kwargs = {**spec.init_kwargs, "auxiliary": True}
        policy = load()
        network = policy.network()
    if needs_head and not hasattr(network, "h_value"):
        raise SettingError("critic_update", "gtd_lambda needs a network with an auxiliary head, such as class=sparse")
    return policy, network.to(device)


def _teacher(
    args: TrainArgs, interfaces: Sequence[PolicyEnvInterface], joined: PolicyEnvInterface, device: torch.device
) -> tuple[PolicyMaker | None, tuple[nn.Module, bool] | None]:
    """Return how to make the scripted teacher, or the network of a teacher that has one."""
    if args.teacher is None:
        return None, None
    with _explained("teacher", args.teacher):
        spec = parse_policy_spec(args.teacher, device=str(device)).to_policy_spec()

        def make(interface: PolicyEnvInterface) -> MultiAgentPolicy:
            return initialize_or_load_policy(interface, spec)

        policies = [make(interface) for interface in interfaces]
        if policies[0].network() is None:
            return make, None
        teacher = make(joined)
        network = teacher.network().to(device).eval()
        remembers = is_recurrent(teacher, spec.class_path)
    _check_outputs(args.teacher, network, joined, device)
    return None, (network, remembers)


def _opponents(
    args: TrainArgs,
    tasks: Sequence[Task],
    interfaces: Sequence[PolicyEnvInterface],
    joined: PolicyEnvInterface,
    device: torch.device,
) -> list[Opponent]:
    """Load the opponents: scripted policies by task, networks for all tasks together."""
    for task in tasks if args.opponents else ():
        if len({agent.team_id for agent in task.config.game.agents}) < 2:
            raise SettingError(
                "opponents", f"{task.name} has one team; opponents need a mission with several, such as four_score"
            )
    loaded = []
    for name in args.opponents:
        if name == SELF:
            loaded.append(Opponent(name))
            continue
        with _explained("opponents", name):
            spec = parse_policy_spec(name, device=str(device)).to_policy_spec()

            def make(interface: PolicyEnvInterface, spec: PolicySpec = spec) -> MultiAgentPolicy:
                return initialize_or_load_policy(interface, spec)

            policies = [make(interface) for interface in interfaces]
            if policies[0].network() is None:
                loaded.append(Opponent(name, make_policy=make))
                continue
            policy = make(joined)
            network: Any = policy.network()
            network = network.to(device).eval().requires_grad_(False)
        _check_outputs(name, network, joined, device, setting="opponents")
        table = translation(interfaces, joined) if getattr(network, "knows_names", False) else None
        memory = getattr(policy, "make_memory", None)
        loaded.append(
            Opponent(
                name,
                network=network,
                is_recurrent=is_recurrent(policy, spec.class_path),
                is_greedy=bool(getattr(policy, "is_greedy", False)),
                make_sight=partial(Sight, interface=joined, make_memory=memory, translation=table),
            )
        )
    return loaded


def _check_outputs(
    name: str, network: Any, interface: PolicyEnvInterface, device: torch.device, *, setting: str = "teacher"
) -> None:
    """Raise `SettingError` for the network of a teacher or opponent that has other actions."""
    blank = torch.full((1, *interface.observation_space.shape), 255, dtype=torch.uint8, device=device)
    with torch.no_grad(), _explained(setting, name):
        logits, _ = network.forward_eval(blank, {"lstm_h": None, "lstm_c": None})
    if logits.shape[-1] != len(interface.action_names):
        raise SettingError(
            setting,
            f"{name} chooses between {logits.shape[-1]} actions, this mission has {len(interface.action_names)}",
        )


class _explained:
    """Raise errors of loading a policy as a `SettingError`."""

    def __init__(self, setting: str, policy: str) -> None:
        self._setting, self._policy = setting, policy

    def __enter__(self) -> None:
        pass

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: object) -> None:
        if isinstance(error, LOADING_ERRORS) and not isinstance(error, SettingError):
            text = str(error) or repr(error)
            raise SettingError(self._setting, f"{self._policy} does not fit this mission: {text}") from error


def _plain(value: Any) -> Any:
    return list(value) if isinstance(value, tuple) else value
