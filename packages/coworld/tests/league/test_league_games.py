"""Coworlds as games of a league: configurations, results and uploaded programs, without a server."""

from __future__ import annotations

import json
import zipfile
from pathlib import Path
from typing import Any

import pytest

from coworld.league.configs import episode_config
from coworld.league.game import GAME
from coworld.league.playing import GAME_PLAYER, play
from coworld.league.programs import BundleProblem, read_command, unpacked_program
from coworld.league.results import read_result
from coworld.manifest.installed_worlds import manifest_of

PAINT_ARENA: dict[str, Any] = json.loads(Path(manifest_of("paintarena") or "").read_text(encoding="utf-8"))


def flexible() -> dict[str, Any]:
    """Paint Arena for two to four seats, where a variant has a `num_agents` in place of `players`."""
    manifest: dict[str, Any] = json.loads(json.dumps(PAINT_ARENA))
    schema = manifest["game"]["config_schema"]
    schema["properties"]["tokens"]["maxItems"] = schema["properties"]["players"]["maxItems"] = 4
    schema["properties"]["num_agents"] = {"type": "integer"}
    schema["required"].remove("players")
    manifest["variants"][1]["game_config"].pop("players")
    manifest["variants"][1]["game_config"]["num_agents"] = 2
    return manifest


def test_the_seats_of_a_configuration_follow_the_roster() -> None:
    manifest = flexible()
    config = episode_config(manifest, variant_id="default", overrides={}, seats=3)
    assert [player["name"] for player in config["players"]] == ["Sweep 1", "Sweep 2", "Sweep 1"]
    assert episode_config(manifest, variant_id="small", overrides={}, seats=4)["num_agents"] == 4
    fixture = episode_config(manifest, variant_id=None, overrides={"width": 7}, seats=2)
    assert fixture == {**manifest["certification"]["game_config"], "width": 7}
    with pytest.raises(ValueError, match="the game has 2 to 4 seats, not 5"):
        episode_config(manifest, variant_id="default", overrides={}, seats=5)
    with pytest.raises(ValueError, match="there are 3 seats and 2 `players`"):
        overrides = {"players": [{"name": "a"}, {"name": "b"}]}
        episode_config(manifest, variant_id="default", overrides=overrides, seats=3)
    with pytest.raises(ValueError, match="there are 3 seats, and `num_agents` is 2"):
        episode_config(manifest, variant_id="small", overrides={"num_agents": 2}, seats=3)


def test_numbers_of_results_become_scores_and_metrics() -> None:
    results = {"scores": [1, 2.5], "painted_tiles": [3, 4], "ticks": 7, "winner": "x", "mixed": [1, "a"], "won": True}
    assert read_result(json.dumps(results).encode()) == {
        "rewards": [1.0, 2.5],
        "action_timeouts": [0, 0],
        "stats": {"game": {"ticks": 7.0}, "agent": [{"painted_tiles": 3.0}, {"painted_tiles": 4.0}]},
        "steps": 7,
    }


@pytest.mark.parametrize(
    "data", [b"[]", b"{}", b'{"scores": []}', b'{"scores": [NaN]}', b'{"scores": ["1"]}', b'{"scores": [1e999]}', b"x"]
)
def test_results_without_a_finite_score_for_each_seat_are_refused(data: bytes) -> None:
    with pytest.raises(ValueError):
        read_result(data)


def archive(path: Path, files: dict[str, str]) -> Path:
    with zipfile.ZipFile(path, "w") as target:
        for name, text in files.items():
            target.writestr(name, text)
    return path


@pytest.mark.parametrize(
    ("files", "says"),
    [
        ({"../outside.py": "x"}, "not a plain relative path"),
        ({"/etc/cron.d/x": "x"}, "not a plain relative path"),
        ({"notes.txt": "x"}, "neither coworld_local.json nor player.py"),
        ({"coworld_local.json": "{"}, "with one image"),
        ({"coworld_local.json": '{"images": {"a": {"argv": ["x"]}, "b": {"argv": ["y"]}}}'}, "with one image"),
        ({"coworld_local.json": '{"images": {"a": {}}}'}, "must be a list of strings"),
        ({"coworld_local.json": '{"images": {"a": {"argv": ["x"], "env": {"A": 1}}}}'}, "an object of strings"),
        ({"coworld_local.json": '{"images": {"a": {"argv": ["x"], "packages": ["os"]}}}'}, "must be a list of"),
    ],
)
def test_an_archive_without_a_usable_program_is_the_fault_of_its_author(
    tmp_path: Path, files: dict[str, str], says: str
) -> None:
    source = archive(tmp_path / "player.zip", files)
    (tmp_path / "root").mkdir()
    with pytest.raises(BundleProblem, match=says):
        unpacked_program(source, tmp_path / "root", "player")
    assert not (tmp_path / "outside.py").exists()


def test_an_uploaded_program_cannot_name_folders_of_the_machine(tmp_path: Path) -> None:
    entry = {"root": "/", "at": "/", "workdir": "/etc", "mounts": ["/root"], "python": "/", "argv": ["sh"]}
    env = {"PATH": "/tmp", "MODE": "fast"}
    side_file = json.dumps({"images": {"x": {**entry, "env": env}}})
    source = archive(tmp_path / "player.zip", {"coworld_local.json": side_file, "a/b.txt": "b"})
    root = tmp_path / "root"
    root.mkdir()
    image = unpacked_program(source, root, "player")
    assert (image.root, image.mounts, image.python, image.argv) == (root, (), None, ("sh",))
    assert str(image.at) == str(image.workdir) == "/player" and image.env == {"MODE": "fast"}
    assert (root / "a" / "b.txt").read_text() == "b"
    assert read_command(root)["argv"] == ["sh"]


@pytest.mark.parametrize(
    ("change", "says"),
    [
        ({"assignments": [0, 0]}, "every seat of a Coworld has a policy of its own"),
        ({"policy_names": ["a"]}, "an entry for each seat"),
        ({"game_players": ["sweep", "none"]}, "has no player 'none'"),
        ({"game_config": {"width": 1}}, "game_config is invalid"),
        ({"manifest": None}, "the job has no manifest"),
        ({"coworld_id": "x"}, "request episodes of a published Coworld instead"),
    ],
)
def test_a_job_that_cannot_be_played_is_refused(change: dict[str, Any], says: str) -> None:
    spec = job()
    GAME.check_job(spec)
    with pytest.raises(ValueError, match=says):
        GAME.check_job({**spec, **change})


def job() -> dict[str, Any]:
    return {
        "game_engine": "coworld",
        "manifest": PAINT_ARENA,
        "game_config": PAINT_ARENA["variants"][0]["game_config"],
        "policy_uris": [GAME_PLAYER, GAME_PLAYER],
        "policy_names": ["sweep", "sweep"],
        "game_players": ["sweep", "sweep"],
        "assignments": [0, 1],
        "episode_tags": {},
    }


def test_a_game_cannot_ask_for_secrets_and_ports_of_the_machine(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What a user may grant to their own game, a stranger's game does not get from a league's worker."""
    monkeypatch.setenv("COWORLD_LOCAL_SECRET_URIS", json.dumps({"secret://coworld/x/key": "file:///etc/hostname"}))
    monkeypatch.setenv("REGISTRY_AUTH_FILE", "")  # put back what `play` may change
    manifest = json.loads(json.dumps(PAINT_ARENA))
    env = {"KEY": "secret://coworld/x/key", "COWORLD_LOCAL_EXTRA_PORTS": "9000:9000"}
    manifest["game"]["runnable"]["env"] = env
    policy = type("Policy", (), {"name": "sweep", "uri": GAME_PLAYER, "egress": (), "secrets": {}, "image": None})()
    policy.program = {}
    play(tmp_path, {**job(), "manifest": manifest}, [policy, policy], minimum="namespaces", time_limit_seconds=60)
    error = json.loads((tmp_path / "error_info.json").read_text())
    assert error["error_type"] == "config_error" and "secret://coworld/x/key is not mapped" in error["message"]
