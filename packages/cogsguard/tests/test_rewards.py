"""Reward variants: names, weights, order (rules, section 11)."""

import pytest

from cogsguard.train.reward_variants import AVAILABLE_REWARD_VARIANTS, UnknownRewardVariant, apply_reward_variants
from mettagrid.config.game_value import MaxGameValue, MinGameValue, SumGameValue
from mettagrid.config.mettagrid_config import AgentConfig, MettaGridConfig

from .conftest import World

ROWS = ["########", "#@@@@&.#", "########"]


def env_with(variants: "str | list[str]", *mission_variants: str) -> MettaGridConfig:
    env = World(ROWS, [*mission_variants]).env
    apply_reward_variants(env, variants=variants)
    return env


def weights(agent: AgentConfig) -> dict[str, tuple[float, float | None]]:
    """Weight and bound of each reward but the objective."""
    found = {}
    for name, item in agent.rewards.items():
        value, bound = item.reward, None
        if isinstance(value, (MinGameValue, MaxGameValue)):
            value, bound = value.values[0], value.values[1].value
        assert isinstance(value, SumGameValue) and value.weights
        found[name] = (value.weights[0], bound)
    return {name: item for name, item in found.items() if name != "aligned_junction_held"}


def test_names_are_in_a_fixed_order() -> None:
    assert (
        tuple(
            "objective no_objective milestones objective_mine credit miner aligner scrambler scout role_conditional "
            "penalize_vibe_change".split()
        )
        == AVAILABLE_REWARD_VARIANTS
    )
    assert env_with(["credit", "milestones", "credit", "objective"]).label == "test.milestones.credit"
    assert env_with('["credit", "no_objective"]').label == "test.no_objective.credit"
    assert env_with("objective").label == "test"


def test_weights() -> None:
    assert weights(env_with("milestones").game.agents[0]) == {
        "junction_scrambled_by_agent": (0.5, 50),
        "junction_aligned_by_agent": (1.0, 100),
    }
    credit = weights(env_with("credit").game.agents[0])
    assert credit["heart_gained"] == (0.05, 0.5)
    assert credit["aligner_gained"] == credit["scrambler_gained"] == (0.2, 0.4)
    assert credit["aligner_lost"] == (-0.2, -0.4)
    assert credit["carbon_gained"] == (0.001, 0.1)
    miner = weights(env_with("miner").game.agents[0])
    assert (miner["miner_gained"], miner["miner_lost"], miner["heart_gained"]) == (
        (1, None),
        (-1, None),
        (-0.1, None),
    )
    assert miner["scout_gained"] == (-1, None)
    assert miner["gain_diversity"] == miner["loss_diversity"] == (0.5, None)
    aligner = weights(env_with("aligner").game.agents[0])
    assert aligner["junction_aligned_by_agent"] == (5, None)
    assert (aligner["aligner_gained"], aligner["heart_lost"]) == ((2, None), (-0.5, None))
    assert weights(env_with("scrambler").game.agents[0])["junction_scrambled_by_agent"] == (5, None)
    assert weights(env_with("scout").game.agents[0])["cell_visited"] == (0.00001, None)
    assert weights(env_with("penalize_vibe_change").game.agents[0]) == {"action_change_vibe_success": (-0.01, None)}


def test_the_objective_can_be_dropped_or_multiplied() -> None:
    assert "aligned_junction_held" not in env_with("no_objective").game.agents[0].rewards
    for name, factor in (("objective_mine", 5), ("objective_mine:2.5", 2.5)):
        agent = env_with(name).game.agents[0]
        assert agent.rewards["aligned_junction_held"].weight == pytest.approx(factor / 1000)
        assert weights(agent) == {
            "objective_mine_elements_gained": (0.03, None),
            "objective_mine_elements_deposited": (0.03, None),
            "objective_mine_junction_aligned_by_agent": (0.3, None),
            "objective_mine_heart_gained": (0.05, None),
            "objective_mine_junction_scrambled_by_agent": (0.1, None),
        }
    both = weights(env_with(["milestones", "objective_mine"]).game.agents[0])
    assert both["junction_aligned_by_agent"] == (1.0, 100)
    assert both["objective_mine_junction_aligned_by_agent"] == (0.3, None)


def test_a_label_has_names_without_factors() -> None:
    assert env_with("objective_mine:2.5").label == "test.objective_mine"


def test_roles_decide_the_rewards() -> None:
    env = env_with("role_conditional")
    paid = [
        next(role for role in ("miner", "aligner", "scrambler", "scout") if f"{role}_lost" in agent.rewards)
        for agent in env.game.agents
    ]
    assert paid == ["miner", "aligner", "scrambler", "scout"]


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("credits", "not found"),
        ("credit:2", "not found"),
        ("objective_mine:0", "must be > 0"),
        ("objective_mine:-1", "must be > 0"),
        ("objective_mine:nan", "must be finite"),
        ("objective_mine:-1e309", "must be finite"),
        ("objective_mine:x", "is not a number"),
    ],
)
def test_bad_names_and_factors_are_refused(name: str, message: str) -> None:
    with pytest.raises(ValueError, match=rf"^[^\n]+{message}[^\n]*$"):
        env_with(name)


def test_an_unknown_name_lists_the_known_ones() -> None:
    with pytest.raises(UnknownRewardVariant, match=r"Did you mean 'credit'\? Available: objective, no_objective"):
        env_with("credits")


@pytest.mark.parametrize("role", ["aligner", "miner", "scout", "scrambler"])
def test_role_rewards_are_variants_of_missions_too(role: str) -> None:
    env = World(ROWS, [role]).env
    assert f"{role}_gained" in env.game.agents[0].rewards
    assert env.label == "test"
    assert ("team:clips" in env.game.objects["junction"].tags) == (role == "scrambler")


def test_shaped_rewards_are_variants_of_missions_too() -> None:
    assert "heart_gained" in World(ROWS, ["credit"]).env.game.agents[0].rewards
    assert "aligned_junction_held" not in World(ROWS, ["no_objective"]).env.game.agents[0].rewards
    for name in ("objective_mine", "shaped"):
        env = World(ROWS, [name]).env
        assert env.game.agents[0].rewards["aligned_junction_held"].weight == pytest.approx(5 / 1000)
        assert env.game.resource_names == World(ROWS).env.game.resource_names
