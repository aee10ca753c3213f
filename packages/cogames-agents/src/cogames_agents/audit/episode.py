"""Play an episode and record every step: the world, the decisions, the uses of structures."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from cogames_agents.audit.census import Census, take_census
from cogames_agents.audit.claims import Claims
from cogames_agents.audit.players import Player
from cogames_agents.audit.setting import Setting
from cogames_agents.audit.sightings import Sightings
from cogames_agents.audit.uses import Use, find_uses
from cogames_agents.audit.world import AgentState, Structure, World, WorldReader

if TYPE_CHECKING:
    from mettagrid.config.mettagrid_config import MettaGridConfig
    from mettagrid.simulator.simulator import Simulation
    from mettagrid.types import Action

__all__ = ["Decision", "Step", "play"]


@dataclass(frozen=True)
class Decision:
    """The action of an agent, its infos, and the evidence they are judged by.

    `targets` are the states of the structure at `target_offset`: as it is, as its team last saw it, and as the agent
    itself last saw it; a place without a structure adds none. `visible_target` is that structure if the agent sees it
    now. `seen` counts the structures that the agent itself has had in view, `team_seen` those of its team.
    """

    agent: AgentState
    action: Action
    claims: Claims
    targets: tuple[Structure, ...]
    visible_target: Structure | None
    seen: Census
    team_seen: Census


@dataclass(frozen=True)
class Step:
    """One step; `number` counts from 0. `after` is the world that the next step starts with."""

    number: int
    before: World
    after: World
    decisions: tuple[Decision, ...]
    uses: tuple[Use, ...]
    succeeded: tuple[bool, ...]
    """for each agent, whether its action worked"""


def play(env: MettaGridConfig, setting: Setting, policy: str) -> Iterator[Step]:
    """Play an episode with one policy for all agents; ends after `setting.steps` steps or with the episode."""
    from mettagrid.simulator.simulator import Simulator

    player = Player(env, policy)
    simulation = Simulator().new_simulation(env, seed=setting.seed)
    try:
        yield from _steps(simulation, player, setting.steps)
    finally:
        simulation.close()


def _steps(simulation: Simulation, player: Player, steps: int) -> Iterator[Step]:
    obs = simulation.config.game.obs
    sightings = Sightings(obs.height, obs.width, simulation.num_agents)
    reader = WorldReader(simulation)
    engine = simulation._c_sim
    twin = engine.clone()  # takes the same step with a trace; the simulation's own step stays an ordinary one
    world = reader.read()
    for number in range(steps):
        decisions = tuple(_decide(simulation, player, world, sightings))
        twin.copy_from(engine)
        twin.actions()[:] = engine.actions()
        twin.vibe_actions()[:] = engine.vibe_actions()
        uses = tuple(find_uses(world, twin.step_traced()))
        simulation.step()
        after = reader.read()
        yield Step(number, world, after, decisions, uses, tuple(map(bool, simulation.action_success)))
        world = after
        if simulation.is_done():
            return


def _decide(simulation: Simulation, player: Player, world: World, sightings: Sightings) -> Iterator[Decision]:
    for view in simulation.agents():
        agent = view.id
        sightings.look(world, agent)
        action = player.act(agent, view.observation)
        view.set_action(action)
        talk = getattr(action, "talk", None)
        if talk is not None:
            view.set_talk(talk)
        yield _decision(world, sightings, agent, action, player.claims(agent))


def _decision(world: World, sightings: Sightings, agent: int, action: Action, claims: Claims) -> Decision:
    state = world.agents[agent]
    own, team = sightings.of_agent(agent), sightings.of_team(state.team)
    states: list[Structure | None] = []
    is_visible = False
    if claims.target_offset is not None:
        cell = state.cell[0] + claims.target_offset[0], state.cell[1] + claims.target_offset[1]
        states = [world.structures.get(cell), team.get(cell), own.get(cell)]
        is_visible = sightings.is_visible(claims.target_offset)
    return Decision(
        agent=state,
        action=action,
        claims=claims,
        targets=tuple(target for target in states if target is not None),
        visible_target=states[0] if is_visible else None,
        seen=take_census(own.values(), state.team),
        team_seen=take_census(team.values(), state.team),
    )
