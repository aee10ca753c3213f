"""`-c` beyond the limits of a mission is refused, with the limits, by every command that takes it."""

from typing import Any

import pytest

from cogames import missions
from cogames.missions import choose_missions
from cogames.missions.cog_limits import fit_cogs
from mettagrid.cogame.core import CoGameMission, CogsError
from mettagrid.cogame.game import CoGame
from mettagrid.config.mettagrid_config import GameConfig, MettaGridConfig
from mettagrid.map_builder.ascii import AsciiMapBuilder
from mettagrid.simulator import Simulation


@pytest.mark.parametrize(
    ("mission", "cogs", "limits"),
    [
        ("arena", 21, "1 to 20 cogs"),
        ("machina_1", 4, "8 cogs"),
        ("machina_1.clips", 9, "8 cogs"),
        ("four_score", 84, "4 to 80 cogs"),
        ("tutorial.miner", 5, "1 to 4 cogs"),
        ("memory_mystery_path_easy", 2, "1 cog"),
        ("vanilla_small", 5, "1 to 4 cogs (its map has 4 spawn points)"),
        ("energy_starved", 500, "1 to 56 cogs (its map has 56 spawn points)"),
    ],
)
def test_the_refusal_names_the_limits(mission: str, cogs: int, limits: str) -> None:
    with pytest.raises(CogsError) as refused:
        missions.load(mission, cogs=cogs)
    assert str(refused.value) == f"The mission {mission.partition('.')[0]!r} takes {limits}, not {cogs}."


@pytest.mark.parametrize(
    "words",
    [
        ["play", "-r", "none"],
        ["run", "-p", "noop"],
        ["scrimmage", "-p", "noop"],
        ["pickup", "-p", "noop", "--pool", "random"],
        ["missions"],
        ["make-mission"],
        ["eval", "-p", "noop"],
    ],
    ids=lambda words: words[0],
)
def test_every_command_refuses_in_one_sentence(cogames: Any, words: list[str]) -> None:
    ran = cogames(*words, "-m", "arena", "-c", "21")
    assert (ran.code, ran.out, ran.error) == (1, "", "Error: The mission 'arena' takes 1 to 20 cogs, not 21.")
    assert ran.hints == ["omit -c to use the mission's default number of cogs"]


def test_describe_and_diagnose_refuse_too(cogames: Any) -> None:
    assert cogames("describe", "machina_1", "-c", "4").error == "Error: The mission 'machina_1' takes 8 cogs, not 4."
    ran = cogames("diagnose", "noop", "-S", "role_specific_evals", "-c", "9", "--output-dir", "out")
    assert (ran.code, ran.error) == (1, "Error: No chosen mission of 'role_specific_evals' takes 9 cogs; they take 4.")
    ran = cogames("diagnose", "noop", "-S", "integrated_evals", "--experiments", "zork", "--output-dir", "out")
    said = "Error: The mission set 'integrated_evals' has no mission 'zork'; it has energy_starved."
    assert (ran.code, ran.error) == (1, said)


@pytest.mark.parametrize(("mission", "cogs"), [("arena", 20), ("arena", 1), ("four_score", 80), ("energy_starved", 56)])
def test_the_limits_themselves_can_be_played(mission: str, cogs: int) -> None:
    env = missions.load(mission, cogs=cogs, seed=3)
    assert Simulation(env, seed=3).num_agents == cogs


def test_the_default_of_a_command_fits_the_mission(cogames: Any) -> None:
    ran = cogames("pickup", "-m", "machina_1", "-p", "noop", "--pool", "noop", "-s", "1")
    assert ran.code == 0 and ran.out.startswith("Pickup on machina_1: 8 cogs,")
    alone = choose_missions([], mission_set="training_maps")[-1]
    assert (alone.name, alone.env.game.num_agents) == ("machina_eval_template_large", 1)
    assert fit_cogs(missions.get_mission("arena"), 4) == 4


class Crowded(CoGameMission):
    """A mission that has more cogs by default than its map has spawn points, as some published ones."""

    name: str = "crowded"
    map_builder: AsciiMapBuilder.Config = AsciiMapBuilder.Config(
        map_data=["#####", "#@.@#", "#####"], char_to_map_name={}
    )
    num_cogs: int | None = 8

    def make_base_env(self) -> MettaGridConfig:
        return MettaGridConfig(game=GameConfig(num_agents=self.num_cogs or 8, map_builder=self.map_builder))


def test_a_mission_with_too_many_cogs_by_default_starts_with_those_that_fit(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(missions.catalog, "get_game", lambda name: CoGame(name, [Crowded()], []))
    assert missions.get_mission("crowded").num_cogs == 8
    assert missions.load("crowded").game.num_agents == 2
    with pytest.raises(CogsError, match=r"takes 1 to 2 cogs \(its map has 2 spawn points\), not 3\.$"):
        missions.load("crowded", cogs=3)
