"""Missions, patterns, sets and variants of the published documents resolve, or are answered with the nearest names."""

import json
import re
from pathlib import Path
from typing import Any

import pytest

SHAPED = [f"{name}.shaped" for name in ("empty", "machina_1", "arena", "tutorial", "four_score")]

RESOLVED = {
    "arena": ["arena"],
    "machina_1": ["machina_1"],
    "four_score": ["four_score"],
    "cogsguard_arena.basic": ["arena"],
    "training_facility_1": ["training_facility_open_1"],
    "arena.*": ["arena"],
    "machina*:shaped": ["machina_1.shaped"],
    "*:shaped": SHAPED,
    # Not in the documents word for word, but their forms with other names.
    "machina*": ["machina_1"],
    "machina_1:shaped": ["machina_1.shaped"],
    "cogsguard_arena:basic": ["arena"],
    "cogsguard_arena.*": ["arena"],
    "cogsguard_machina_1.basic": ["machina_1"],
    "hello_world.*": ["arena", "easy_small_hearts"],
    "hello_world.energy_starved": ["energy_starved"],
    "evals.energy_starved": ["energy_starved"],
    "cvc_evals.*oxygen*": ["eval_clip_oxygen", "eval_oxygen_bottleneck"],
    "training_facility_*": [
        *(f"training_facility_{name}" for name in ("open_1", "open_2", "open_3", "tight_4", "tight_5", "clipped"))
    ],
}
ANSWERED = {
    "machina_2_bigger:*": "'machina_1'",
    "machina_2_bigger": "'machina_1'",
    "machina_2_bigger:shaped": "'machina_1.shaped'",
    "mission_1": "'machina_1'",  # stands for any name in an example
    "mission_2": "Missions: empty, machina_1, arena,",
    "cvc_evals": "It is a set: `-S cvc_evals` or `-m 'cvc_evals.*'`",
    "evals": "It is a set: `-m 'evals.*'`",
    "zork": "Missions: empty, machina_1, arena, tutorial, four_score. Run `cogames missions --evals` for more.",
}
SETS = {"integrated_evals": 1, "role_specific_evals": 4, "cvc_evals": 15}
VARIANTS = ("talk", "shaped")


@pytest.mark.parametrize("name", RESOLVED)
def test_run_resolves_a_name_or_a_pattern(cogames: Any, name: str) -> None:
    ran = cogames("run", "-m", name, "-p", "noop", "-e", "1", "-s", "1", "--format", "json")
    assert [mission["mission_name"] for mission in json.loads(ran.out)["missions"]] == RESOLVED[name]


@pytest.mark.parametrize("name", RESOLVED)
@pytest.mark.parametrize(
    "words", [["missions", "-m"], ["play", "-r", "none", "-s", "1", "-m"]], ids=lambda words: words[0]
)
def test_a_command_for_one_mission_takes_a_pattern_that_one_matches(cogames: Any, words: list[str], name: str) -> None:
    ran = cogames(*words, name)
    if len(RESOLVED[name]) == 1:
        assert ran.code == 0 and RESOLVED[name][0] in ran.out.splitlines()[0]
    else:
        assert ran.code == 1 and ran.error.startswith(f"Error: The pattern '{name}' matches ")
        assert all(chosen in ran.error for chosen in RESOLVED[name])


@pytest.mark.parametrize("name", ANSWERED)
@pytest.mark.parametrize(
    "words",
    [["missions", "-m"], ["describe"], ["play", "-m"], ["run", "-p", "noop", "-m"], ["scrimmage", "-p", "noop", "-m"]],
    ids=lambda words: words[0],
)
def test_an_unknown_name_is_answered_with_the_nearest(cogames: Any, words: list[str], name: str) -> None:
    ran = cogames(*words, name)
    assert (ran.code, ran.out) == (1, "")
    assert "not found" in ran.error or "No missions found for" in ran.error
    assert ANSWERED[name] in ran.error
    assert "basic'" not in ran.error  # an older spelling is not a good suggestion


@pytest.mark.parametrize("name", SETS)
def test_sets(cogames: Any, name: str) -> None:
    ran = cogames("run", "-S", name, "-p", "noop", "-e", "1", "-s", "1", "--format", "json")
    assert len(json.loads(ran.out)["missions"]) == SETS[name]


@pytest.mark.parametrize("name", VARIANTS)
def test_variants(cogames: Any, name: str) -> None:
    assert cogames("missions", "-m", "machina_1", "-v", name).out.startswith("Mission      machina_1")


@pytest.mark.parametrize(
    ("pattern", "answer"),
    [
        ("energy", "in this list; other matches: energy_starved"),
        ("*:shaped", f"in this list; other matches: {', '.join(SHAPED)}"),
        ("machina_2_bigger:*", "Did you mean 'machina_1'"),
    ],
)
def test_a_list_without_a_match_names_other_matches(cogames: Any, pattern: str, answer: str) -> None:
    ran = cogames("missions", pattern)
    assert (ran.code, ran.out) == (0, "") and answer in ran.err


def test_the_tables_have_every_name_of_the_documents(shared_dir: Path) -> None:
    texts = [path.read_text(encoding="utf-8") for path in sorted((shared_dir / "documents").glob("*.txt"))]
    lines = [line for text in texts for line in text.splitlines() if "cogames" in line and "python -m" not in line]
    missions = {name for line in lines for name in re.findall(r"-m '?([\w.:*]+)", line)}
    sets = {name for line in lines for name in re.findall(r"-S '?([\w.:*]+)", line)}
    variants = {name for line in lines for name in re.findall(r" -v ([\w.:*]+)", line)}
    assert len(missions) >= 9 and missions <= {*RESOLVED, *ANSWERED}
    assert sets and sets <= SETS.keys()
    assert variants and variants <= set(VARIANTS)
