"""`cogames ladder` on a game whose scores are known: who wins, how policies meet, what is written and refused."""

import csv
import fcntl
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from packages.cogames.tests.ladder.conftest import Ran, mover, write_mission

Command = Callable[..., Ran]


# Replays take a second start of the workers; the tests of the report have them.
NO_REPLAYS = ("--replays", 0)


def results(folder: Path) -> Any:
    return json.loads((folder / "results.json").read_bytes())


def test_the_standings_follow_the_scores(ladder: Command, work: Path) -> None:
    ran = ladder(
        "-p", mover(1), "-p", mover(6), "-p", mover(3), "-m", "moves.py", "-e", 3, "-o", "out", "-j", 1, *NO_REPLAYS
    )
    assert ran.code == 0, ran.err
    found = results(work / "out")
    assert [row["name"] for row in found["standings"]] == ["Mover,moves=6", "Mover,moves=3", "Mover,moves=1"]
    assert [(row["wins"], row["draws"], row["losses"]) for row in found["standings"]] == [
        (6, 0, 0),
        (3, 0, 3),
        (0, 0, 6),
    ]
    assert found["matrix"] == [[None, 1.0, 1.0], [0.0, None, 1.0], [0.0, 0.0, None]]
    best = found["standings"][0]["rating"]
    assert best["low"] < best["rating"] < best["high"]
    top = found["pairings"][0]
    assert (top["first"], top["second"], top["wins"], top["losses"]) == ("Mover,moves=6", "Mover,moves=3", 3, 0)
    # Moves are the score itself here, so the idle steps explain it.
    assert top["decided"] in ("idle steps", "cells explored", "failed moves")
    assert "Mover,moves=6" in ran.out.splitlines()[4] and "Report: out/report.html" in ran.out


def test_solo_games_are_played_once_and_shared_by_pairings(ladder: Command, work: Path) -> None:
    ladder(
        "-p",
        mover(1),
        "-p",
        mover(2),
        "-p",
        mover(3),
        "-p",
        mover(4),
        "-m",
        "moves.py",
        "-e",
        2,
        "-o",
        "out",
        *NO_REPLAYS,
    )
    assert len(list((work / "out" / "games").iterdir())) == results(work / "out")["games"] == 4 * 2
    duels = results(work / "out")["duels"]
    assert len(duels) == 6 * 2
    assert len({duel["seed"] for duel in duels}) == 2  # all policies play the same maps


def test_teams_meet_on_both_sides(ladder: Command, work: Path) -> None:
    ran = ladder("-p", mover(5), "-p", mover(2), "-m", "versus.py", "-e", 3, "-o", "out", *NO_REPLAYS)
    assert ran.code == 0, ran.err
    found = results(work / "out")
    assert found["plan"]["missions"][0]["meeting"] == "teams"
    assert [duel["games"] for duel in found["duels"]] == [[f"00-00{n}-00-01-a", f"00-00{n}-00-01-b"] for n in range(3)]
    assert (found["standings"][0]["name"], found["standings"][0]["wins"]) == ("Mover,moves=5", 3)


def test_a_policy_draws_with_itself_in_every_meeting(ladder: Command, work: Path) -> None:
    for mission, meeting in (("moves.py", "solo"), ("moves.py", "mixed"), ("versus.py", "teams")):
        out = f"out-{meeting}"
        ran = ladder("-p", mover(3), "-p", mover(3), "-m", mission, "--meet", meeting, "-e", 2, "-o", out, *NO_REPLAYS)
        assert ran.code == 0, ran.err
        found = results(work / out)
        assert [duel["result"] for duel in found["duels"]] == [0.5, 0.5], meeting
        assert [row["rating"]["rating"] for row in found["standings"]] == [1500.0, 1500.0]
        assert [row["name"] for row in found["standings"]] == ["Mover,moves=3", "Mover,moves=3 (2)"]


def test_mixed_compares_policies_beside_the_same_partners(ladder: Command, work: Path) -> None:
    words = [
        "-p",
        mover(1),
        "-p",
        mover(4),
        "-p",
        mover(6),
        "-m",
        "moves.py",
        "--meet",
        "mixed",
        "-e",
        1,
        "-o",
        "out",
        *NO_REPLAYS,
    ]
    assert ladder(*words).code == 0
    found = results(work / "out")
    assert [row["name"] for row in found["standings"]] == ["Mover,moves=6", "Mover,moves=4", "Mover,moves=1"]
    games = {path.stem for path in (work / "out" / "games").iterdir()}
    pairs = [f"{pair}-{side}" for pair in ("00-01", "00-02", "01-02") for side in "ab"]
    assert games == {f"00-000-{players}" for players in ["00", "01", "02", *pairs]}


def test_swiss_plays_rounds_without_repetition_on_new_maps(ladder: Command, work: Path) -> None:
    policies = [word for moves in (1, 2, 4, 6) for word in ("-p", mover(moves))]
    ran = ladder(*policies, "-m", "moves.py", "--system", "swiss", "--rounds", 2, "-e", 2, "-o", "out", *NO_REPLAYS)
    assert ran.code == 0, ran.err
    found = results(work / "out")
    first, second = (played["pairs"] for played in found["rounds"])
    assert first == [["Mover,moves=1", "Mover,moves=2"], ["Mover,moves=4", "Mover,moves=6"]]
    assert second == [["Mover,moves=2", "Mover,moves=6"], ["Mover,moves=1", "Mover,moves=4"]]
    assert sorted({duel["map"] for duel in found["duels"]}) == [0, 1, 2, 3]
    assert len(found["duels"]) == 2 * 2 * 2
    assert found["standings"][0]["name"] == "Mover,moves=6"


@pytest.mark.parametrize(
    ("bad", "status", "message"),
    [
        ("players.Raiser", "crashed", "no idea, says <players.Raiser object at 0x...>"),
        ("players.Dier", "killed", "its process ended with status 7"),
        ("players.Unborn", "crashed", "no weights"),
    ],
)
def test_a_policy_that_fails_loses_and_the_ladder_continues(
    ladder: Command, work: Path, bad: str, status: str, message: str
) -> None:
    ran = ladder(
        "-p", f"class={bad},kw.moves=8", "-p", mover(1), "-p", mover(0), "-m", "moves.py", "-e", 1, "-o", "out"
    )
    assert ran.code == 0, ran.err
    found = results(work / "out")
    name = bad.partition(".")[2]
    assert [row["name"] for row in found["standings"]] == ["Mover,moves=1", "Mover,moves=0", f"{name},moves=8"]
    (failure,) = found["failures"]
    assert (failure["name"], failure["status"], failure["games"]) == (f"{name},moves=8", status, 1)
    assert message in failure["message"]
    assert {pairing["decided"] for pairing in found["pairings"] if pairing["second"].startswith(name)} == {"failures"}
    assert f"warning: {name},moves=8 failed in 1 of 1 games" in ran.err
    assert failure["message"].partition("<")[0] in (work / "out" / "report.html").read_text()


def test_a_policy_that_plays_differently_again_is_named_in_the_caption(ladder: Command, work: Path) -> None:
    ladder("-p", "players.Fickle", "-p", mover(0), "-m", "moves.py", "-e", 2, "-o", "out", "--replays", 2, "-j", 1)
    captions = [replay["caption"] for replay in results(work / "out")["replays"]]
    assert [("not deterministic" in caption, "Fickle" in caption) for caption in captions] == [
        (True, True),
        (False, False),
    ]


def test_missed_deadlines_are_reported(ladder: Command, work: Path) -> None:
    words = ["-p", "class=players.Slow,kw.moves=3", "-p", mover(2), "-m", "moves.py", "-e", 1, "-o", "out", *NO_REPLAYS]
    ran = ladder(*words, "--action-timeout-ms", 20)
    slow = next(row for row in results(work / "out")["standings"] if row["name"] == "Slow,moves=3")
    assert slow["timeouts"] >= 4 and slow["failures"] == 0
    assert f"warning: Missed deadlines: Slow,moves=3 ({slow['timeouts']})" in ran.err


def test_a_mission_without_rewards_is_named(ladder: Command, work: Path) -> None:
    ran = ladder("-p", mover(0), "-p", "noop", "-m", "moves.py", "-e", 1, "-o", "out", *NO_REPLAYS)
    assert "All policies scored 0.00 on moves.py: it does not tell them apart" in ran.err


def test_two_ladders_cannot_share_a_folder(ladder: Command, work: Path) -> None:
    words = ["-p", mover(1), "-p", mover(2), "-m", "moves.py", "-e", 1, "-o", "out", *NO_REPLAYS]
    (work / "out").mkdir()
    with (work / "out" / ".lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        assert "Another ladder is running in out" in ladder(*words).error
    assert ladder(*words).code == 0


def test_documents_and_tables(ladder: Command, work: Path) -> None:
    words = ["-p", mover(1), "-p", mover(2), "-m", "moves.py", "-e", 2, "-o", "out", *NO_REPLAYS]
    ran = ladder(*words, "--format", "json")
    assert json.loads(ran.out) == results(work / "out")
    rows = list(csv.DictReader(ladder(*words, "--format", "csv").out.splitlines()))
    assert [(row["rank"], row["policy"], row["wins"]) for row in rows] == [
        ("1", "Mover,moves=2", "2"),
        ("2", "Mover,moves=1", "0"),
    ]
    assert float(rows[0]["rating"]) > float(rows[1]["rating"])
    pairings = list(csv.DictReader((work / "out" / "pairings.csv").read_text().splitlines()))
    assert float(pairings[0]["difference"]) > 0
    assert len(list(csv.DictReader((work / "out" / "duels.csv").read_text().splitlines()))) == 2


def test_the_default_folder_belongs_to_the_plan(ladder: Command, work: Path) -> None:
    words = ["-p", mover(1), "-p", mover(2), "-m", "moves.py", "-e", 1, "--replays", 0]
    for seed in (1, 2, 2):
        assert ladder(*words, "--seed", seed).code == 0
    assert len(list((work / "outputs" / "cogames-ladder").iterdir())) == 2


def test_against_house_adds_the_built_in_policies_and_names_the_missing_ones(
    ladder: Command, work: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("cogames.ladder.house.HOUSE", ("random", "starter", "not-installed"))
    ran = ladder(
        "-p", "starter", "--against", "house", "-m", "arena", "-c", 2, "-s", 5, "-e", 1, "-o", "out", *NO_REPLAYS
    )
    assert ran.code == 0, ran.err
    assert "The house set plays without not-installed: not installed" in ran.err
    assert {row["name"] for row in results(work / "out")["standings"]} == {"starter", "random"}


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["-p", "starter"], "A ladder needs at least two policies; got 1"),
        (["-p", "starter", "-p", "startr"], "Unknown policy 'startr'"),
        (["-p", "starter", "-p", "players.Missing"], "Unknown policy 'players.Missing'"),
        (["-p", "starter", "-p", "players.Missing", "--isolate", "-m", "one.py", "--meet", "mixed"], "one seat"),
        (["-p", "starter", "-p", "missing_module.Policy", "--isolate"], "Unknown policy 'missing_module.Policy'"),
        (["-p", "starter:2", "-p", "random"], "share of the seats"),
        (["-p", "starter", "-p", "random", "-m", "nowhere"], "nowhere"),
        (
            ["-p", "starter", "-p", "random", "-m", "empty.py"],
            "'empty.py' cannot be played: Number of agents 4 exceeds available spawn points 0",
        ),
        (["-p", "starter", "-p", "random", "-m", "none.yaml"], "game.num_agents: Input should be greater"),
        (["-p", "starter", "-p", "random", "-m", "moves.py", "--meet", "teams"], "one team"),
        (["-p", "starter", "-p", "random", "--rounds", "3"], "--rounds is for --system swiss"),
        (["-p", "starter", "-p", "random", "-m", "arena", "-S", "cvc_evals"], "cannot be combined"),
    ],
)
def test_bad_input_gets_one_sentence(ladder: Command, work: Path, words: list[str], message: str) -> None:
    write_mission(work / "one.py", agents=1)
    write_mission(work / "empty.py", spawns=0)
    (work / "none.yaml").write_text("game:\n  num_agents: 0\n")
    ran = ladder(*words, "-o", "out", *NO_REPLAYS)
    assert ran.code == 1
    assert message in ran.error, ran.err
    assert "Traceback" not in ran.err
    assert not (work / "out").exists()


def test_another_plan_in_the_same_folder_is_refused(ladder: Command, work: Path) -> None:
    words = ["-p", mover(1), "-p", mover(2), "-m", "moves.py", "-e", 1, "-o", "out", *NO_REPLAYS]
    assert ladder(*words).code == 0
    before = {path: path.read_bytes() for path in (work / "out").rglob("*") if path.is_file()}
    for more, difference in [
        (
            ["-p", mover(3)],
            "its policies are Mover,moves=1, Mover,moves=2, not Mover,moves=1, Mover,moves=2, Mover,moves=3",
        ),
        (["--seed", 7], "its seed is 42, not 7"),
        (["-s", 3], "moves.py has changed since it began"),
    ]:
        ran = ladder(*words, *more)
        assert (ran.code, difference in ran.error) == (1, True), ran.err
        assert ran.hints == ["choose another --output, or delete the folder to start again"]
    (work / "players.py").write_text((work / "players.py").read_text() + "\n# edited\n")
    assert "Mover,moves=1 has changed since it began" in ladder(*words).error
    assert {path: path.read_bytes() for path in (work / "out").rglob("*") if path.is_file()} == before


def test_a_folder_with_other_files_is_refused(ladder: Command, work: Path) -> None:
    ran = ladder("-p", mover(1), "-p", mover(2), "-m", "moves.py", "-o", ".")
    assert ran.code == 1 and "has files that belong to no ladder" in ran.error
    ran = ladder("-p", mover(1), "-p", mover(2), "-m", "moves.py", "-o", "players.py")
    assert ran.code == 1 and "is a file" in ran.error
