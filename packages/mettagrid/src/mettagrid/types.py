"""Plain value types shared by the simulator, the policies and the configuration."""

from dataclasses import dataclass

from typing_extensions import TypedDict  # pydantic needs this one before Python 3.12

StatsDict = dict[str, float]


class EpisodeStats(TypedDict):
    """Statistics of one episode: one table for the game and one per agent, in agent order."""

    game: StatsDict
    agent: list[StatsDict]


@dataclass
class Action:
    """The action of an agent in one step.

    `name` is a full action name (`move_north`), `vibe` a full vibe action name (`change_vibe_heart_a`) taken in the
    same step, and `talk` a text to say.
    """

    name: str
    vibe: str | None = None
    talk: str | None = None
