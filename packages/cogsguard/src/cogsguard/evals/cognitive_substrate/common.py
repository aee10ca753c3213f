"""Rules that the evaluations share: one cog, a small window, moves only, one goal that pays 1."""

from collections.abc import Sequence

from pydantic import Field

from mettagrid.cogame.core import CoGameMission
from mettagrid.config.action_config import ActionsConfig, ChangeVibeActionConfig
from mettagrid.config.filter import AnyFilter, actorHasTag, isNot
from mettagrid.config.game_value import stat
from mettagrid.config.handler_config import Handler
from mettagrid.config.mettagrid_config import AgentConfig, GameConfig, GridObjectConfig, MettaGridConfig, WallConfig
from mettagrid.config.mutation import AnyMutation, EntityTarget, addTag, logActorAgentStat, logStatToGame
from mettagrid.config.obs_config import GlobalObsConfig, ObsConfig
from mettagrid.config.render_config import RenderConfig
from mettagrid.config.reward_config import reward

SOLVED = "state:solved"
_WINDOW = 7
_TOKENS = 64

MINIMAL_ACTIONS = ActionsConfig(change_vibe=ChangeVibeActionConfig(enabled=False, vibes=[]))
"""Moving and waiting."""


class CognitiveSubstrateMission(CoGameMission):
    """One cog, a small window, moves only; reaching the goal pays 1, once.

    `objects` are the objects other than walls, `symbols` their symbols in a terminal, `tags` the states of a cog.
    """

    num_cogs: int | None = 1
    max_cogs: int = Field(default=1, ge=1)
    objects: dict[str, GridObjectConfig] = Field(default_factory=dict)
    symbols: dict[str, str] = Field(default_factory=dict)
    tags: list[str] = Field(default_factory=list)

    def make_base_env(self) -> MettaGridConfig:
        nothing = GlobalObsConfig(
            episode_completion_pct=False, last_action=False, last_reward=False, last_action_move=True
        )
        game = GameConfig(
            resource_names=[],
            num_agents=1,
            max_steps=self.max_steps,
            obs=ObsConfig(width=_WINDOW, height=_WINDOW, num_tokens=_TOKENS, global_obs=nothing),
            agent=AgentConfig(rewards={"goal": reward(stat("goal.reached"), weight=1.0)}),
            actions=MINIMAL_ACTIONS.model_copy(deep=True),
            objects={"wall": WallConfig(), **self.objects},
            tags=sorted([SOLVED, *self.tags]),
            render=RenderConfig(symbols={"wall": "#", **self.symbols}),
            map_builder=self.map_builder,
            protocol_details_obs=False,
        )
        return MettaGridConfig(label=self.full_name(), game=game)


def success_handler(*, needs: Sequence[AnyFilter] = ()) -> Handler:
    """Return the handler of a goal: it solves the mission once, for a cog that passes `needs`."""
    moves = stat("action.move.success")
    return Handler(
        name="solve",
        filters=[isNot(actorHasTag(SOLVED)), *needs],
        mutations=[
            addTag(SOLVED, EntityTarget.ACTOR),
            logActorAgentStat("goal.reached"),
            logActorAgentStat("goal.steps_to_goal", source=moves),
            logStatToGame("goal.reached"),
            logStatToGame("goal.steps_to_goal", source=moves),
        ],
    )


def count_stat(name: str) -> list[AnyMutation]:
    """Return mutations that count a stat for the actor and for the game."""
    return [logActorAgentStat(name), logStatToGame(name)]


def rotate_clockwise(rows: Sequence[str]) -> list[str]:
    """Return a map turned by a quarter."""
    return ["".join(column) for column in zip(*reversed(rows), strict=True)]


def rotated_options(rows: Sequence[str]) -> list[str]:
    """Return a map in its four orientations, each as one text."""
    options = [list(rows)]
    for _ in range(3):
        options.append(rotate_clockwise(options[-1]))
    return ["\n".join(option) for option in options]
