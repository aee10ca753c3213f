"""Games recorded from the published simulation: the same hash after every step, on the recorded map."""

import json
from pathlib import Path
from typing import Any

import pytest
from bitworld._native import Random

from bitworld.errors import BadConfig
from bitworld.games.among_them import AmongThem
from bitworld.games.among_them.config import config_from_text, read_config
from bitworld.games.among_them.native import native_config, native_map
from bitworld.replays import ReplayGame, read_replay
from packages.bitworld.tests.among_them.recorded import Recording, act, difference, names, recorded_map
from tests.support import missing


@pytest.fixture(scope="module")
def home(oracle_dir: Path) -> Path:
    path = oracle_dir / "bitworld"
    return path if path.is_dir() else missing("no recorded games of BitWorld")


def table(home: Path, name: str) -> Any:
    return json.loads((home / "map" / f"{name}.json").read_text())


@pytest.mark.parametrize("name", names("sim"))
def test_a_recorded_game_has_the_same_hash_after_every_step(home: Path, name: str) -> None:
    recording = Recording.load(home / "sim" / name)
    game = AmongThem(recording.config, game_map=recorded_map(home))
    recorded_config = json.loads((home / "sim" / name / "config.json").read_text())
    assert game.config == recorded_config and list(game.config) == list(recorded_config)
    for step, (masks, expected) in enumerate(zip(recording.inputs, recording.hashes, strict=True)):
        for action in recording.actions.get(step, ()):
            act(game, action)
        game.step(masks.tolist())
        state = recording.states.get(step)
        if state is not None:
            assert not difference(game, state), f"after step {step}"
        if game.state_hash() != expected:
            later = min((known for known in recording.states if known > step), default=None)
            seen = difference(game, recording.states[later]) if later else "no state was recorded after it"
            pytest.fail(f"the hash differs after step {step}; compared with the state after step {later}: {seen}")
    for action in recording.actions.get(len(recording.hashes), ()):
        act(game, action)
    assert [account_row(account) for account in game.accounts()] == recording.meta["rewardAccounts"]
    assert game.results() == recording.meta["resultsJson"]


def account_row(account: Any) -> dict[str, Any]:
    words = {"wins_imposter": "winsImposter", "wins_crewmate": "winsCrewmate"}
    words |= {"games_imposter": "gamesImposter", "games_crewmate": "gamesCrewmate"}
    counts = {words.get(name, name): value for name, value in account.counts.items()}
    return {"name": account.name, "reward": account.reward} | counts


@pytest.mark.parametrize(
    ("name", "ticks"),
    [("g01_default8", 4313), ("g14_leave_in_vote", 3883), ("live_server", 1754), ("live_leave_in_vote", 1574)],
)
def test_a_recorded_replay_plays_to_its_end(home: Path, name: str, ticks: int) -> None:
    replay = read_replay((home / "replays" / f"{name}.bitreplay").read_bytes())
    player = ReplayGame(replay, AmongThem(replay.config, game_map=recorded_map(home)))
    player.seek(player.length)
    assert player.position == player.length == ticks


def test_a_meeting_at_a_fixed_tick_gives_the_published_hashes(home: Path) -> None:
    game = AmongThem(
        {"seed": 7, "minPlayers": 5, "startWaitTicks": 0, "roleRevealTicks": 0}, game_map=recorded_map(home)
    )
    for player in range(5):
        game.join(f"p{player}")
    hashes = {}
    for tick in range(120):
        if tick == 40:
            game.session.start_meeting()
        game.step([(tick // 7 * 5 + 3 * player) % 16 for player in range(5)])
        hashes[game.tick] = f"{game.state_hash():016X}"
    assert (hashes[1], hashes[40], hashes[120]) == ("BC89451BE0316014", "32485DBEB60002FE", "CBA984A0DBA0BB5E")


def test_the_random_generator_equals_the_recorded_one(home: Path) -> None:
    for vector in table(home, "rng_vectors"):
        random = Random(vector["seed"])
        assert [f"{word:016X}" for word in random.state] == vector["state0"]
        assert [f"{random.next():016X}" for _ in vector["raw"]] == vector["raw"]
        random = Random(vector["seed"])
        assert [random.below_or_equal(most) for most in vector["maxima"]] == vector["draws"]


def test_homes_equal_the_recorded_ones(home: Path) -> None:
    native = native_map(recorded_map(home))
    for total, places in table(home, "home_positions").items():
        assert [list(native.home_of(slot, int(total))) for slot in range(int(total))] == places


def test_the_number_of_imposters_equals_the_recorded_one(home: Path) -> None:
    tables = table(home, "tables")
    games: list[tuple[dict[str, Any], list[int]]] = [({}, tables["autoImposters"])]
    games += [({"imposterRatio": True}, tables["ratioImposters"])]
    games += [({"imposterCount": int(count)}, row) for count, row in tables["manualImposters"].items()]
    for given, expected in games:
        config = native_config(read_config(given))
        assert [config.imposters_among(players) for players in range(17)] == expected


def test_configurations_are_accepted_and_refused_as_recorded(home: Path) -> None:
    vectors = table(home, "config_vectors")
    assert len(vectors) >= 62
    for vector in vectors:
        if vector["ok"]:
            config = config_from_text(vector["input"])
            assert config == vector["effective"] and list(config) == list(vector["effective"]), vector["input"]
        else:
            with pytest.raises(BadConfig):
                config_from_text(vector["input"])
