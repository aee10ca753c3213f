"""The server asks games through an interface, and finds them through entry points."""

from __future__ import annotations

import inspect
import sys
from pathlib import Path
from typing import Any

import pytest
from fastapi.testclient import TestClient

from cogames.league.game import GAME, MettaGridGame
from coworld.league.game import GAME as COWORLDS
from coworld.league.game import CoworldGames
from coworld.league.playing import GAME_PLAYER
from mettagrid.runner.boxed import job as runner
from observatory import games
from observatory.games import Game, GameMissing, SeasonGame
from observatory.games.coworlds import COWORLD_ENGINE, CoworldGame, coworlds
from observatory.games.interface import ERROR_INFO, RESULTS
from observatory.requests import creation
from observatory.worker import program
from packages.observatory.tests.world import ENV, World

PEBBLES = '''
class Pebbles:
    """A game of another engine: every job needs two seats."""

    def check_job(self, spec):
        if len(spec["assignments"]) != 2:
            raise ValueError("pebbles has two seats")

    def has_policy(self, name):
        return name == "thrower"


GAME = Pebbles()
'''


@pytest.fixture
def installs(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Any:
    """Install a distribution with a game, as a folder on the path."""

    def install(value: str, source: str) -> None:
        about = tmp_path / "pebbles-1.0.dist-info"
        about.mkdir()
        (about / "METADATA").write_text("Metadata-Version: 2.1\nName: pebbles\nVersion: 1.0\n")
        (about / "entry_points.txt").write_text(f"[observatory.games]\npebbles = {value}\n")
        (tmp_path / "pebbles_game.py").write_text(source)
        monkeypatch.syspath_prepend(str(tmp_path))

    games.find.cache_clear()
    yield install
    games.find.cache_clear()
    sys.modules.pop("pebbles_game", None)  # the next test installs another one


def _members(*interfaces: Any) -> dict[str, Any]:
    return {name: member for kind in interfaces for name, member in vars(kind).items() if not name.startswith("_")}


@pytest.mark.parametrize(
    ("game", "kind", "interface"),
    [(GAME, MettaGridGame, _members(Game, SeasonGame)), (COWORLDS, CoworldGames, _members(Game, CoworldGame))],
)
def test_the_games_of_the_league_implement_their_whole_interface(game: Any, kind: Any, interface: Any) -> None:
    for name, member in interface.items():
        if isinstance(member, property):
            assert getattr(game, name)
        else:
            assert str(_shape(getattr(kind, name))) == str(_shape(member)), name


@pytest.mark.parametrize("game", [GAME, COWORLDS])
def test_every_file_of_an_episode_has_the_properties_that_the_server_asks_for(game: Any) -> None:
    files = game.output_files({"assignments": [0, 1]})
    assert len({file.name for file in files}) == len(files) and {RESULTS, game.replay_file} <= {f.name for f in files}
    for name in _members(games.OutputFile):
        assert all(hasattr(file, name) for file in files)


def test_the_log_of_a_policy_has_the_name_that_the_engine_gives_it() -> None:
    assignments = [2, 0, 0, 1, 2]
    logs = {file.policy_index: file.name for file in GAME.output_files({"assignments": assignments}) if file.is_log}
    assert logs == {index: runner.log_name(assignments, index) for index in range(3)}


def test_server_and_game_agree_on_players_that_come_with_a_coworld() -> None:
    assert creation.GAME_PLAYER == GAME_PLAYER
    assert COWORLDS.has_policy(GAME_PLAYER.rpartition("/")[2]) and not COWORLDS.has_policy("random")


def test_seasons_cannot_play_games_without_missions() -> None:
    with pytest.raises(GameMissing, match="have no missions, so seasons cannot play them"):
        games.season_game(COWORLD_ENGINE)


def _shape(function: Any) -> inspect.Signature:
    """The parameters of a function, without their types: those are plain data on both sides."""
    signature = inspect.signature(function)
    bare = [parameter.replace(annotation=parameter.empty) for parameter in signature.parameters.values()]
    return signature.replace(parameters=bare, return_annotation=signature.empty)


def test_server_and_runner_agree_on_the_names_of_files() -> None:
    assert (RESULTS, ERROR_INFO) == (runner.RESULTS, runner.ERROR_INFO)


def test_the_league_of_this_repository_plays_mettagrid_bitworld_and_coworlds() -> None:
    assert games.installed() == ["bitworld", "coworld", "mettagrid"]
    assert games.find() is games.find("mettagrid") is games.season_game() is GAME
    assert coworlds() is COWORLDS


@pytest.mark.parametrize(
    ("spec", "engine"),
    [
        ({"env": {"game_engine": "bitworld"}}, "bitworld"),
        ({"env": {}}, "mettagrid"),
        ({"env": {}, "game_engine": "bitworld"}, "bitworld"),
        ({"env": {"game_engine": "mettagrid"}, "game_engine": "bitworld"}, "mettagrid"),
        ({"env": {"game_engine": 7}}, "mettagrid"),
        ({"env": "none"}, "mettagrid"),
        ({}, "mettagrid"),
    ],
)
def test_a_job_names_its_engine(spec: dict[str, Any], engine: str) -> None:
    assert games.engine_of(spec) == engine


def test_a_missing_game_is_named_in_one_sentence_with_the_next_step() -> None:
    with pytest.raises(GameMissing) as refusal:
        games.find("pebbles")
    assert refusal.value.message == (
        "No installed package offers games of the engine 'pebbles'; installed engines: bitworld, coworld, mettagrid. "
        "Install the package of the game; mettagrid comes with `pip install cogames`."
    )


def test_a_game_that_cannot_be_imported_says_why(installs: Any) -> None:
    installs("pebbles_game:GAME", "raise OSError('a library is missing')")
    with pytest.raises(GameMissing, match="cannot be imported from 'pebbles_game:GAME': a library is missing"):
        games.find("pebbles")


def test_a_worker_without_games_takes_no_jobs(monkeypatch: pytest.MonkeyPatch, caplog: Any) -> None:
    games.find.cache_clear()
    monkeypatch.setattr("observatory.games.finding.ENTRY_POINTS", "no.such.group")
    with pytest.raises(SystemExit):
        program._check_games()
    assert "No installed package offers games of the engine 'mettagrid'; installed engines: none." in caplog.text


def test_jobs_of_an_installed_game_are_checked_by_this_game(
    client: TestClient, world: World, admin: Any, installs: Any
) -> None:
    def queue(engine: str, seats: int, policy: str = "thrower") -> tuple[int, Any]:
        env = {**ENV, "game_engine": engine}
        job = {"policy_uris": [f"metta://policy/{policy}"], "assignments": [0] * seats, "env": env}
        answer = client.post("/jobs/batch", headers=admin.headers, json=[{"job_type": "episode", "job": job}])
        return answer.status_code, answer.json()

    status, refusal = queue("pebbles", 2)
    assert (status, refusal["detail"]) == (
        400,
        "The job cannot be played: there is no runner for games of the engine 'pebbles'",
    )
    installs("pebbles_game:GAME", PEBBLES)
    status, refusal = queue("pebbles", 3)
    assert (status, refusal["detail"]) == (400, "The job cannot be played: pebbles has two seats")
    assert queue("pebbles", 2, "random")[0] == 400  # a policy of another game
    assert queue("pebbles", 2)[0] == 200
