"""One scripted bad game or bad player per failure: the right type, party and slot, in time, nothing left running."""

import asyncio
import errno
import functools
import json
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from coworld.engines import boxes
from coworld.errors import SourceError
from coworld.runner import probes
from coworld.runner.episode import Episode
from coworld.runner.failures import Party
from coworld.runner.io import RunnerError
from coworld.runner.runner import EpisodeOutcome, run_episode
from packages.coworld.tests.worlds import ALL_IN_CONTAINERS, CONTAINER_ENGINES, container_world, left_running, world

BUDGET = 20.0


@dataclass(frozen=True)
class Case:
    """A game and two players, by their scripts, and what is to be said about the episode."""

    error: str
    says: str
    game: str = "good"
    players: tuple[str, str] = ("good", "good")
    slot: int | None = None
    options: dict[str, Any] = field(default_factory=dict)
    config: dict[str, Any] = field(default_factory=dict)
    impatient: bool = False
    """the runner waits a second for a first message, not ten"""

    def __str__(self) -> str:
        bad = [self.game] if self.game != "good" else [f"player_{word}" for word in self.players if word != "good"]
        return "-".join([*bad, *(f"{key}={value}" for key, value in self.options.items() if key != "budget_seconds")])


SAMPLE = ("cannot find my own head", "SIGSEGV", "bytes of memory", "exit code 5")
"""failures that `make test` plays in containers; `make soak` plays all"""

REPLAY = {"verify_replay": True}
LENIENT = {"clean_exits": False}
LONG = {"ticks": 10**6}

GAMES = [
    Case("game_unhealthy", "cannot find my own head", game="exits_at_once"),
    Case("game_unhealthy", "not healthy within", game="never_healthy", options={"budget_seconds": 1.5}),
    Case("game_unhealthy", "exit code 4", game="exits_at_first_page"),
    Case("game_unhealthy", "exit code 3", game="exits_non_zero"),
    Case("crash", "SIGSEGV", game="dies_by_signal"),
    Case("game_contract_violation", "/clients/player answered HTTP 404", game="no_player_page"),
    Case("game_contract_violation", "/clients/global answered HTTP 404", game="no_global_page"),
    Case("game_contract_violation", "slot 0 was answered", game="bad_token_answered"),
    Case("game_contract_violation", "slot 1 was answered", game="bad_token_in_slot_1_answered"),
    Case("game_contract_violation", "left open for 2 s", game="bad_token_left_open"),
    Case("game_contract_violation", "refused with HTTP 404", game="bad_token_wrong_status"),
    Case("game_contract_violation", "first message of WS /global is empty", game="empty_global_message"),
    Case("game_contract_violation", "no first message within", game="no_global_message", config=LONG, impatient=True),
    Case("game_contract_violation", "Pong", game="no_pong", config=LONG),
    Case(
        "game_contract_violation",
        "late viewer",
        game="late_viewer_sees_nothing",
        options={"thorough": True},
        config=LONG,
        impatient=True,
    ),
    Case("game_contract_violation", "slot 7 of an episode with 2", game="declares_unknown_slot"),
    Case("game_contract_violation", "player_failure.json is invalid", game="declares_nonsense"),
    Case("player_error", "slot 1 cheated", game="declares_player_failure", slot=1),
    Case("episode_inconclusive", "nobody moved", game="declares_inconclusive"),
    Case("results_missing", "no results", game="no_results"),
    Case("results_missing", "no results", game="results_behind_a_link"),
    Case("results_malformed", "not JSON", game="results_not_json"),
    Case("results_malformed", "$.scores: 'many' is not of type 'array'", game="results_off_schema"),
    Case("results_malformed", "each of the 2 slots", game="results_without_a_score_each"),
    Case("replay_missing", "no replay", game="no_replay", options=REPLAY),
    Case("replay_unloadable", "exit code 5", game="crashes_on_replay", options=REPLAY),
    Case("replay_unloadable", "/clients/replay answered HTTP 404", game="no_replay_page", options=REPLAY),
    Case("replay_unloadable", "first message of WS /replay is empty", game="empty_replay_message", options=REPLAY),
    Case("replay_unloadable", "no first message", game="silent_replay", options=REPLAY, impatient=True),
    Case("episode_timeout", "did not end within", game="never_ends", options={"budget_seconds": 5}),
]

PLAYERS = [
    Case("player_error", "exit code 1", players=("good", "exits_at_once"), slot=1),
    Case("player_error", "exit code 9", players=("crashes_in_the_middle", "good"), slot=0, game="waits_for_the_dead"),
    Case("player_error", "SIGKILL", players=("good", "dies_by_signal"), slot=1, game="waits_for_the_dead"),
    Case("player_error", "bytes of memory", players=("good", "eats_memory"), slot=1, game="waits_for_the_dead"),
    Case("player_error", "exit code 7", players=("good", "exits_non_zero_at_the_end"), slot=1),
    Case(
        "player_error",
        "exit code 9",
        players=("good", "crashes_in_the_middle"),
        slot=1,
        game="waits_for_the_dead",
        options=LENIENT | {"budget_seconds": 5},
    ),
    Case("player_never_started", "exit code 75", players=("not_now", "good"), options={"budget_seconds": 5}),
    Case(
        "episode_inconclusive",
        "slot 0 was still running",
        players=("does_not_end", "good"),
        options={"player_exit_seconds": 0.5},
    ),
    Case(
        "episode_timeout",
        "slots 0, 1 had left before",
        players=("good", "leaves_early"),
        game="waits_for_the_dead",
        options={"budget_seconds": 5},
    ),
]


@pytest.fixture(autouse=True)
def nothing_is_left() -> Iterator[None]:
    yield
    assert left_running() == []


def play(case: Case, folder: Path, engine_name: str = "process") -> EpisodeOutcome:
    worlds = world if engine_name == "process" else functools.partial(container_world, engine_name)
    package, request, engine = worlds(folder, case.game, case.players, **case.config)
    options = {"budget_seconds": BUDGET, **case.options}
    if engine_name != "process":
        options["budget_seconds"] *= 4  # a container may take seconds to start on a busy machine
    outcome = run_episode(package, request, engine=engine, workspace=folder / "out", **options)
    # A slow machine is allowed for: the limit is the budget and the time to clean up.
    assert outcome.seconds < options["budget_seconds"] + 30
    return outcome


@pytest.mark.parametrize("case", [*GAMES, *PLAYERS], ids=str)
def test_a_failure_has_the_right_type_party_and_slot(
    case: Case, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    check_failure(case, tmp_path, monkeypatch, "process")


@pytest.mark.parametrize("engine_name", CONTAINER_ENGINES)
@pytest.mark.parametrize(
    "case", [case for case in [*GAMES, *PLAYERS] if ALL_IN_CONTAINERS or case.says in SAMPLE], ids=str
)
def test_a_failure_in_a_container_has_the_same_type_party_and_slot(
    case: Case, engine_name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    check_failure(case, tmp_path, monkeypatch, engine_name)


def check_failure(case: Case, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, engine_name: str) -> None:
    if case.impatient:
        monkeypatch.setattr(probes, "FIRST_MESSAGE_SECONDS", 1.0)
    outcome = play(case, tmp_path, engine_name)
    error = outcome.error
    assert error is not None
    assert (error.error_type, error.slot) == (case.error, case.slot), error.message
    assert case.says in error.message
    parties = {
        "player_error": Party.PLAYER,
        "episode_inconclusive": Party.NOBODY,
        "player_never_started": Party.PLATFORM,
    }
    assert error.party is parties.get(case.error, Party.GAME)
    written = RunnerError.model_validate_json((tmp_path / "out" / "error_info.json").read_bytes())
    assert (written.error_type, written.failed_policy_index) == (case.error, case.slot)
    slots = json.loads((tmp_path / "out" / "player_status.json").read_bytes())["players"]
    assert [entry["slot"] for entry in slots] == [0, 1]
    assert (tmp_path / "out" / "isolation.json").exists()


@pytest.mark.parametrize("script", ["bad_token_closed", "old_generation", "leaves_a_child"])
def test_what_the_contract_allows_is_no_failure(script: str, tmp_path: Path) -> None:
    outcome = play(Case("", "", game=script, options=REPLAY), tmp_path)
    assert outcome.error is None
    assert outcome.results == {"scores": [3.0, 3.0]}


def test_players_that_all_crash_before_the_runner_waits_for_the_game_are_noticed_at_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def wait_for_the_players(episode: Episode, address: object) -> None:
        await asyncio.wait([seat.program.ended for seat in episode.seats if seat.program])

    monkeypatch.setattr(Episode, "watch_as_viewer", wait_for_the_players)
    case = Case("player_error", "exit code 1", players=("exits_at_once", "exits_at_once"), game="waits_for_the_dead")
    outcome = play(case, tmp_path)
    assert outcome.error is not None and (outcome.error.error_type, outcome.error.slot) == ("player_error", 0)
    assert outcome.seconds < BUDGET  # a runner that misses it waits for all of the budget


def test_a_dead_seat_need_not_be_the_end_of_an_episode(tmp_path: Path) -> None:
    outcome = play(Case("", "", players=("good", "crashes_in_the_middle"), options=LENIENT), tmp_path)
    assert outcome.error is None
    assert outcome.results == {"scores": [3.0, 1.0]}
    assert [player.exit_code for player in outcome.players] == [0, 9]


def test_an_image_that_cannot_be_run_is_the_platforms_fault(tmp_path: Path) -> None:
    package, request, engine = world(tmp_path)
    absent = request.players[1].model_copy(update={"image": "registry.example/absent:1"})
    request = request.model_copy(update={"players": [request.players[0], absent]})
    error = run_episode(package, request, engine=engine, workspace=tmp_path / "out").error
    assert error is not None and error.retryable
    assert (error.error_type, error.party) == ("platform_error", Party.PLATFORM)
    assert "--map registry.example/absent:1=DIR" in error.message


def test_a_program_that_is_not_there_is_its_authors_fault(tmp_path: Path) -> None:
    package, request, engine = world(tmp_path)
    missing = {"run": ["/no/such/program"]}
    player = request.players[1].model_copy(update=missing)
    game = request.manifest.game
    game = game.model_copy(update={"runnable": game.runnable.model_copy(update=missing)})
    without_player = request.model_copy(update={"players": [request.players[0], player]})
    without_game = request.model_copy(update={"manifest": request.manifest.model_copy(update={"game": game})})
    for changed, expected in ((without_player, ("player_error", 1)), (without_game, ("game_unhealthy", None))):
        error = run_episode(package, changed, engine=engine, workspace=tmp_path / "out").error
        assert error is not None and "/no/such/program" in error.message
        assert (error.error_type, error.slot) == expected


def test_files_that_cannot_be_kept_and_a_runner_that_fails_are_the_platforms_fault(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(*_: object) -> bool:
        raise OSError(errno.ENOSPC, "No space left on device")

    def broken(*_: object) -> bool:
        raise RuntimeError("a mistake of ours")

    package, request, engine = world(tmp_path)
    for fault, expected in ((full, "artifact_transport_error"), (broken, "worker_error")):
        monkeypatch.setattr(boxes, "copy_inside", fault)
        error = run_episode(package, request, engine=engine, workspace=tmp_path / "out").error
        assert error is not None and error.retryable
        assert (error.error_type, error.party) == (expected, Party.PLATFORM), error.message
        assert (tmp_path / "out" / "error_info.json").exists()


def test_a_workspace_that_cannot_be_written_is_told_before_anything_starts(tmp_path: Path) -> None:
    package, request, engine = world(tmp_path)
    (tmp_path / "file").write_text("")
    with pytest.raises(SourceError, match="cannot hold an episode"):
        run_episode(package, request, engine=engine, workspace=tmp_path / "file" / "out")
