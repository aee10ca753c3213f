"""The game program over its sockets."""

import json
import urllib.error
import urllib.request
from typing import Any

import jsonschema
import pytest
from websockets.exceptions import ConnectionClosed, InvalidStatus

from cogsguard.coworld.config import GameConfig
from cogsguard.coworld.results import results_schema
from mettagrid.policy.policy_spec import PolicySpec
from mettagrid.replay import load_replay
from mettagrid.runner.episode import EpisodePlan, play_episode


def told(connection: Any, kind: str, **fields: Any) -> dict[str, Any]:
    """Return the next message of a type, with these fields."""
    while True:
        message = connection.recv(timeout=30)
        if isinstance(message, str):
            said = json.loads(message)
            if said["type"] == kind and fields.items() <= said.items():
                return said


def act(connection: Any, name: str = "noop", **more: Any) -> None:
    connection.send(json.dumps({"type": "action", "action_name": name, **more}))


def test_policies_do_the_same_as_in_a_local_rollout(game: Any) -> None:
    playing = game(2, mission="arena", max_steps=80, seed=3, players=[{"name": "S"}, {"name": "R"}])
    players = [
        playing.player(0, "--policy", "starter", "--seed", "3"),
        playing.player(1, "--policy", "random", "--seed", "3"),
    ]
    assert [player.communicate(timeout=60)[0] for player in players] == ["", ""]
    assert playing.end()[0] == 0
    assert [player.returncode for player in players] == [0, 0]
    env = GameConfig(tokens=["", ""], mission="arena", max_steps=80, seed=3).environment()
    specs = [PolicySpec(class_path="starter"), PolicySpec(class_path="random")]
    local = play_episode(EpisodePlan(env, specs, [0, 1], seed=3))
    results = playing.results
    jsonschema.validate(results, results_schema(2))
    assert results["scores"] == local.rewards
    assert results["stats"] == json.loads(json.dumps(local.stats))
    assert (results["late_steps"], results["absent_steps"]) == ([0, 0], [0, 0])
    events = json.loads((playing.folder / "events.json").read_text())
    assert events and {(event["agent"], event["team"]) for event in events} <= {(0, 0), (1, 0)}
    for slot, kind in {(event["agent"], event["kind"]) for event in events}:
        grown = [event["value"] for event in events if (event["agent"], event["kind"]) == (slot, kind)]
        assert sum(grown) == results["stats"]["agent"][slot][kind]
    replay = load_replay((playing.folder / "replay").read_bytes())
    assert replay.steps == 80
    assert [name for name in ("S", "R") if name.encode() not in json.dumps(replay.policy_names).encode()] == []


def test_a_step_begins_when_all_have_answered_and_late_answers_are_dropped(game: Any) -> None:
    playing = game(2, max_steps=3, step_timeout_seconds=0.5)
    with playing.seat(0) as first, playing.seat(1) as second:
        config = told(first, "player_config")
        assert (config["protocol"], config["slot"], config["num_agents"]) == ("coworld.player.v1", 0, 2)
        assert "move_north" in config["action_names"]
        seen = told(first, "observation", step=0)
        assert len(seen["observation"]) == config["observation_shape"][0]
        act(first, "move_north", for_step=0)
        act(second, "move_south", for_step=0)
        told(first, "observation", step=1)
        act(first, "noop", for_step=0)
        assert "came too late" in told(first, "error")["message"]
        act(first, "noop", for_step=1)  # the second one never answers
        told(first, "observation", step=2)
        act(first, "fly")
        assert "no action 'fly'" in told(first, "error")["message"]
        act(first, for_step=2)
        assert told(first, "final")["results"]["steps"] == 3
        with pytest.raises(ConnectionClosed) as closed:
            told(first, "observation")
        assert closed.value.rcvd is not None and closed.value.rcvd.code == 1000
    assert playing.end()[0] == 0
    assert playing.results["late_steps"] == [0, 2]
    assert playing.results["absent_steps"] == [0, 0]


def test_a_newer_connection_takes_the_seat_and_the_seat_survives_a_lost_one(game: Any) -> None:
    playing = game(1, max_steps=2)
    with playing.seat(0) as old:
        told(old, "observation", step=0)
        with playing.seat(0) as new:
            with pytest.raises(ConnectionClosed) as closed:
                told(old, "final")
            assert closed.value.rcvd is not None and closed.value.rcvd.code == 4001
            told(new, "observation", step=0)
            act(new, for_step=0)
            told(new, "observation", step=1)
    # Without a player in the seat the game continues.
    assert playing.end()[0] == 0
    assert playing.results["steps"] == 2


def test_a_wrong_slot_or_token_is_refused_before_the_socket_opens(game: Any) -> None:
    playing = game(1, player_connect_timeout_seconds=30)
    for query in ("slot=0&token=bad", "slot=7&token=secret-of-slot-0", "slot=-1&token=", "slot=0&token=%ff", ""):
        with pytest.raises(InvalidStatus) as refused:
            playing.socket(f"/player?{query}")
        assert refused.value.response.status_code == 403


def test_who_watches_late_gets_everything_so_far(game: Any) -> None:
    playing = game(1, max_steps=50)
    with playing.seat(0) as seat:
        for step in range(10):
            told(seat, "observation", step=step)
            act(seat, for_step=step)
        with playing.socket("/global") as watcher:
            assert told(watcher, "hello")["rights"] == "watch"
            whole = watcher.recv(timeout=30)
            assert whole[0] == 1
            assert load_replay(whole[1:]).steps >= 9
            for step in range(10, 50):
                told(seat, "observation", step=step)
                act(seat, for_step=step)
            assert told(watcher, "final")["results"]["steps"] == 50
    assert playing.end()[0] == 0


def test_the_admin_token_pauses_and_ends_the_game_and_no_other_token_does(game: Any) -> None:
    playing = game(1, max_steps=10_000, tick_rate=100)
    for query in ("", "?token=", "?slot=0&token=secret-of-slot-0", "?token=secret-of-the-hosts"):
        with pytest.raises(InvalidStatus) as refused:
            playing.socket(f"/admin{query}")
        assert refused.value.response.status_code == 403
    for query in ("", "&slot=0&token=secret-of-slot-0", "&token=wrong"):
        with playing.socket(f"/global?rights=host{query}") as watcher:
            assert told(watcher, "hello")["rights"] != "host"
    host = "token=secret-of-the-host"
    with (
        playing.seat(0),
        playing.socket(f"/admin?{host}") as admin,
        playing.socket(f"/global?rights=host&{host}") as watcher,
    ):
        assert told(watcher, "hello")["rights"] == "host"
        told(watcher, "state", paused=False)
        admin.send(json.dumps({"type": "pause", "request_id": 1}))
        told(admin, "ok", request_id=1)
        told(watcher, "state", paused=True)
        admin.send(json.dumps({"type": "end"}))
        told(watcher, "final")
    assert playing.end()[0] == 0
    assert playing.results["steps"] < 10_000


def test_a_game_without_an_admin_token_has_no_admin(game: Any) -> None:
    playing = game(1, admin_token="", player_connect_timeout_seconds=30)
    for query in ("", "?token=", "?token=secret-of-the-host"):
        with pytest.raises(InvalidStatus) as missing:
            playing.socket(f"/admin{query}")
        assert missing.value.response.status_code == 404
    with playing.socket("/global?rights=host&token=") as watcher:
        assert told(watcher, "hello")["rights"] == "watch"
    with pytest.raises(urllib.error.HTTPError) as page:
        urllib.request.urlopen(playing.page("/client/admin"))
    page.value.close()
    assert page.value.code == 404


def test_a_game_starts_without_missing_players(game: Any) -> None:
    playing = game(2, max_steps=5, player_connect_timeout_seconds=0.1)
    code, errors = playing.end()
    assert code == 0 and "Starting without slots 0, 1" in errors
    assert playing.results["absent_steps"] == [5, 5]


def test_no_token_is_in_anything_that_is_kept(game: Any) -> None:
    playing = game(1, max_steps=5, player_connect_timeout_seconds=30)
    with playing.seat(0) as seat, playing.socket("/global") as watcher:
        for step in range(5):
            told(seat, "observation", step=step)
            act(seat, for_step=step)
        said = [message if isinstance(message, bytes) else message.encode() for message in watcher]
    code, errors = playing.end()
    assert code == 0
    replay = (playing.folder / "replay").read_bytes()
    kept = [errors.encode(), *(path.read_bytes() for path in playing.folder.glob("*s.json")), replay, *said]
    unpacked = json.dumps(load_replay(replay).config).encode()
    assert not any(b"secret-of-slot" in content for content in (*kept, unpacked))


@pytest.mark.parametrize(
    ("config", "sentence"),
    [
        ({"mission": "nowhere"}, "Mission 'nowhere' not found"),
        ({"mission": "machina_1"}, "is for 8 to 8 cogs"),
        ({"seed": -1}, "The config is not valid at `seed`"),
        ({"players": []}, "got 1 tokens and 0 players"),
        ({"speed": 1}, "The config is not valid at `speed`"),
    ],
)
def test_a_config_that_cannot_be_played_ends_the_program_with_a_sentence(
    config: dict[str, Any], sentence: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Any, capsys: Any
) -> None:
    from cogsguard.coworld.game import main

    path = tmp_path / "config.json"
    path.write_text(json.dumps({"tokens": ["secret-of-slot-0"], **config}))
    assert main({"COGAME_CONFIG_URI": str(path), "COGAME_RESULTS_URI": str(tmp_path / "results.json")}) == 1
    errors = capsys.readouterr().err
    assert sentence in errors and errors.count("\n") == 1 and "secret" not in errors


def test_pages_of_both_generations_are_served(game: Any) -> None:
    playing = game(1, player_connect_timeout_seconds=30)
    for path in ("/healthz", "/client/global", "/clients/global", "/client/player?slot=0&token=x", "/client/admin"):
        with urllib.request.urlopen(playing.page(path)) as answer:
            assert answer.status == 200
    with urllib.request.urlopen(playing.page("/client/global")) as answer:
        page = answer.read().decode()
    script = page.partition('src="./')[2].partition('"')[0]
    with urllib.request.urlopen(playing.page(f"/client/{script}")) as answer:
        assert answer.headers["Content-Type"].startswith("text/javascript")


def test_replays_are_served_to_both_generations(game: Any, replay_server: Any) -> None:
    playing = game(1, max_steps=5, player_connect_timeout_seconds=0)
    assert playing.end()[0] == 0
    replay = playing.folder / "replay"
    newer = replay_server(COGAME_LOAD_REPLAY_URI=replay.as_uri())
    older = replay_server(COGAME_REPLAY_SERVER="1")
    from websockets.sync.client import connect

    for address in (f"ws://127.0.0.1:{newer}/replay", f"ws://127.0.0.1:{older}/replay?uri={replay.as_uri()}"):
        with connect(address, proxy=None) as connection:
            assert told(connection, "replay")["bytes"] == replay.stat().st_size
            assert connection.recv(timeout=30) == b"\x01" + replay.read_bytes()
    with connect(f"ws://127.0.0.1:{older}/replay?uri=/etc/passwd", proxy=None) as connection:
        assert "is not valid" in told(connection, "error")["message"]
