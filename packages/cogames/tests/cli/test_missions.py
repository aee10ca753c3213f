"""Missions after `-m` and `-S`, and the command that lists them."""

import json
from pathlib import Path
from typing import Any

import pytest

from cogames.missions import choose_missions
from mettagrid.cogame.errors import MissionError


@pytest.mark.parametrize(
    ("names", "chosen"),
    [
        (["arena"], ["arena"]),
        (["tutorial*"], ["tutorial"]),
        (["arena.*"], ["arena"]),
        (["tutorial.*er"], ["tutorial.aligner", "tutorial.miner", "tutorial.scrambler"]),
        (["machina*:shaped"], ["machina_1.shaped"]),
        (["planning_*_easy", "planning_unlock_chain_easy"], ["planning_unlock_chain_easy"]),
        (["evals.energy_starved", "energy_starved"], ["energy_starved"]),
        (["tutorial:miner", "tutorial.miner", "tutorial"], ["tutorial.miner", "tutorial"]),
        (["cvc_evals.eval_balanced_spread"], ["eval_balanced_spread"]),
        (["cogsguard_arena.basic"], ["arena"]),
        (["cogsguard_machina_1.basic", "machina_1.open_world"], ["machina_1"]),
        (["training_facility.harvest", "training_facility_1"], ["training_facility_open_1"]),
        (["hello_world"], ["arena"]),
        (["arena.no_clips.talk"], ["arena.no_clips.talk"]),
    ],
    ids=lambda value: " ".join(value),
)
def test_names_and_patterns(names: list[str], chosen: list[str]) -> None:
    assert [mission.name for mission in choose_missions(names)] == chosen


@pytest.mark.parametrize(
    ("name", "size"),
    [("role_specific_evals", 4), ("cognitive_substrate_memory", 3), ("integrated_evals", 1)],
)
def test_sets_have_their_missions_and_four_cogs_where_that_is_possible(name: str, size: int) -> None:
    missions = choose_missions([], mission_set=name)
    assert len(missions) == size
    assert {mission.env.game.num_agents for mission in missions} == {1 if "substrate" in name else 4}
    assert {mission.env.game.num_agents for mission in choose_missions([], mission_set=name, cogs=1)} == {1}


def test_missions_and_a_set_exclude_each_other(cogames: Any) -> None:
    with pytest.raises(MissionError):
        choose_missions(["arena"], mission_set="cvc_evals")
    ran = cogames("run", "-m", "arena", "-S", "cvc_evals", "-p", "noop")
    assert (ran.code, ran.error) == (1, "Error: -m/--mission and -S/--mission-set cannot be combined.")


@pytest.mark.parametrize(
    ("words", "error", "hint"),
    [
        (["play", "-m", "arna"], "Error: Mission 'arna' not found. Did you mean 'arena'", "use a known mission name"),
        (["run", "-m", "zzz*", "-p", "noop"], "Error: No missions found for ['zzz*'].", "use known mission names"),
        (["run", "-m", "machina_2_bigger:*", "-p", "noop"], "Did you mean 'machina_1", "use known mission names"),
        (["scrimmage", "-m", "zzz", "-p", "noop"], "Error: Mission 'zzz' not found.", "use known mission names"),
        (["pickup", "-m", "zzz", "-p", "noop", "--pool", "noop"], "Mission 'zzz' not found.", "use a known mission"),
        (["run", "-S", "no_such_evals", "-p", "noop"], "Error: Mission set 'no_such_evals' not found.", "use known"),
        (["play", "-m", "arena", "-v", "zork"], "Error: Unknown variant 'zork'.", "variants: adaptive_clips, aligner,"),
        (["run", "-m", "arena", "-p", "noop", "-v", "zork"], "Error: Unknown variant 'zork'.", "variants: adaptive_"),
        (["play", "-m", "nowhere.yaml"], "Error: The mission file 'nowhere.yaml' does not exist.", "use a known"),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, list) else "",
)  # fmt: skip
def test_an_invalid_choice_is_refused_in_one_line(cogames: Any, words: list[str], error: str, hint: str) -> None:
    ran = cogames(*words)
    assert (ran.code, ran.out) == (1, "")
    assert error in ran.error
    assert ran.hints[0].startswith(hint)


@pytest.mark.parametrize(
    ("command", "what"),
    [
        ("play", "Missing: --mission / -m"),
        ("run", "Supply at least one: --mission / -m"),
        ("scrimmage", "Supply at least one: --mission / -m"),
    ],
)
def test_without_a_mission_there_is_help_and_a_table_of_missions(cogames: Any, command: str, what: str) -> None:
    ran = cogames(command)
    assert (ran.code, ran.out) == (1, "")
    lines = ran.err.splitlines()
    assert lines[0] == lines[-1] == f"Usage: cogames {command} [OPTIONS]"
    assert what in lines
    header = next(line for line in lines if line.startswith("Mission "))
    assert header.split("  ")[0] == "Mission" and "Cogs" in header and "Map Size" in header and "Description" in header
    assert any(line.startswith("machina_1 ") and " 8-8 " in line and " 88x88 " in line for line in lines)
    assert "  tutorial.miner" in lines


@pytest.mark.parametrize("ending", ["yaml", "json"])
def test_a_saved_mission_can_be_played(cogames: Any, ending: str) -> None:
    file = f"mine.{ending}"
    saved = cogames("missions", "-m", "arena", "-v", "no_clips", "-c", "3", "--save", file)
    assert (saved.code, saved.out) == (0, "")
    ran = cogames("run", "-m", file, "-p", "noop", "-e", "1", "-s", "3", "--format", "json", "-v", "ignored", "-c", "7")
    mission = json.loads(ran.out)["missions"][0]
    assert mission["mission_name"] == file
    assert mission["mission_summary"]["policy_summaries"][0]["agent_count"] == 3


@pytest.mark.parametrize("maker", ["def get_config(): return made", "config = made"])
def test_a_python_file_can_be_a_mission(cogames: Any, tmp_path: Path, maker: str) -> None:
    lines = [
        "from cogames.missions import load",
        "assert __name__ == 'game_config'",
        "made = load('arena', cogs=2)",
        maker,
    ]
    (tmp_path / "mission.py").write_text("\n".join(lines))
    ran = cogames("play", "-m", "mission.py", "-s", "2", "-r", "none")
    assert ran.code == 0
    assert ran.out.startswith("Playing mission.py\nMax Steps: 2, Render: none\n")


@pytest.mark.parametrize(
    ("name", "text", "message"),
    [
        ("a.py", "x = 1", "defines neither get_config() nor config"),
        ("b.py", "config = 1", "returns int, not a MettaGridConfig"),
        ("c.json", "[1]", "contains list; it must be a mapping"),
        ("d.yaml", "game: {no_such_field: 1}", "is not a valid environment: game.no_such_field"),
        ("e.json", "{", "is not valid JSON"),
    ],
)
def test_files_that_are_not_missions_are_refused(
    cogames: Any, tmp_path: Path, name: str, text: str, message: str
) -> None:
    (tmp_path / name).write_text(text)
    ran = cogames("play", "-m", name, "-r", "none")
    assert ran.code == 1
    assert message in ran.error


def test_missions_are_listed_with_their_details(cogames: Any) -> None:
    ran = cogames("missions")
    assert ran.code == 0
    assert [line.split()[0] for line in ran.out.splitlines()[2:]] == [
        "empty", "machina_1", "machina_1.clips", "arena",
        "tutorial", "tutorial.aligner", "tutorial.miner", "tutorial.scout", "tutorial.scrambler", "four_score",
    ]  # fmt: skip
    evals = json.loads(cogames("missions", "--evals", "--format", "json").out)
    assert len([row for row in evals if row["name"].startswith("eval_")]) == 10
    assert [row["name"] for row in json.loads(cogames("missions", "--evals", "energy", "--format", "json").out)] == [
        "energy_starved", "eval_energy_starved",
    ]  # fmt: skip
    variants = json.loads(cogames("missions", "--variants", "--format", "json").out)
    assert {"no_clips", "shaped"} <= {row["name"] for row in variants}


def test_one_mission_is_described_or_printed_whole(cogames: Any) -> None:
    text = cogames("missions", "-m", "arena", "-c", "4").out
    assert "Agents       4\n" in text and "Observation  13x13 cells, 500 tokens\n" in text
    document = json.loads(cogames("missions", "-m", "arena", "-c", "4", "--map-seed", "7", "--format", "json").out)
    assert (document["label"], document["game"]["num_agents"]) == ("arena", 4)
    assert document["game"]["map_builder"]["seed"] == 7
    wide = cogames("missions", "-m", "arena", "--width", "70", "--format", "json").out
    assert json.loads(wide)["game"]["map_builder"]["width"] == 70
    refused = cogames("missions", "-m", "vanilla_small", "--width", "70")
    assert (refused.code, refused.error) == (1, "Error: The map of this mission is drawn, so its size is fixed.")
    assert cogames("missions", "--save", "a.yaml").error == "Error: --save needs a mission."
    assert "Cannot save a mission as 'a.txt'" in cogames("missions", "-m", "arena", "--save", "a.txt").error


def test_an_unknown_game_is_refused(cogames: Any) -> None:
    ran = cogames("play", "--game", "chess", "-m", "arena")
    assert (ran.code, ran.error, ran.hints) == (1, "Error: Game 'chess' not found. Known: cogsguard.", [])
