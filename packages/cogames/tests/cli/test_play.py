"""`play` and `replay`."""

import base64
import json
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, urljoin, urlsplit
from urllib.request import urlopen

import pytest

from cogames.episodes.single import assign_teams, has_share
from tests.support import require_tool


def test_an_episode_is_played_and_summed_up(cogames: Any) -> None:
    ran = cogames("play", "-m", "arena", "-p", "starter", "-s", "60", "-r", "none")
    assert (ran.code, ran.err) == (0, "")
    lines = ran.out.splitlines()
    assert lines[:5] == ["Playing arena", "Max Steps: 60, Render: none", "", "Episode Complete!", "Steps: 60"]
    assert lines[6:8] == ["Episode Stats", "Category  Stat     Gained  Lost  Final"]
    rows = {tuple(line.split()[:2]): line.split()[2:] for line in lines[9:]}
    assert rows["Gear", "miner"] == ["4", "0", "4"]
    assert rows["Gear", "aligner"] == ["4", "0", "4"]
    assert ("Hearts", "hearts") in rows and ("Score", "per") in rows


def test_without_gear_the_stats_are_listed(cogames: Any) -> None:
    ran = cogames("play", "-m", "arena", "-s", "1", "-r", "none")
    table = ran.out.partition("Episode Stats\n")[2].splitlines()
    assert table[0].split() == ["Stat", "Value"]
    assert [line.rsplit(None, 1) for line in table[2:7]] == [
        ["energy.lost", "640"],
        ["hp.gained", "408"],
        ["hp.lost", "8"],
        ["solar.gained", "16"],
        ["Score (per cog)", "0.00"],
    ]


@pytest.mark.parametrize(("words", "steps"), [([], 96), (["-s", "7"], 7)])
def test_the_mission_limits_the_steps_unless_steps_are_given(cogames: Any, words: list[str], steps: int) -> None:
    ran = cogames("play", "-m", "memory_mystery_path_easy", "-r", "none", *words)
    assert f"\nSteps: {steps}\n" in ran.out


def test_a_mission_without_end_needs_a_number_of_steps(cogames: Any) -> None:
    ran = cogames("play", "-m", "arena", "-v", "endless", "-r", "none")
    assert ran.code == 1
    assert "never ends" in ran.err and "add --steps N" in ran.err
    assert "\nSteps: 3\n" in cogames("play", "-m", "arena", "-v", "endless", "-r", "none", "-s", "3").out


def test_the_log_view_writes_every_step_to_stderr(cogames: Any) -> None:
    ran = cogames("play", "-m", "arena", "-s", "3", "-r", "log")
    assert "Episode rewards" not in ran.out
    assert [line.split("Step ")[1] for line in ran.err.splitlines() if "Step " in line] == ["1", "2", "3"]
    assert "Done: True" in ran.err


@pytest.fixture
def no_display(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("DISPLAY", "WAYLAND_DISPLAY", "BROWSER"):
        monkeypatch.delenv(name, raising=False)


@pytest.mark.usefixtures("no_display")
def test_without_a_display_and_a_terminal_auto_is_the_log(cogames: Any) -> None:
    assert "Max Steps: 1, Render: log\n" in cogames("play", "-m", "arena", "-s", "1").out


def test_with_a_display_auto_is_a_browser(cogames: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    opened: list[str] = []
    monkeypatch.setattr("webbrowser.open", lambda address: bool(opened.append(address)) or True)
    monkeypatch.setenv("DISPLAY", ":9")
    ran = cogames("play", "-m", "arena", "-s", "2", "--autostart")
    assert "Max Steps: 2, Render: gui\n" in ran.out
    assert (ran.code, len(opened)) == (0, 1)
    assert f"The game is in your browser: {opened[0]}\n" in ran.err


@pytest.mark.usefixtures("no_display")
def test_without_a_browser_the_address_is_printed_and_the_game_continues(cogames: Any) -> None:
    ran = cogames("play", "-m", "arena", "-s", "3", "-r", "gui", "--autostart", "--save-replay-file", "game.cogreplay")
    assert ran.code == 0
    assert "\nSteps: 3\n" in ran.out
    assert "Open this address in a browser:\nhttp://127.0.0.1:" in ran.err
    assert json.loads(cogames("replay", "game.cogreplay", "--format", "json").out)["steps"] == 3


@pytest.mark.usefixtures("no_display")
def test_an_interrupt_ends_a_live_game_with_its_results_and_its_replay(tmp_path: Path) -> None:
    words = ["play", "-m", "arena", "-r", "gui", "--save-replay-file", str(tmp_path / "game.json.z")]
    command = [sys.executable, "-W", "ignore", "-m", "cogames", *words]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as playing:
        assert playing.stderr is not None
        assert any("#token=" in line for line in iter(playing.stderr.readline, ""))
        playing.send_signal(signal.SIGINT)
        out, err = playing.communicate(timeout=60)
    assert (playing.returncode, err) == (0, "")
    assert "\nEpisode Complete!\nSteps: 1\n" in out
    assert "Replay saved!" in out and (tmp_path / "game.json.z").exists()


def test_the_map_is_that_of_the_seed_unless_it_has_its_own(cogames: Any) -> None:
    def walls(*words: object) -> int:
        ran = cogames("play", "-m", "arena", "-s", "1", "-r", "none", "--save-replay-file", "game.json.z", *words)
        assert ran.code == 0
        summary = json.loads(cogames("replay", "game.json.z", "--format", "json").out)
        return int(summary["num_objects"]["wall"])

    assert walls() == walls("--seed", "42") == walls("--seed", "1", "--map-seed", "42")
    assert walls("--seed", "1") != walls()


def test_policies_get_teams_when_there_are_as_many(cogames: Any) -> None:
    words = ["-m", "four_score", "-s", "1", "-r", "none", "--save-replay-file", "game.json.z"]

    def agents(*policies: str) -> dict[str, list[int]]:
        ran = cogames("play", *words, *(word for policy in policies for word in ("-p", policy)))
        assert ran.code == 0, ran.err
        summary = json.loads(cogames("replay", "game.json.z", "--format", "json").out)
        return {policy["name"]: policy["agents"] for policy in summary["policies"]}

    by_team = agents("noop", "random", "miner", "scout")
    # Agents are numbered as they stand on the map, so those of the first two teams take turns.
    assert by_team["NoopPolicy"][:3] == [0, 2, 4] and by_team["RandomMultiAgentPolicy"][:2] == [1, 3]
    assert {name: len(ids) for name, ids in by_team.items()} == dict.fromkeys(by_team, 8)
    assert min(by_team["MinerRolePolicy"] + by_team["ScoutRolePolicy"]) == 16
    mixed = agents("noop:1", "random:1", "miner:1", "scout:1")
    assert {name: len(ids) for name, ids in mixed.items()} == dict.fromkeys(mixed, 8)
    assert mixed["NoopPolicy"][:2] == [0, 1]


@pytest.mark.parametrize(
    ("teams", "proportions", "one_per_team", "expected"),
    [
        ([0, 0, 0, 0], [1], True, [0, 0, 0, 0]),
        ([0, 0, 0, 0], [1, 2], False, [0, 1, 1, 0]),
        ([5, 3, 5, 3], [1, 1], True, [0, 1, 0, 1]),
        ([5, 3, 5, 3], [1, 1], False, [0, 0, 1, 1]),
        ([0, 0, 1, 1], [1, 1, 1], True, [0, 1, 0, 1]),
        ([0, 0, 0], [1, 1], True, [0, 1, 0]),
        ([0, 0, 0, 0, 0, 0], [0.5, 0.25], False, [0, 0, 1, 0, 0, 1]),
        ([0, 0, 0, 0], [1.9, 1.2], False, [0, 1, 0, 1]),
    ],
)
def test_who_gets_which_seat(
    teams: list[int], proportions: list[float], one_per_team: bool, expected: list[int]
) -> None:
    assert assign_teams(teams, proportions, one_per_team=one_per_team) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("starter", False),
        ("starter:1", True),
        ("class=starter,proportion=1", True),
        ("./train_dir/my_run:v5", False),
        ("./run.zip,proportion=2", True),
        ("metta://policy/starter?a=1,proportion=2", True),
        ("metta://policy/my-policy:v3", False),
        ("class=starter,kw.proportionate=1", False),
    ],
)
def test_which_policies_set_their_share_of_the_seats(text: str, expected: bool) -> None:
    assert has_share(text) is expected


def test_replays_go_to_a_new_file_in_a_folder_or_to_a_file(cogames: Any, tmp_path: Path) -> None:
    words = ["play", "-m", "arena", "-s", "3", "-r", "none"]
    first, second = (cogames(*words, "--save-replay-dir", "new/folder") for _ in range(2))
    files = sorted((tmp_path / "new" / "folder").iterdir())
    assert len(files) == 2
    for ran in (first, second):
        assert "Replay saved!" in ran.out
        assert any(f"cogames replay {file.relative_to(tmp_path)}" in ran.out for file in files)
    for _ in range(2):
        assert cogames(*words, "--save-replay-file", "other/game.json.gz").code == 0
    assert [file.name for file in (tmp_path / "other").iterdir()] == ["game.json.gz"]
    both = cogames(*words, "--save-replay-dir", "a", "--save-replay-file", "b")
    assert (both.code, both.error) == (1, "Error: --save-replay-dir and --save-replay-file cannot be combined.")
    assert "is a folder" in cogames(*words, "--save-replay-file", "new").error


@pytest.mark.parametrize("ending", ["json.z", "json.gz", "cogreplay"])
def test_a_replay_is_summed_up(cogames: Any, ending: str) -> None:
    cogames("play", "-m", "arena", "-p", "starter", "-s", "20", "-r", "none", "--save-replay-file", f"game.{ending}")
    ran = cogames("replay", f"game.{ending}", "--duration", "3", "--text")
    assert (ran.code, ran.err) == (0, "")
    assert ran.out.startswith("arena: 20 of 20 steps, 8 agents, map 60 x 60\n")
    assert "StarterPolicy: reward" in ran.out


def test_a_replay_is_served_until_the_command_is_interrupted(cogames: Any, tmp_path: Path) -> None:
    cogames("play", "-m", "arena", "-s", "5", "-r", "none", "--save-replay-file", "game.json.z")
    command = [sys.executable, "-m", "cogames", "replay", "game.json.z", "--beside", "game.json.z", "--no-browser"]
    serving = subprocess.Popen(command, cwd=tmp_path, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    try:
        assert serving.stdout is not None
        address = serving.stdout.readline().strip()
        query = parse_qs(urlsplit(address).query)
        with urlopen(address) as page:
            assert b"MettaScope" in page.read()
        for name in ("replay", "beside"):
            with urlopen(urljoin(address, query[name][0])) as answer:
                assert answer.read() == (tmp_path / "game.json.z").read_bytes()
        serving.send_signal(signal.SIGINT)
        _, err = serving.communicate(timeout=30)
    finally:
        serving.kill()
    assert (serving.returncode, err) == (0, "hint: open this URL in a browser; press Ctrl-C to stop\n")


def test_a_replay_becomes_a_page_and_a_video(cogames: Any, tmp_path: Path) -> None:
    require_tool("ffmpeg")
    cogames("play", "-m", "arena", "-s", "5", "-r", "none", "--save-replay-file", "game.cogreplay")
    ran = cogames("replay", "game.cogreplay", "--html", "out/game.html", "--video", "game.mp4")
    assert (ran.code, ran.out) == (0, "Wrote out/game.html\nWrote game.mp4\n")
    page = (tmp_path / "out" / "game.html").read_text(encoding="utf-8")
    assert base64.b64encode((tmp_path / "game.cogreplay").read_bytes()).decode() in page
    assert (tmp_path / "game.mp4").read_bytes()[4:8] == b"ftyp"
    wrong = cogames("replay", "game.cogreplay", "--video", "game.avi")
    assert (wrong.code, wrong.error) == (1, "Error: 'game.avi' must end in one of .mp4, .webm, .gif")


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (None, "Error: Replay file not found: file.json.z"),
        (b"BITWORLD\0\0\3\0sea", "Error: file.json.z cannot be shown: "),
        (b"nothing", "Error: This is not a replay"),
    ],
)
def test_a_file_that_is_not_a_replay_is_refused(
    cogames: Any, tmp_path: Path, content: bytes | None, message: str
) -> None:
    if content is not None:
        (tmp_path / "file.json.z").write_bytes(content)
    ran = cogames("replay", "file.json.z")
    assert (ran.code, ran.out) == (1, "")
    assert ran.error.startswith(message)
    assert cogames("replay", tmp_path).error.endswith("is a folder; pass the path of a replay")


def test_configurations_are_printed_before_the_game(cogames: Any) -> None:
    mission = cogames("play", "-m", "arena", "-c", "3", "-s", "1", "-r", "none", "--print-cvc-config")
    document, end = json.JSONDecoder().raw_decode(mission.out)
    assert (document["name"], document["num_cogs"]) == ("arena", 3)
    assert mission.out[end:].startswith("\nPlaying arena\n")
    env = cogames("play", "-m", "arena", "-c", "3", "-s", "1", "-r", "none", "--print-mg-config")
    document, _ = json.JSONDecoder().raw_decode(env.out)
    assert (document["label"], document["game"]["num_agents"], document["game"]["max_steps"]) == ("arena", 3, 1)


def test_a_policy_that_fails_does_not_end_the_game(cogames: Any) -> None:
    ran = cogames("play", "-m", "arena", "-p", "chaos-monkey", "-s", "20", "-r", "none", "--autostart")
    assert ran.code == 1
    assert "\nSteps: 20\n" in ran.out
    assert "\nChaosMonkeyPolicy  crashed                 0\n" in ran.out
    assert "warning: ChaosMonkeyPolicy failed in 1 of 1 episodes (crashed: RuntimeError" in ran.err
