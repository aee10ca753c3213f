"""Reward variants: named sets of rewards that are put on an environment, in addition to the objective.

    apply_reward_variants(env, variants="credit")
    apply_reward_variants(env, variants=["milestones", "objective_mine:3"])

The objective is the reward for junctions held, which the rules bring. Every variant but `objective`, which changes
nothing, is added to the environment's label.
"""

import json
import math
from collections.abc import Callable, Iterable, Sequence

from cogsguard.names import ELEMENTS, ROLES, TEAM_PREFIX
from mettagrid.cogame.errors import MissionError, close_names
from mettagrid.config.game_value import AnyGameValue, SumGameValue, stat
from mettagrid.config.mettagrid_config import AgentConfig, MettaGridConfig
from mettagrid.config.reward_config import AgentReward, reward

OBJECTIVE = "aligned_junction_held"
_ALIGNED = "junction.aligned_by_agent"
_SCRAMBLED = "junction.scrambled_by_agent"
_ROLE_CYCLE = ("miner", "aligner", "scrambler", "scout")
_DEFAULT_FACTOR = 5.0


class UnknownRewardVariant(MissionError):
    """A reward variant nobody knows."""

    def __init__(self, name: str) -> None:
        available = ", ".join(REWARD_VARIANTS)
        super().__init__(
            f"Reward variant {name!r} not found.{close_names(name, REWARD_VARIANTS)} Available: {available}."
        )


def _gained(item: str) -> AnyGameValue:
    return stat(f"{item}.gained")


def _lost(item: str) -> AnyGameValue:
    return stat(f"{item}.lost")


def _no_objective(agent: AgentConfig) -> None:
    agent.rewards.pop(OBJECTIVE, None)


def _milestones(agent: AgentConfig) -> None:
    agent.rewards["milestone_scrambled"] = reward(stat(_SCRAMBLED), weight=0.5, max=50)
    agent.rewards["milestone_aligned"] = reward(stat(_ALIGNED), weight=1.0, max=100)


def _credit(agent: AgentConfig) -> None:
    agent.rewards["credit_heart_gained"] = reward(_gained("heart"), weight=0.05, max=0.5)
    for item in ("aligner", "scrambler"):
        agent.rewards[f"credit_{item}_gained"] = reward(_gained(item), weight=0.2, max=0.4)
        agent.rewards[f"credit_{item}_lost"] = reward(_lost(item), weight=-0.2, min=-0.4)
    for element in ELEMENTS:
        agent.rewards[f"credit_{element}_gained"] = reward(_gained(element), weight=0.001, max=0.1)


def _gear(agent: AgentConfig, role: str, weight: float) -> None:
    """The role's gear pays when taken and costs when lost; taking other gear costs 1."""
    agent.rewards[f"{role}_gained"] = reward(_gained(role), weight=weight)
    agent.rewards[f"{role}_lost"] = reward(_lost(role), weight=-weight)
    for other in ROLES:
        if other != role:
            agent.rewards[f"{role}_not_{other}"] = reward(_gained(other), weight=-1.0)


def _miner(agent: AgentConfig) -> None:
    _gear(agent, "miner", 1.0)
    agent.rewards["miner_heart_gained"] = reward(_gained("heart"), weight=-0.1)
    agent.rewards["miner_elements_gained"] = reward([_gained(item) for item in ELEMENTS], weight=0.5, log=True)
    agent.rewards["miner_elements_lost"] = reward([_lost(item) for item in ELEMENTS], weight=0.5, log=True)


def _junction_role(role: str, done: str) -> Callable[[AgentConfig], None]:
    def apply(agent: AgentConfig) -> None:
        _gear(agent, role, 2.0)
        agent.rewards[f"{role}_heart_gained"] = reward(_gained("heart"), weight=0.5)
        agent.rewards[f"{role}_heart_lost"] = reward(_lost("heart"), weight=-0.5)
        agent.rewards[f"{role}_junctions"] = reward(stat(done), weight=5.0)

    return apply


def _scout(agent: AgentConfig) -> None:
    _gear(agent, "scout", 2.0)
    agent.rewards["scout_cells_visited"] = reward(stat("cell.visited"), weight=0.00001)


def _penalize_vibe_change(agent: AgentConfig) -> None:
    agent.rewards["vibe_change"] = reward(stat("action.change_vibe.success"), weight=-0.01)


_ROLES: dict[str, Callable[[AgentConfig], None]] = {
    "miner": _miner,
    "aligner": _junction_role("aligner", _ALIGNED),
    "scrambler": _junction_role("scrambler", _SCRAMBLED),
    "scout": _scout,
}


def _mine(factor: float) -> Callable[[AgentConfig], None]:
    """The objective counts `factor` times, and the way to it is paid as well."""

    def apply(agent: AgentConfig) -> None:
        team = next((tag.removeprefix(TEAM_PREFIX) for tag in agent.tags if tag.startswith(TEAM_PREFIX)), None)
        if team is None:
            raise MissionError("The reward variant 'objective_mine' needs agents with a team tag.")
        objective = agent.rewards.get(OBJECTIVE)
        if objective is not None and isinstance(objective.reward, SumGameValue) and objective.reward.weights:
            scaled = objective.reward.model_copy(
                update={"weights": [weight * factor for weight in objective.reward.weights]}
            )
            agent.rewards[OBJECTIVE] = AgentReward(reward=scaled, per_tick=objective.per_tick)
        deposits: list[AnyGameValue] = [stat(f"game.{team}/{item}.deposited") for item in ELEMENTS]
        agent.rewards["mine_elements_gained"] = reward([_gained(item) for item in ELEMENTS], weight=0.03, log=True)
        agent.rewards["mine_team_deposited"] = reward(deposits, weight=0.03, log=True)
        agent.rewards["mine_aligned"] = reward(stat(_ALIGNED), weight=0.3)
        agent.rewards["mine_heart_gained"] = reward(_gained("heart"), weight=0.05)
        agent.rewards["mine_scrambled"] = reward(stat(_SCRAMBLED), weight=0.1)

    return apply


def _by_role(env: MettaGridConfig) -> None:
    """Each agent is paid for the role it shows, or else for one in turn within its team."""
    vibes = env.game.vibe_names
    seen: dict[int, int] = {}
    for agent in env.game.agents or [env.game.agent]:
        number = seen[agent.team_id] = seen.get(agent.team_id, -1) + 1
        shown = vibes[agent.vibe] if agent.vibe < len(vibes) else ""
        _ROLES[shown if shown in _ROLES else _ROLE_CYCLE[number % len(_ROLE_CYCLE)]](agent)


_PER_AGENT: dict[str, Callable[[AgentConfig], None]] = {
    "no_objective": _no_objective,
    "milestones": _milestones,
    "credit": _credit,
    **_ROLES,
    "penalize_vibe_change": _penalize_vibe_change,
}

REWARD_VARIANTS = (
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
)
"""All names, in the order in which they are applied and named in labels."""


def is_reward_variant(name: str) -> bool:
    return name.partition(":")[0] in REWARD_VARIANTS


def reward_variant_names(variants: str | Iterable[str] | None) -> list[str]:
    """The names in a name, a list, or a JSON list; each once and in order of application."""
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
    return sorted(unique, key=lambda name: REWARD_VARIANTS.index(name.partition(":")[0]))


def _read_list(text: str) -> list[str]:
    try:
        items = json.loads(text)
    except ValueError as error:
        raise MissionError(f"Reward variants {text!r} are no JSON list: {error}") from error
    return [str(item).strip() for item in items]


def apply_reward_variants(env: MettaGridConfig, *, variants: str | Sequence[str] | None = None) -> None:
    """Put reward variants on an environment, in place."""
    for name in reward_variant_names(variants):
        base, _, factor = name.partition(":")
        if base == "objective":
            continue
        if base == "role_conditional":
            _by_role(env)
        else:
            apply = _mine(_factor(name, factor)) if base == "objective_mine" else _PER_AGENT[base]
            for agent in env.game.agents or [env.game.agent]:
                apply(agent)
        env.label = f"{env.label}.{name}"


def _factor(name: str, text: str) -> float:
    try:
        factor = float(text) if text else _DEFAULT_FACTOR
    except ValueError:
        factor = math.nan
    if not (math.isfinite(factor) and factor > 0):
        raise MissionError(f"The factor in {name!r} must be a finite number above 0.")
    return factor
