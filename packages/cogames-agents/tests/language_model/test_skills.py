"""Skills are carried out in the real game: each does what its name says, and ends."""

import pytest

from cogames.missions import catalog
from cogames.policy.cog import ELEMENTS
from cogames.sdk.cogsguard import PlannerDirective, SkillName, SkillStatus, StrategyMode
from cogames_agents.language_model.skills import DirectedCog
from mettagrid.policy.policy_env_interface import PolicyEnvInterface
from mettagrid.simulator import Simulation


class Game:
    """One directed cog on `arena`; the others stand still."""

    def __init__(self, agent=1):
        env = catalog.load("arena", seed=3)
        self.simulation = Simulation(env, seed=5)
        self.agent = agent
        self.player = DirectedCog(PolicyEnvInterface.from_mg_cfg(env), agent)
        self.look()

    @property
    def cog(self):
        return self.player.cog

    def look(self):
        self.player.look(self.simulation.observations()[self.agent].token_array().tobytes())

    def follow(self, skill, most=400, **fields):
        """Follow a skill until it ends; return the reason."""
        mode = StrategyMode.FRONTIER_EXPAND
        self.player.follow(PlannerDirective(mode=mode, skill=SkillName(skill), **fields))
        for _ in range(most):
            self.simulation.agent(self.agent).set_action(self.player.decide())
            self.simulation.step()
            self.look()
            if self.player.exit_reason:
                break
        return self.player.exit_reason

    def status(self, skill):
        return next(option for option in self.player.options() if option.name.value == skill).status


@pytest.mark.parametrize("gear", ["miner", "aligner", "scrambler"])
def test_gear_is_bought(gear):
    game = Game()
    assert game.status(f"gear_up_{gear}") is not SkillStatus.BLOCKED
    assert game.follow(f"gear_up_{gear}") == f"has {gear} gear"
    assert game.cog.has(gear) and game.player.role == gear
    assert game.status(f"gear_up_{gear}") is SkillStatus.BLOCKED


def test_a_heart_is_taken_and_used_on_a_junction():
    game = Game()
    game.follow("gear_up_aligner")
    assert game.follow("get_heart") == "took a heart"
    assert game.cog.has("heart") == 1
    before = (game.cog.junctions & game.cog.ours).bit_count()
    assert game.follow("align_frontier", most=1000) == "all hearts are used"
    assert (game.cog.junctions & game.cog.ours).bit_count() > before


def test_the_biased_element_is_mined_and_brought_home():
    game = Game()
    game.follow("explore", most=150)
    element = next(element for element in ("silicon", "carbon", "oxygen") if game.cog.extractors(element))
    stock = game.cog.stock(element)
    assert game.follow("mine_biased_resource", most=600, resource_bias=element) == "brought a load home"
    assert game.cog.stock(element) >= stock + 20


def test_a_part_of_a_load_is_deposited():
    game = Game()
    game.follow("explore", most=150)
    while game.cog.cargo == 0:
        game.follow("mine_biased_resource", most=1)
    load, stock = game.cog.cargo, sum(map(game.cog.stock, ELEMENTS))
    assert game.status("deposit_resources") is SkillStatus.READY
    assert game.follow("deposit_resources") == "nothing left to deposit"
    assert sum(map(game.cog.stock, ELEMENTS)) >= stock + load


def test_exploring_shows_more_of_the_map():
    game = Game()
    before = game.cog.memory.known.bit_count()
    assert game.follow("explore", most=80) == ""
    assert game.cog.memory.known.bit_count() > 2 * before
    assert game.status("explore") is SkillStatus.ACTIVE


def test_a_retreating_cog_heals_at_home():
    game = Game()
    game.follow("explore", most=80)
    assert game.follow("retreat") == "safe and healed"


def test_a_stuck_cog_moves_aside_for_a_few_steps():
    game = Game()
    assert game.follow("unstuck") == "moved aside"
    assert game.player.skill_steps == 4


def test_the_role_of_the_skill_follows_when_the_skill_has_ended():
    game = Game(agent=0)  # a miner of the script
    assert game.player.role == "miner"
    game.follow("gear_up_aligner")
    for _ in range(300):
        game.simulation.agent(0).set_action(game.player.decide())
        game.simulation.step()
        game.look()
    assert game.cog.junctions & game.cog.ours  # it has captured one
    game.player.follow(None)
    assert game.player.role == "miner"


def test_every_skill_has_a_status_and_a_reason():
    options = Game().player.options()
    assert [option.name for option in options] == list(SkillName)
    assert {option.name.value for option in options if option.status is SkillStatus.BLOCKED} == {"deposit_resources"}
