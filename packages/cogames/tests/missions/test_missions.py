"""Missions by name."""

import warnings
from collections.abc import Iterator
from pathlib import Path

import pytest

import cogames.core
import cogames.game
import cogames.variants
from cogames import missions
from mettagrid.cogame.core import CogsError, MissionError, UnknownMission, UnknownVariant
from mettagrid.compiler.errors import ConfigWarning
from mettagrid.config.mettagrid_config import MettaGridConfig


@pytest.fixture(autouse=True)
def moves_cost_nothing() -> Iterator[None]:
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", "game.actions.move.consumed_resources", ConfigWarning)
        yield


@pytest.mark.parametrize(
    ("name", "label"),
    [
        ("arena", "arena"),
        ("machina_1.clips", "machina_1"),
        ("tutorial.miner", "tutorial"),
        ("tutorial:scrambler", "tutorial"),
        ("energy_starved", "energy_starved"),
        ("evals.energy_starved", "energy_starved"),
        ("evals:diagnostic_memory", "diagnostic_memory"),
        ("cvc_evals.eval_balanced_spread", "eval_balanced_spread"),
        ("eval_balanced_spread", "eval_balanced_spread"),
        ("miner_tutorial", "miner_tutorial"),
        ("hello_world.energy_starved", "energy_starved"),
        ("hello_world", "arena"),
        ("training_facility_1", "training_facility_open_1"),
        ("training_facility.harvest", "training_facility_open_1"),
        ("cogsguard_arena.basic", "arena"),
        ("cogsguard_arena:basic", "arena"),
        ("cogsguard_machina_1", "machina_1"),
        ("machina_1.open_world", "machina_1"),
        ("cogsguard_arena.basic.no_clips", "arena"),
        ("arena.no_clips.talk", "arena"),
    ],
)
def test_names(name: str, label: str) -> None:
    assert missions.load(name).label == label


def test_names_bring_variants() -> None:
    assert "miner_gained" in missions.load("tutorial.miner").game.agents[0].rewards
    env = missions.load("arena.no_clips.talk")
    assert env.game.talk.enabled and "clips:ship:0" not in env.game.objects


def test_variants_cogs_and_seed() -> None:
    env = missions.load("arena", variants=["no_clips"], cogs=3, seed=7)
    assert (env.game.num_agents, env.game.map_builder.seed) == (3, 7)
    assert "neutral_to_clips" not in env.game.events
    assert missions.load("vanilla_small", cogs=2, seed=7).game.num_agents == 2


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("arna", "Mission 'arna' not found. Did you mean 'arena'?"),
        ("tutorial.mner", "Mission 'tutorial.mner' not found. Did you mean 'tutorial.miner'"),
        ("arena.no_clip", "Mission 'arena.no_clip' not found. Did you mean 'arena.no_clips'"),
        ("evals.energy_starve", "Mission 'evals.energy_starve' not found. Did you mean 'evals.energy_starved'"),
        ("nowhere.at.all", "Mission 'nowhere.at.all' not found."),
    ],
)
def test_unknown_names_are_refused_in_one_line(name: str, message: str) -> None:
    with pytest.raises(UnknownMission) as caught:
        missions.load(name)
    assert str(caught.value).startswith(message)
    assert "\n" not in str(caught.value)


def test_bad_variants_and_cogs_are_refused_in_one_line() -> None:
    with pytest.raises(UnknownVariant, match=r"^Unknown variant 'no_clip'\. Did you mean 'no_clips'"):
        missions.load("arena", variants=["no_clip"])
    with pytest.raises(MissionError, match=r"exclude each other; choose one\.$"):
        missions.load("arena", variants=["multi_team", "four_score"])
    with pytest.raises(CogsError, match=r"^The mission 'arena' takes 1 to 20 cogs, not 0\.$"):
        missions.load("arena", cogs=0)


@pytest.mark.parametrize(
    ("pattern", "names"),
    [
        ("tutorial*", ["tutorial"]),
        ("arena*", ["arena"]),
        ("arena.*", ["arena"]),
        ("tutorial.m*", ["tutorial.miner"]),
        ("*four*", ["four_score"]),
        ("planning_*_easy", ["planning_unlock_chain_easy"]),
        ("cvc_evals.*oxygen*", ["cvc_evals.eval_clip_oxygen", "cvc_evals.eval_oxygen_bottleneck"]),
        ("machina*:no_clips", ["machina_1.no_clips"]),
        ("machina*:shaped", ["machina_1.shaped"]),
        ("*:shaped", [f"{name}.shaped" for name in ("empty", "machina_1", "arena", "tutorial", "four_score")]),
        ("cogsguard_mach*", ["cogsguard_machina_1", "cogsguard_machina_1.basic"]),
        ("arena", ["arena"]),
    ],
)
def test_wildcards(pattern: str, names: list[str]) -> None:
    assert missions.match(pattern) == names
    for name in names:
        missions.get_mission(name)


def test_wildcards_without_a_match_fail_with_the_nearest_names() -> None:
    with pytest.raises(UnknownMission, match=r"'machina_2_bigger:\*' not found\..*machina"):
        missions.match("machina_2_bigger:*")
    assert missions.list("zzz*") == []
    assert "arena" in missions.list()
    assert len(missions.list("diagnostic_*")) == 13


def test_sets() -> None:
    assert len(missions.mission_set("tournament")) == 14
    assert missions.mission_set("integrated_evals") == ["energy_starved"]
    with pytest.raises(MissionError, match=r"^Mission set 'tournamen' not found\. Did you mean 'tournament'\?$"):
        missions.mission_set("tournamen")


def test_files(tmp_path: Path) -> None:
    env = MettaGridConfig.EmptyRoom(num_agents=2)
    env.label = "mine"
    (tmp_path / "room.json").write_text(env.model_dump_json())
    (tmp_path / "room.py").write_text(
        "from mettagrid.config.mettagrid_config import MettaGridConfig\n"
        "def get_config():\n    return MettaGridConfig.EmptyRoom(num_agents=3)\n"
    )
    (tmp_path / "nothing.py").write_text("x = 1\n")
    (tmp_path / "wrong.yaml").write_text("game: {num_agent: 3}\n")
    (tmp_path / "broken.json").write_text("{")
    assert missions.load(str(tmp_path / "room.json"), seed=4).label == "mine"
    assert missions.load(str(tmp_path / "room.py")).game.num_agents == 3
    for name, message in (
        ("missing.yaml", "does not exist"),
        ("nothing.py", "defines neither"),
        ("wrong.yaml", "is not a valid environment: game.num_agent"),
        ("broken.json", "is not valid JSON"),
    ):
        with pytest.raises(MissionError, match=message) as caught:
            missions.load(str(tmp_path / name))
        assert "\n" not in str(caught.value)


def test_the_older_homes() -> None:
    assert {"CoGameMission", "CoGameMissionVariant", "Deps", "ResolvedDeps"} <= set(cogames.core.__all__)
    assert {"CoGame", "get_game", "register_game"} <= set(cogames.game.__all__)
    assert "VariantRegistry" in cogames.variants.__all__
