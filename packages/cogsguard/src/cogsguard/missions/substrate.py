"""Missions for one cog that test one ability each: memory, exploration, planning. They use none of the game's rules."""

from pydantic import Field

from mettagrid.cogame.core import CoGameMission
from mettagrid.config.action_config import ActionsConfig, ChangeVibeActionConfig
from mettagrid.config.filter import AnyFilter, actorHasTag, isNot
from mettagrid.config.game_value import stat
from mettagrid.config.handler_config import Handler
from mettagrid.config.mettagrid_config import AgentConfig, GameConfig, GridObjectConfig, MettaGridConfig, WallConfig
from mettagrid.config.mutation import AnyMutation, EntityTarget, addTag, logActorAgentStat
from mettagrid.config.obs_config import GlobalObsConfig, ObsConfig
from mettagrid.config.reward_config import reward
from mettagrid.config.vibes import Vibe
from mettagrid.map_builder.choice_ascii import ChoiceAsciiMapBuilder
from mettagrid.map_builder.maze import MazePrimMapBuilder

_SOLVED = "state:solved"
_WINDOW = 7
_TOKENS = 64


class SubstrateMission(CoGameMission):
    """One cog, a small window, moving only; reaching the goal pays 1, once."""

    num_cogs: int | None = 1
    max_cogs: int = Field(default=1, ge=1)
    objects: dict[str, GridObjectConfig] = Field(default_factory=dict)
    tags: list[str] = Field(default_factory=list)

    def make_base_env(self) -> MettaGridConfig:
        nothing = GlobalObsConfig(
            episode_completion_pct=False, last_action=False, last_reward=False, last_action_move=True
        )
        count_steps = Handler(
            name="count_steps",
            filters=[isNot(actorHasTag(_SOLVED))],
            mutations=[logActorAgentStat("goal.steps_to_goal")],
        )
        agent = AgentConfig(rewards={"goal": reward(stat("goal.reached"), weight=1.0)}, on_tick=count_steps)
        game = GameConfig(
            resource_names=[],
            num_agents=1,
            max_steps=self.max_steps,
            obs=ObsConfig(width=_WINDOW, height=_WINDOW, num_tokens=_TOKENS, global_obs=nothing),
            agents=[agent],
            actions=ActionsConfig(change_vibe=ChangeVibeActionConfig(enabled=False, vibes=[Vibe("😐", "default")])),
            objects={"wall": WallConfig(), **self.objects},
            tags=[_SOLVED, *self.tags],
            map_builder=self.map_builder,
        )
        game.render.symbols["wall"] = "⬛"
        return MettaGridConfig(label=self.full_name(), game=game)


def _goal(name: str, map_name: str = "", *, needs: str | None = None) -> GridObjectConfig:
    """An object that solves the mission when bumped into, once, by a cog that has the tag it needs."""
    first: list[AnyFilter] = [isNot(actorHasTag(_SOLVED))]
    prepared: list[AnyFilter] = [actorHasTag(needs)] if needs else []
    solve: list[AnyMutation] = [addTag(_SOLVED, EntityTarget.ACTOR), logActorAgentStat("goal.reached")]
    handler = Handler(name="reach_goal", filters=[*first, *prepared], mutations=solve)
    return GridObjectConfig(name=name, map_name=map_name, on_use_handler=handler)


# Memory: a cue beside the start tells which of the goals at the end of a corridor is the right one: `cue_1` the first
# from the left.


def _memory_map(cue: int, goals: int, corridor: int) -> list[str]:
    """The corridor leads up from the start to a hall with the goals, right one `R`, others `D`."""
    width = 2 * goals + 3
    middle = width // 2
    row_of_goals = ["#", ".", *(char for k in range(goals) for char in ("R" if k == cue else "D", ".")), "#"]
    passage = "#" * middle + "." + "#" * (width - middle - 1)
    start = "#" * middle + "@" + str(cue + 1) + "#" * (width - middle - 2)
    return [
        "#" * width,
        "".join(row_of_goals)[:width],
        "#" + "." * (width - 2) + "#",
        *([passage] * corridor),
        start,
        "#" * width,
    ]


def _memory(level: str, goals: int, corridor: int, steps: int) -> SubstrateMission:
    cues = {f"cue_{k}": GridObjectConfig(name=f"cue_{k}") for k in range(1, goals + 1)}
    return SubstrateMission(
        name=f"memory_mystery_path_{level}",
        description=f"Remember the cue at the start and choose the right one of {goals} goals.",
        map_builder=ChoiceAsciiMapBuilder.Config(
            map_options=["\n".join(_memory_map(cue, goals, corridor)) for cue in range(goals)],
            char_to_map_name={
                **{name.removeprefix("cue_"): name for name in cues},
                "R": "memory_goal",
                "D": "memory_decoy",
            },
        ),
        max_steps=steps,
        objects={
            **cues,
            "memory_goal": _goal("memory_goal"),
            "memory_decoy": GridObjectConfig(name="memory_goal", map_name="memory_decoy"),
        },
    )


def _exploration(level: str, size: int, steps: int) -> SubstrateMission:
    return SubstrateMission(
        name=f"exploration_sparse_search_{level}",
        description=f"Find the goal at the far corner of a maze of {size} x {size} cells.",
        map_builder=MazePrimMapBuilder.Config(width=size, height=size, start_pos=(1, 1), end_pos=(size - 2, size - 2)),
        max_steps=steps,
        objects={"goal": _goal("goal", "hub")},  # the maze calls its end `hub`
    )


# Planning: four rooms around a hall; what is in them has to be used in order.

_CHAIN = ("key", "switch", "door")


def _cross(arm: int, turn: int) -> list[str]:
    """Corridors of `arm` cells to rooms with key, switch, door and goal, turned by quarters."""
    size = 2 * arm + 3
    middle = size // 2
    rows = [["#"] * size for _ in range(size)]
    for k in range(1, size - 1):
        rows[k][middle] = rows[middle][k] = "."
    ends = [(1, middle), (middle, size - 2), (size - 2, middle), (middle, 1)]
    for number, char in enumerate("KSDG"):
        row, column = ends[(number + turn) % 4]
        rows[row][column] = char
    rows[middle][middle] = "@"
    return ["".join(row) for row in rows]


def _link(name: str, before: str | None) -> GridObjectConfig:
    tag = f"state:{name}"
    needs: list[AnyFilter] = [actorHasTag(f"state:{before}")] if before else []
    handler = Handler(
        name=f"use_{name}",
        filters=[isNot(actorHasTag(tag)), *needs],
        mutations=[addTag(tag, EntityTarget.ACTOR)],
    )
    return GridObjectConfig(name=name, on_use_handler=handler)


def _planning(level: str, arm: int, steps: int) -> SubstrateMission:
    return SubstrateMission(
        name=f"planning_unlock_chain_{level}",
        description="Use key, switch and door in order, then the goal.",
        map_builder=ChoiceAsciiMapBuilder.Config(
            map_options=["\n".join(_cross(arm, turn)) for turn in range(4)],
            char_to_map_name={"K": "key", "S": "switch", "D": "door", "G": "goal"},
        ),
        max_steps=steps,
        objects={
            **{name: _link(name, before) for name, before in zip(_CHAIN, (None, *_CHAIN), strict=False)},
            "goal": _goal("goal", needs="state:door"),
        },
        tags=[f"state:{name}" for name in _CHAIN],
    )


MEMORY = [_memory("easy", 2, 10, 96), _memory("medium", 3, 20, 144), _memory("hard", 4, 40, 256)]
EXPLORATION = [_exploration("easy", 15, 192), _exploration("medium", 23, 448), _exploration("hard", 31, 896)]
PLANNING = [_planning("easy", 6, 192), _planning("medium", 10, 320), _planning("hard", 14, 448)]
COGNITIVE_SUBSTRATE = [*MEMORY, *EXPLORATION, *PLANNING]
