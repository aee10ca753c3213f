"""Episodes of games that run their players themselves, from files."""

from typing import Any

from pydantic import ValidationError

from coworld.engines.base import Address, Place
from coworld.models.requests import CoworldEpisodeJobSpec, CoworldHumanPlayerSpec, CoworldPlayerFileSpec
from coworld.runner import launch, probes
from coworld.runner.artifacts import write_file
from coworld.runner.episode import Episode
from coworld.runner.failures import RunnerEpisodeError
from coworld.runner.io import PlayerRuntimeStatus, PlayerRuntimeStatuses
from coworld.runner.player_files import player_file_bytes, stage_player_files, write_player_seats
from coworld.runner.traces import LARGEST_ARTIFACT, write_log

LOG_MISSING = "No player log was written by the game-hosted runtime.\n"
POLL_SECONDS = 0.05
LARGEST_ANNOTATIONS = 2 << 20


def seats_schema(request: CoworldEpisodeJobSpec) -> Any:
    """Return the name of the seats document that the game asks for."""
    mixed = any(isinstance(player, CoworldHumanPlayerSpec) for player in request.players)
    requested = request.manifest.game.runnable.env.get(f"COGAME_{'PLAY' if mixed else 'PLAYER'}_SEATS_SCHEMA")
    return requested or ("coworld-play-seats/1" if mixed else "coworld-player-seats/1")


class GameHostedEpisode(Episode):
    """An episode that starts only the game; `results.json` signals that it is done."""

    def resolve(self) -> None:
        super().resolve()
        if any(isinstance(player, CoworldPlayerFileSpec) for player in self.request.players):
            schema = seats_schema(self.request)
            stage_player_files(self.request.players, self._player_file, self.artifacts, player_seats_schema=schema)

    def _player_file(self, slot: int) -> bytes:
        """Return the file of a slot; each seat without a person has one."""
        seats = [slot for slot, player in enumerate(self.request.players) if isinstance(player, CoworldPlayerFileSpec)]
        sources = self.options.player_files or ()
        if len(sources) != len(seats):
            raise RunnerEpisodeError(
                f"the request has {len(seats)} seats with player files, and {len(sources)} files were given",
                error_type="player_file_unavailable",
            )
        return player_file_bytes(sources[seats.index(slot)])

    async def start_early_players(self) -> None:
        return

    def start_players(self) -> None:
        return

    def game_variables(self, place: Place) -> dict[str, str]:
        return launch.game_variables(self.manifest.game, self.id, place, hosted=True, admin_token=self.admin_token)

    def game_files(self) -> dict[str, Any]:
        files: dict[str, Any] = {
            f"players/{slot}/file": self.artifacts.player_file_path(slot)
            for slot, player in enumerate(self.request.players)
            if isinstance(player, CoworldPlayerFileSpec)
        }
        return {**files, "logs/.keep": b"", "player_seats.json": self.seats_document}

    def seats_document(self, place: Place) -> bytes:
        """Return the seats document for the game."""
        schema = seats_schema(self.request)
        return write_player_seats(self.request.players, self.artifacts, folder=place.folder, schema=schema)

    async def probe_pages(self, address: Address) -> None:
        try:
            await probes.require_page(address, "global", {}, self.budget)
        except RunnerEpisodeError:
            await self.blame_dead_game()
            raise

    async def play_out(self) -> None:
        """Wait until there are results, the game ends, or it declares that a seat has failed."""
        game = self.game
        assert game is not None
        output_names = ["results.json", *(["replay"] if self.options.verify_replay else [])]
        while True:
            ended = await game.exited_within(self.budget.at_most(POLL_SECONDS))
            if all(game.running.has(name) for name in output_names):
                return
            if (data := game.running.read("player_failure.json", 1 << 20)) is not None:
                write_file(self.artifacts.player_failure_path, data)
                self.check_declared_failure()
            if ended:
                self.blame_game_exit(game)
                return
            if self.budget.over:
                self.blame_timeout(None)

    async def wait_for_players(self) -> None:
        return

    def player_statuses(self) -> list[PlayerRuntimeStatus]:
        """Return the players' statuses from the game's report; without one they are unavailable."""
        slots = [seat.slot for seat in self.seats]
        data = self.game.running.read("player_status.json", 1 << 20) if self.game else None
        if data is not None:
            try:
                document = PlayerRuntimeStatuses.model_validate_json(data)
                if [status.slot for status in document.players] == slots:
                    return document.players
            except ValidationError:
                pass
        state: Any = "not_started" if self.game is None else "unavailable"
        return [PlayerRuntimeStatus(slot=slot, state=state) for slot in slots]

    def keep_traces(self) -> None:
        if self.game is not None:
            running, clean = self.game.running, self.redactor()
            for slot in (seat.slot for seat in self.seats):
                log = running.read(f"logs/policy_agent_{slot}.log", 64 << 20)
                write_log(
                    self.artifacts.policy_log_path(slot), LOG_MISSING.encode() if log is None else clean.plain(log)
                )
                running.collect(launch.artifact_name(slot), self.artifacts.policy_artifact_path(slot), LARGEST_ARTIFACT)
                name = f"policy_annotations_{slot}.jsonl"
                running.collect(name, self.artifacts.policy_annotations_path(slot), LARGEST_ANNOTATIONS)
        super().keep_traces()
