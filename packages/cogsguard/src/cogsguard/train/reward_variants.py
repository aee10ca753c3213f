"""Reward variants: named sets of rewards that are added to an environment in addition to the objective.

    apply_reward_variants(env, variants="credit")
    apply_reward_variants(env, variants=["milestones", "objective_mine:3"])

The objective is the reward for junctions held, which the rules define. `objective` changes nothing; every other variant
appends its name, without a factor, to the environment's label. A reward is keyed by its stat, so a later variant
replaces the reward of an earlier one for the same stat. `objective_mine` has separate keys, so its rewards stay.
"""

import json
import math
from collections.abc import Callable, Iterable, Sequence
from typing import Literal, get_args

from cogsguard.game.roles import ROLE_NAME_SET, ROLE_NAMES
from cogsguard.names import ELEMENTS, TEAM_PREFIX
from mettagrid.cogame.errors import MissionError, close_names
from mettagrid.config.game_value import AnyGameValue, SumGameValue, stat
from mettagrid.config.mettagrid_config import AgentConfig, MettaGridConfig
from mettagrid.config.reward_config import AgentReward, reward

__all__ = [
    "AVAILABLE_REWARD_VARIANTS",
    "ROLE_NAMES",
    "ROLE_NAME_SET",
    "CvCRewardVariant",
    "UnknownRewardVariant",
    "apply_reward_variants",
    "apply_role_rewards",
    "is_reward_variant",
    "reward_variant_names",
]

CvCRewardVariant = Literal[
    "objective",
    "no_objective",
    "milestones",
    "objective_mine",
    "credit",
    "miner",
    "aligner",
    "scrambler",
    "scout",
    "role_conditional",
    "penalize_vibe_change",
]
AVAILABLE_REWARD_VARIANTS: tuple[CvCRewardVariant, ...] = get_args(CvCRewardVariant)
"""All names, in the order in which they are applied and appended to labels."""

OBJECTIVE = "aligned_junction_held"
_ALIGNED = "junction.aligned_by_agent"
_SCRAMBLED = "junction.scrambled_by_agent"
_MINED = ("carbon", "oxygen", "germanium", "silicon")  # in the order in which a reward sums them
_DEFAULT_FACTOR = 5.0
_MINE = "objective_mine_"

Rewards = dict[str, AgentReward]


class UnknownRewardVariant(MissionError):
    """Raised for a name that is not a reward variant."""

    def __init__(self, name: str) -> None:
        available = ", ".join(AVAILABLE_REWARD_VARIANTS)
        close = close_names(name, AVAILABLE_REWARD_VARIANTS)
        super().__init__(f"Reward variant {name!r} not found.{close} Available: {available}.")


def _pay(
    rewards: Rewards,
    stat_name: str,
    weight: float,
    *,
    min: float | None = None,
    max: float | None = None,
    prefix: str = "",
) -> None:
    """Pay `weight` for each unit of a stat, within bounds."""
    rewards[prefix + stat_name.replace(".", "_")] = reward(stat(stat_name), weight=weight, min=min, max=max)


def _gained(item: str) -> AnyGameValue:
    return stat(f"{item}.gained")


def _lost(item: str) -> AnyGameValue:
    return stat(f"{item}.lost")


def _apply_no_objective(rewards: Rewards) -> None:
    rewards.pop(OBJECTIVE, None)


def _apply_milestones(rewards: Rewards) -> None:
    _pay(rewards, _SCRAMBLED, 0.5, max=50)
    _pay(rewards, _ALIGNED, 1.0, max=100)


def _apply_credit(rewards: Rewards) -> None:
    _pay(rewards, "heart.gained", 0.05, max=0.5)
    for item in ("aligner", "scrambler"):
        _pay(rewards, f"{item}.gained", 0.2, max=0.4)
        _pay(rewards, f"{item}.lost", -0.2, min=-0.4)
    for element in ELEMENTS:
        _pay(rewards, f"{element}.gained", 0.001, max=0.1)


def _apply_other_gear(rewards: Rewards, *others: str) -> None:
    for other in others:
        _pay(rewards, f"{other}.gained", -1.0)


def _apply_miner(rewards: Rewards) -> None:
    _pay(rewards, "miner.gained", 1.0)
    _pay(rewards, "miner.lost", -1.0)
    _pay(rewards, "heart.gained", -0.1)
    _apply_other_gear(rewards, "aligner", "scout", "scrambler")
    rewards["gain_diversity"] = reward([_gained(item) for item in _MINED], weight=0.5, log=True)
    rewards["loss_diversity"] = reward([_lost(item) for item in _MINED], weight=0.5, log=True)


def _apply_junction_role(rewards: Rewards, role: str, done: str) -> None:
    _pay(rewards, f"{role}.gained", 2.0)
    _pay(rewards, f"{role}.lost", -2.0)
    _pay(rewards, "heart.gained", 0.5)
    _pay(rewards, "heart.lost", -0.5)
    _pay(rewards, done, 5.0)


def _apply_aligner(rewards: Rewards) -> None:
    _apply_junction_role(rewards, "aligner", _ALIGNED)
    _apply_other_gear(rewards, "miner", "scout", "scrambler")


def _apply_scrambler(rewards: Rewards) -> None:
    _apply_junction_role(rewards, "scrambler", _SCRAMBLED)
    _apply_other_gear(rewards, "miner", "scout", "aligner")


def _apply_scout(rewards: Rewards) -> None:
    _pay(rewards, "scout.gained", 2.0)
    _pay(rewards, "scout.lost", -2.0)
    _pay(rewards, "cell.visited", 0.00001)
    _apply_other_gear(rewards, "miner", "scrambler", "aligner")


def _apply_penalize_vibe_change(rewards: Rewards) -> None:
    _pay(rewards, "action.change_vibe.success", -0.01)


_ROLES: dict[str, Callable[[Rewards], None]] = {
    "miner": _apply_miner,
    "aligner": _apply_aligner,
    "scrambler": _apply_scrambler,
    "scout": _apply_scout,
}


def _apply_mine(agent: AgentConfig, factor: float) -> None:
    """Multiply the objective by `factor` and pay for progress towards it."""
    team = next((tag.removeprefix(TEAM_PREFIX) for tag in agent.tags if tag.startswith(TEAM_PREFIX)), None)
    if team is None:
        raise MissionError("The reward variant 'objective_mine' needs agents with a team tag.")
    rewards = agent.rewards
    objective = rewards.get(OBJECTIVE)
    if objective is not None and isinstance(objective.reward, SumGameValue) and objective.reward.weights:
        weights = [weight * factor for weight in objective.reward.weights]
        scaled = objective.reward.model_copy(update={"weights": weights})
        rewards[OBJECTIVE] = AgentReward(reward=scaled, per_tick=objective.per_tick)
    deposits: list[AnyGameValue] = [stat(f"game.{team}/{item}.deposited") for item in ELEMENTS]
    gains = [_gained(item) for item in ELEMENTS]
    rewards[f"{_MINE}elements_gained"] = reward(gains, weight=0.03, log=True)
    rewards[f"{_MINE}elements_deposited"] = reward(deposits, weight=0.03, log=True)
    for stat_name, weight in ((_ALIGNED, 0.3), ("heart.gained", 0.05), (_SCRAMBLED, 0.1)):
        _pay(rewards, stat_name, weight, prefix=_MINE)


def _apply_by_role(env: MettaGridConfig) -> None:
    """Pay each agent for the role it shows, or else for the roles in turn within its team."""
    vibes = env.game.vibe_names
    members: dict[int, int] = {}
    for agent in env.game.agents or [env.game.agent]:
        number = members[agent.team_id] = members.get(agent.team_id, -1) + 1
        vibe_name = vibes[agent.vibe] if agent.vibe < len(vibes) else ""
        _ROLES[vibe_name if vibe_name in _ROLES else ROLE_NAMES[number % len(ROLE_NAMES)]](agent.rewards)


_PER_AGENT: dict[str, Callable[[Rewards], None]] = {
    "no_objective": _apply_no_objective,
    "milestones": _apply_milestones,
    "credit": _apply_credit,
    **_ROLES,
    "penalize_vibe_change": _apply_penalize_vibe_change,
}


def apply_role_rewards(env: MettaGridConfig, role: str) -> None:
    """Pay every agent for playing a role; the label stays as it is."""
    for agent in env.game.agents or [env.game.agent]:
        _ROLES[role](agent.rewards)


def is_reward_variant(name: str) -> bool:
    """Return whether a name, with or without a factor, is that of a reward variant."""
    return name.partition(":")[0] in AVAILABLE_REWARD_VARIANTS


def reward_variant_names(variants: str | Iterable[str] | None) -> list[str]:
    """Return the names in a name, a list, or a JSON list, each once and in order of application."""
    if variants is None:
        given: list[str] = []
    elif isinstance(variants, str):
        text = variants.strip()
        given = _read_list(text) if text.startswith("[") else [text] if text else []
    else:
        given = [str(item).strip() for item in variants]
    for name in given:
        if not is_reward_variant(name) or (":" in name and not name.startswith("objective_mine:")):
            raise UnknownRewardVariant(name)
    unique = list(dict.fromkeys(given))
    return sorted(unique, key=_order)


def _order(name: str) -> int:
    return [*AVAILABLE_REWARD_VARIANTS].index(name.partition(":")[0])  # type: ignore[arg-type]


def _read_list(text: str) -> list[str]:
    try:
        items = json.loads(text)
    except ValueError as error:
        raise MissionError(f"Reward variants {text!r} are not a JSON list: {error}") from error
    return [str(item).strip() for item in items]


def apply_reward_variants(env: MettaGridConfig, *, variants: str | Sequence[str] | None = None) -> None:
    """Add reward variants to an environment, in place."""
    for name in reward_variant_names(variants):
        base, _, factor = name.partition(":")
        agents = env.game.agents or [env.game.agent]
        if base == "objective":
            continue
        if base == "role_conditional":
            _apply_by_role(env)
        elif base == "objective_mine":
            for agent in agents:
                _apply_mine(agent, _factor(name, factor))
        else:
            for agent in agents:
                _PER_AGENT[base](agent.rewards)
        env.label = f"{env.label}.{base}"


def _factor(name: str, text: str) -> float:
    try:
        factor = float(text) if text else _DEFAULT_FACTOR
    except ValueError:
        raise MissionError(f"The factor in {name!r} is not a number; write objective_mine:2.5, for example.") from None
    if not math.isfinite(factor):
        raise MissionError(f"The factor in {name!r} must be finite.")
    if factor <= 0:
        raise MissionError(f"The factor in {name!r} must be > 0.")
    return factor
