"""The audit's view of the world is the observation of the agents."""

from cogames_agents.audit.episode import play
from cogames_agents.audit.setting import Setting
from cogames_agents.audit.sightings import Sightings
from cogames_agents.audit.world import AgentState, Structure, World, WorldReader
from mettagrid.simulator.simulator import Simulation

TEAM = "team:cogs"


def test_an_agent_sees_the_structures_in_its_observation() -> None:
    env = Setting(agents=10).make_env()
    simulation = Simulation(env, seed=3)
    tags = env.game.id_map().tag_names()
    reader, rows = WorldReader(simulation), env.game.obs.height // 2
    for step in range(12):
        world = reader.read()
        for view in simulation.agents():
            sightings = Sightings(env.game.obs.height, env.game.obs.width, 10)
            sightings.look(world, view.id)
            row, col = world.agents[view.id].cell
            seen = {(s.cell[0] - row, s.cell[1] - col, s.kind) for s in sightings.of_agent(view.id).values()}
            shown = set()
            for token in view.observation.tokens:
                tag = tags[token.value] if token.feature.name == "tag" else ""
                if tag.startswith("type:") and tag not in ("type:wall", "type:agent") and token.location is not None:
                    shown.add((token.location.row - rows, token.location.col - rows, tag.removeprefix("type:")))
            assert seen == shown
            view.set_action(("move_north", "move_east", "move_south", "move_west")[(view.id + step // 4) % 4])
        simulation.step()


def world(*agents: tuple[int, int], junction: frozenset[str] | None = None) -> World:
    structures = {} if junction is None else {(0, 0): Structure(1, "junction", (0, 0), junction)}
    return World(structures, tuple(AgentState(10 + n, cell, TEAM, "", {}) for n, cell in enumerate(agents)))


def test_a_team_shares_what_its_agents_see_in_their_turn() -> None:
    sightings = Sightings(13, 13, 2)
    before = world((0, 3), (0, 40), junction=frozenset())
    sightings.look(before, 1)
    assert sightings.of_team(TEAM) == {}
    sightings.look(before, 0)
    assert list(sightings.of_team(TEAM)) == [(0, 0)]
    assert sightings.of_agent(1) == {}


def test_a_structure_out_of_view_stays_as_last_seen_and_a_removed_one_in_view_is_forgotten() -> None:
    sightings = Sightings(13, 13, 1)
    sightings.look(world((0, 3), junction=frozenset()), 0)
    sightings.look(world((0, 40), junction=frozenset([TEAM])), 0)
    assert sightings.of_team(TEAM)[0, 0].teams == frozenset()
    sightings.look(world((0, 3), junction=frozenset([TEAM])), 0)
    assert sightings.of_team(TEAM)[0, 0].teams == {TEAM}
    sightings.look(world((0, 3)), 0)
    assert sightings.of_team(TEAM) == {}


def test_recorded_steps_are_the_steps_of_the_simulation() -> None:
    setting = Setting(steps=40, agents=4)
    steps = list(play(setting.make_env(), setting, "audited_policies.TeamPolicy"))
    assert [step.number for step in steps] == list(range(40))
    for step in steps:
        for agent, (before, after) in enumerate(zip(step.before.agents, step.after.agents, strict=True)):
            action = step.decisions[agent].action.name
            used = [use for use in step.uses if use.agent == agent]
            if before.cell != after.cell or not action.startswith("move_"):
                assert used == []
            for use in used:
                apart = abs(use.structure.cell[0] - before.cell[0]) + abs(use.structure.cell[1] - before.cell[1])
                assert apart == 1
                assert step.succeeded[agent] == bool(use.rule)
