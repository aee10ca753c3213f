"""A small game in which everything that can be recorded happens, and ways to play it."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pytest

from mettagrid.config.event_config import EventConfig
from mettagrid.config.filter import actorHas, isA
from mettagrid.config.game_value import inv, stat
from mettagrid.config.handler_config import (
    FirstMatch,
    Handler,
    addTag,
    deposit,
    logStatToGame,
    removeTag,
    updateActor,
    updateTarget,
    withdraw,
)
from mettagrid.config.mettagrid_config import (
    ActionsConfig,
    AgentConfig,
    AgentReward,
    ChangeVibeActionConfig,
    GameConfig,
    GlobalObsConfig,
    GridObjectConfig,
    InventoryConfig,
    MettaGridConfig,
    MoveActionConfig,
    ObsConfig,
    ResourceLimitsConfig,
    TalkConfig,
    WallConfig,
)
from mettagrid.config.mutation import PushObjectMutation, RaycastSpawnMutation, SwapMutation
from mettagrid.config.territory_config import TerritoryConfig, TerritoryControlConfig
from mettagrid.config.vibes import Vibe
from mettagrid.map_builder.ascii import AsciiMapBuilder
from mettagrid.replay import EpisodeRecorder, Replay
from mettagrid.simulator import Simulation

MAP = """
##########
#@..c...@#
#.r...p..#
#.p.c..r.#
#@..p.c.@#
##########
"""
NAMES = {"#": "wall", ".": "empty", "@": "agent.agent", "c": "chest", "r": "crate", "p": "pillar"}


def busy_game(*, max_steps: int = 30, talk: bool = True) -> MettaGridConfig:
    """Objects that are pushed, swapped, made and removed; tags, vibes, limits with modifiers, territory, talk."""
    limits = {
        "bag": ResourceLimitsConfig(base=6, max=20, resources=["gold", "ore"], modifiers={"heart": 8}),
        "pouch": ResourceLimitsConfig(base=2, resources=["heart"]),
    }
    agent = AgentConfig(
        tags=["team:cogs"],
        inventory=InventoryConfig(default_limit=9, limits=limits, initial={"gold": 4, "heart": 1}),
        rewards={"gold": AgentReward(reward=inv("gold")), "ore": AgentReward(reward=inv("ore"), per_tick=True)},
        on_tick=FirstMatch(
            handlers=[
                Handler(filters=[actorHas({"heart": 1, "ore": 4})], mutations=[updateActor({"heart": -1, "ore": -4})]),
                Handler(mutations=[updateActor({"ore": 1})]),
            ]
        ),
        on_use_handler=Handler(mutations=[SwapMutation()]),
    )
    chest = GridObjectConfig(
        name="chest",
        tags=["shut"],
        inventory=InventoryConfig(initial={"dust": 2, "heart": 1}, default_limit=30),
        on_use_handler=Handler(
            mutations=[removeTag("shut"), withdraw({"dust": 1, "heart": 1}, remove_when_empty=True)]
        ),
    )
    crate = GridObjectConfig(
        name="crate",
        tags=["team:cogs"],
        on_use_handler=Handler(mutations=[PushObjectMutation()]),
        territory_controls=[TerritoryControlConfig(territory="land", strength=2)],
    )
    pillar = GridObjectConfig(
        name="pillar",
        tags=["team:clips"],
        on_use_handler=Handler(mutations=[deposit({"ore": 1}), RaycastSpawnMutation(object_type="crate", max_range=1)]),
        territory_controls=[TerritoryControlConfig(territory="land", strength=3)],
    )
    turn = EventConfig(
        name="turn",
        target_query="type:pillar",
        timesteps=list(range(3, 200, 7)),
        max_targets=1,
        mutations=[removeTag("team:clips"), addTag("team:cogs"), updateTarget({"gold": 1}), logStatToGame("turned")],
    )
    rows = [list(line) for line in MAP.split()]
    return MettaGridConfig(
        label="busy",
        game=GameConfig(
            num_agents=MAP.count("@"),
            max_steps=max_steps,
            resource_names=["gold", "ore", "heart", "dust"],
            objects={
                "wall": WallConfig(on_use_handler=Handler(mutations=[addTag("worn")])),
                "chest": chest,
                "crate": crate,
                "pillar": pillar,
            },
            tags=["worn"],
            agent=agent,
            actions=ActionsConfig(
                move=MoveActionConfig(
                    handlers=[
                        Handler(filters=[isA("crate")], mutations=[PushObjectMutation(), updateActor({"dust": 1})])
                    ]
                ),
                change_vibe=ChangeVibeActionConfig(vibes=[Vibe("a", "calm"), Vibe("b", "cross"), Vibe("c", "sad")]),
            ),
            events={"turn": turn},
            territories={"land": TerritoryConfig(tag_prefix="team:")},
            talk=TalkConfig(enabled=talk, cooldown_steps=3),
            obs=ObsConfig(
                width=7,
                height=7,
                num_tokens=200,
                territory=True,
                global_obs=GlobalObsConfig(obs={"ore": inv("ore"), "turned": stat("game.turned")}),
                observation_radius_value=inv("ore"),
            ),
            map_builder=AsciiMapBuilder.Config(map_data=rows, char_to_map_name=NAMES),
        ),
    )


@dataclass
class Played:
    """An episode that was played with random actions, with the result of `grid_objects` after every step."""

    simulation: Simulation
    replay: Replay
    states: list[dict[int, dict[str, Any]]] = field(default_factory=list)
    agents: list[list[dict[str, Any]]] = field(default_factory=list)
    stats: list[dict[str, float]] = field(default_factory=list)
    hashes: list[int] = field(default_factory=list)
    observations: list[np.ndarray] = field(default_factory=list)


def choose(simulation: Simulation, random: np.random.Generator) -> None:
    """Random actions for all agents, some of them invalid."""
    n = simulation.num_agents
    engine = simulation._c_sim
    engine.actions()[:] = random.integers(-1, len(simulation.action_names) + 1, n)
    vibes = [0, *simulation.vibe_action_ids.values()]
    engine.vibe_actions()[:] = random.choice(vibes, n)


def say_something(simulation: Simulation, random: np.random.Generator) -> None:
    if not simulation.config.game.talk.enabled or random.random() < 0.6:
        return
    speaker = int(random.integers(simulation.num_agents))
    if speaker not in simulation.talk_states():
        simulation.agent(speaker).set_talk(f"word {int(random.integers(3))}")


def show_something(simulation: Simulation, random: np.random.Generator) -> None:
    """Infos of some policies, which come and go."""
    simulation._context["policy_infos"] = {
        agent: {"policy_name": f"policy {agent % 2}", "mood": int(random.integers(2))}
        for agent in range(simulation.num_agents)
        if random.random() < 0.8
    }
    update = {"monologue_append": f"{int(random.integers(9))} ", "monologue_reset": bool(random.random() < 0.1)}
    simulation._context["monologue_updates"] = {0: update} if random.random() < 0.3 else {}


def play(config: MettaGridConfig, *, seed: int = 0, steps: int = 30, record: bool = True) -> Played:
    """Play with random actions, talk and infos, and look at everything after every step."""
    random = np.random.default_rng(seed)
    simulation = Simulation(config, seed=seed)
    recorder = EpisodeRecorder.of(simulation) if record else None
    played = Played(simulation, None)  # type: ignore[arg-type]
    totals = np.zeros(simulation.num_agents)
    _look(played, totals, None)
    for _ in range(steps):
        choose(simulation, random)
        say_something(simulation, random)
        show_something(simulation, random)
        asked = simulation._c_sim.actions().tolist(), simulation._c_sim.vibe_actions().tolist()
        simulation.step()
        if recorder is not None:
            recorder.record()
        totals += simulation._c_sim.rewards().astype(np.float64)
        _look(played, totals, asked)
    if recorder is not None:
        played.replay = recorder.finish()
    return played


def _look(played: Played, totals: np.ndarray, asked: tuple[list[int], list[int]] | None) -> None:
    simulation = played.simulation
    played.states.append(simulation.grid_objects())
    said = simulation.talk_states()
    infos = simulation._context.get("policy_infos", {}) if asked else {}
    played.agents.append(
        [
            {
                "success": simulation.action_success[agent],
                "reward": float(simulation._c_sim.rewards()[agent]),
                "total_reward": float(totals[agent]),
                "asked": asked[0][agent] if asked else 0,
                "asked_vibe": asked[1][agent] if asked else 0,
                "talk": said[agent].text if agent in said else "",
                "talk_remaining": said[agent].remaining_steps if agent in said else 0,
                "infos": infos.get(agent, {}),
            }
            for agent in range(simulation.num_agents)
        ]
    )
    played.stats.append(simulation.episode_stats["game"])
    played.hashes.append(simulation._c_sim.state_hash())
    played.observations.append(simulation._c_sim.observations().copy())


@pytest.fixture
def game() -> Callable[..., MettaGridConfig]:
    return busy_game


@pytest.fixture
def played() -> Callable[..., Played]:
    """play(config, seed=, steps=, record=)"""
    return play


@pytest.fixture(scope="session")
def busy() -> Iterator[Played]:
    """One episode of the busy game, for tests that only look at it."""
    yield play(busy_game(), seed=19)
