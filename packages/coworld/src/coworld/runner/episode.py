"""Run one episode in the order of the contract: see docs/coworld/runner.md.

An `Episode` starts things through an engine, watches them under one budget and raises RunnerEpisodeError with the party
to blame. Whatever happens, `finish` ends everything and leaves logs, statuses and what the game and the players have
written in the workspace.
"""

import asyncio
import secrets
from typing import Any, Literal

from coworld.engines.base import (
    Address,
    Engine,
    EngineError,
    Exit,
    Place,
    Reservation,
    RunnableSpec,
    Running,
    StartFailed,
)
from coworld.engines.missing_packages import missing_package_advice
from coworld.errors import CoworldError
from coworld.models.requests import CoworldEpisodeJobSpec, CoworldHumanPlayerSpec
from coworld.models.runnables import CoworldRunnableSpec
from coworld.runner import launch, probes
from coworld.runner.artifacts import EpisodeArtifacts, write_document
from coworld.runner.budget import Budget
from coworld.runner.failures import RunnerEpisodeError, RunnerErrorType
from coworld.runner.game_config import episode_player_tokens, write_coworld_game_config
from coworld.runner.gate import PlayerGates, SeatGate
from coworld.runner.io import PlayerRuntimeStatus, PlayerRuntimeStatuses
from coworld.runner.log_end import LOG_TAIL, describe_log_end
from coworld.runner.options import EpisodeOptions, LiveEpisode
from coworld.runner.redaction import Redactor, secret_values
from coworld.runner.results import read_player_failure, read_results
from coworld.runner.seats import Seat, Watched, end_all
from coworld.runner.traces import collect_game_files, keep_game_logs, keep_player_files, keep_posted_log

GRACE_SECONDS = 1.0
"""a game has this long to end after one of its players has ended badly, before the player is blamed"""
ENDING_SECONDS = 5.0
"""connections break when a game is ending; a game has this long to exit before a break counts as a failure"""


class Episode:
    """One run of one request."""

    def __init__(
        self, request: CoworldEpisodeJobSpec, artifacts: EpisodeArtifacts, engine: Engine, options: EpisodeOptions
    ) -> None:
        self.request, self.artifacts, self.engine, self.options = request, artifacts, engine, options
        self.manifest = request.manifest
        self.budget = Budget(options.budget_seconds)
        self.id = secrets.token_hex(8)
        self.tokens: list[str] = []
        self.admin_token = secrets.token_urlsafe(24)
        self.seats = [Seat(slot) for slot in range(len(request.players))]
        self.game: Watched | None = None
        self.results: dict[str, Any] | None = None
        self._reservation: Reservation | None = None
        self._gates: PlayerGates | None = None
        self._game_gate: SeatGate | None = None
        self._statuses: list[PlayerRuntimeStatus] | None = None
        self._collected = False

    # The order

    async def run(self) -> None:
        """Play the episode; raises RunnerEpisodeError. Call `finish` afterwards, whatever happened."""
        self.refuse()
        self.resolve()
        config = self.write_config()
        try:
            self._reservation = self.engine.reserve()
            await self.start_early_players()
            self.game = self.start_game(config)
            address = self.game.running.endpoint
            assert address is not None
            await self.wait_for_game(address)
            if self.options.probes:
                await self.probe_pages(address)
            self.start_players()
            self.tell_ready(address)
            await self.watch_as_viewer(address)
            await self.play_out()
            self.collect()
            self.check_declared_failure()
            await self.wait_for_players()
        except EngineError as error:
            raise RunnerEpisodeError(str(error), error_type="platform_error") from None

    def refuse(self) -> None:
        """Refuse what only a platform can run."""
        if self.manifest.game.task_environments:
            raise RunnerEpisodeError(
                "game.task_environments need the hosted platform; a local run has none", error_type="config_error"
            )
        people = [
            slot for slot, player in enumerate(self.request.players) if isinstance(player, CoworldHumanPlayerSpec)
        ]
        if people and not self.options.people:
            raise RunnerEpisodeError(
                f"slot {people[0]} is a person's seat: use `coworld play` for episodes with people",
                error_type="config_error",
            )

    def resolve(self) -> None:
        """Resolve every image, which this engine must be able to run: the game's, then each slot's."""
        try:
            self.engine.resolve(self.manifest.game.runnable.image)
            for player in self.request.players:
                if isinstance(player, CoworldRunnableSpec):
                    self.engine.resolve(player.image)
        except EngineError as error:
            raise RunnerEpisodeError(str(error), error_type="platform_error") from None

    def write_config(self) -> bytes:
        """Generate tokens and write the configuration that the game reads."""
        self.tokens = episode_player_tokens(self.request)
        try:
            write_coworld_game_config(self.request, self.artifacts, self.tokens)
        except CoworldError as error:
            raise RunnerEpisodeError(self.redactor().text(str(error)), error_type="config_error") from None
        return self.artifacts.config_path.read_bytes()

    async def start_early_players(self) -> None:
        """Start the players that declare `startup`; they must be healthy before the game starts."""
        for seat, player in zip(self.seats, self.request.players, strict=True):
            if not isinstance(player, CoworldRunnableSpec) or player.startup is None:
                continue
            self.start_player(seat, player)
            program = seat.program
            assert program is not None and program.running.startup_endpoint is not None
            own = Budget(self.budget.at_most(player.startup.timeout_seconds))
            path = player.startup.path
            problem = await probes.wait_healthy(program.running.startup_endpoint, path, program.has_ended, own)
            if problem is not None:
                ended = program.exit
                reason = ended.reason if ended else f"was not ready within {own.seconds:g} s: {problem}"
                raise RunnerEpisodeError(
                    f"the player of slot {seat.slot} {reason} (start-up page {path})",
                    error_type="player_error",
                    failed_policy_index=seat.slot,
                )

    def start_game(self, config: bytes) -> Watched:
        game = self.manifest.game
        env = game.runnable.env
        hidden = launch.GameSecrets.of(env)
        self._game_gate = self.gates().open(only_log=True)
        return self.start_listening(
            RunnableSpec(
                role="game",
                name=f"{self.options.prefix}-game-{self.id}",
                image=game.runnable.image,
                run_id=self.id,
                run=game.runnable.run,
                env=env,
                variables=lambda place: {**self.game_variables(place), **hidden.variables(place)},
                files={"config.json": config, **launch.memory_files(game), **hidden.files, **self.game_files()},
                listens=True,
                at=self._reservation,
                reach=self._game_gate.address,
                extra_ports=launch.extra_ports(env),
                limits=launch.limits_of(game.runnable.resources, self.wall_seconds),
            )
        )

    def game_variables(self, place: Place) -> dict[str, str]:
        return launch.game_variables(self.manifest.game, self.id, place, hosted=False, admin_token=self.admin_token)

    def game_files(self) -> dict[str, Any]:
        """Return further files for the game's folder."""
        return {}

    def start_listening(self, spec: RunnableSpec, error_type: RunnerErrorType = "game_unhealthy") -> Watched:
        try:
            return Watched(self.engine.start(spec))
        except StartFailed as error:
            raise RunnerEpisodeError(f"the game did not start: {error}", error_type=error_type) from None

    async def wait_for_game(self, address: Address) -> None:
        game = self.game
        assert game is not None
        problem = await probes.wait_healthy(address, "/healthz", game.has_ended, self.budget)
        if problem is None:
            return
        ended = game.exit
        if ended is not None:
            self.blame_place(ended)
        reason = ended.reason if ended else f"was not healthy within {self.budget.used:.3g} s: {problem}"
        raise RunnerEpisodeError(
            f"the game {reason} before it was healthy{self.log_summary(game.running)}",
            error_type="game_unhealthy",
            game_exit_code=ended.code if ended else None,
        )

    async def probe_pages(self, address: Address) -> None:
        """Check the player's page, the refusal of wrong tokens in every slot, and the viewer's page."""
        try:
            await probes.require_page(address, "player", {"slot": 0, "token": self.tokens[0]}, self.budget)
            await self.probe_tokens(address)
            await probes.require_page(address, "global", {}, self.budget)
        except RunnerEpisodeError:
            await self.blame_dead_game()
            raise

    async def probe_tokens(self, address: Address) -> None:
        """Try a wrong token in all slots at once; report the first slot that does not refuse it."""
        slots = range(len(self.seats))
        probed = (probes.require_refusal(address, slot, self.budget) for slot in slots)
        for outcome in await asyncio.gather(*probed, return_exceptions=True):
            if outcome is not None:
                raise outcome

    async def blame_dead_game(self) -> None:
        """Report the end of the game instead of a probe that failed because the game ended."""
        game = self.game
        if game is not None and await game.exited_within(self.budget.at_most(0.2)):
            ended = game.ended.result()
            if not ended.clean:
                self.blame_game_exit(game)

    def gates(self) -> PlayerGates:
        """Return the gates of this episode, opened when a program first needs one."""
        self._reservation = self._reservation or self.engine.reserve()
        self._gates = self._gates or PlayerGates(self._reservation.address)
        return self._gates

    def start_players(self) -> None:
        for seat, player in zip(self.seats, self.request.players, strict=True):
            if isinstance(player, CoworldRunnableSpec) and seat.program is None:
                self.start_player(seat, player)

    def player_spec(self, seat: Seat, player: CoworldRunnableSpec) -> RunnableSpec:
        seat.gate = self.gates().open()
        return RunnableSpec(
            role="player",
            name=f"{self.options.prefix}-player-{self.id}-{seat.slot}",
            image=player.image,
            run_id=self.id,
            run=player.run,
            env=player.env,
            secrets={**self.options.secret_env, **self.options.player_secret_env.get(seat.slot, {})},
            variables=lambda place: self.player_variables(seat.slot, place, startup=player.startup is not None),
            startup_port=player.startup.port if player.startup else None,
            reach=seat.gate.address,
            egress=(*self.options.egress, *self.options.player_egress.get(seat.slot, ())),
            combined_log=True,
            limits=launch.limits_of(player.resources, self.wall_seconds),
        )

    def start_player(self, seat: Seat, player: CoworldRunnableSpec) -> None:
        try:
            seat.program = Watched(self.engine.start(self.player_spec(seat, player)))
        except StartFailed as error:
            seat.note = str(error)
            raise RunnerEpisodeError(
                f"the player of slot {seat.slot} did not start: {error}",
                error_type="player_error",
                failed_policy_index=seat.slot,
            ) from None

    def player_variables(self, slot: int, place: Place, *, startup: bool) -> dict[str, str]:
        token, artifact = self.tokens[slot], self.options.artifacts
        return launch.player_variables(slot, token, place, startup=startup, artifact=artifact)

    @property
    def wall_seconds(self) -> float:
        """Return the time limit of the sandboxes, above the episode's own budget."""
        left = self.budget.left
        return 7 * 24 * 3600.0 if left is None else left + 60.0

    def tell_ready(self, address: Address) -> None:
        if self.options.on_ready is not None:
            assert self.game is not None
            ports = self.game.running.place.ports
            workspace = self.artifacts.workspace
            self.options.on_ready(LiveEpisode(address, tuple(self.tokens), workspace, ports, self.admin_token))

    async def watch_as_viewer(self, address: Address) -> None:
        """Check that `/global` sends a message at once, also to a viewer that connects later, and answers a Ping."""
        if not self.options.probes:
            return
        game = self.game
        assert game is not None

        async def look(connection: Any) -> None:
            if self.options.ping:
                await probes.require_pong(connection)
            if self.options.thorough and game.exit is None:
                await asyncio.wait({game.ended}, timeout=self.budget.at_most(0.3))

        try:
            await probes.require_first_message(address, "/global", self.budget, then=look)
            if self.options.thorough and game.exit is None:
                await probes.require_first_message(address, "/global", self.budget, suffix=" for a late viewer")
        except RunnerEpisodeError as error:
            patience = ENDING_SECONDS if isinstance(error, probes.CutOff) else 0.0
            if await game.exited_within(self.budget.at_most(patience)):
                return  # the game was just ending; its exit is reported instead
            if dead := self.crashed_seat():
                raise self.failure_of(dead) from None
            raise

    def crashed_seat(self) -> Seat | None:
        return next((seat for seat in self.seats if seat.crashed), None)

    async def play_out(self) -> None:
        """Wait until the game ends. A player that ends badly, also before this call, is noticed at once."""
        game = self.game
        assert game is not None
        while not game.ended.done():
            dead = self.crashed_seat()
            if dead and (self.options.clean_exits or dead.never_played):
                if not await game.exited_within(self.budget.at_most(GRACE_SECONDS)):
                    raise self.failure_of(dead)
                break
            if self.budget.over:
                self.blame_timeout(dead)
            playing = {seat.program.ended for seat in self.seats if seat.program and not seat.program.ended.done()}
            wait = asyncio.FIRST_COMPLETED
            await asyncio.wait({game.ended, *playing}, timeout=self.budget.left, return_when=wait)
        self.blame_game_exit(game)

    def blame_timeout(self, dead: Seat | None) -> None:
        if dead is not None:
            raise self.failure_of(dead)
        exited_slots = [str(seat.slot) for seat in self.seats if seat.exit is not None]
        note = f"; the players of slots {', '.join(exited_slots)} had left before" if exited_slots else ""
        raise RunnerEpisodeError(
            f"the game did not end within the episode's {self.budget.seconds:g} s{note}", error_type="episode_timeout"
        )

    def blame_game_exit(self, game: Watched) -> None:
        ended = game.ended.result()
        if ended.clean:
            return
        self.blame_place(ended)
        raise RunnerEpisodeError(
            f"the game {ended.reason}{self.log_summary(game.running)}",
            error_type="crash" if ended.code is None else "game_unhealthy",
            game_exit_code=ended.code,
        )

    def blame_place(self, ended: Exit) -> None:
        """Raise the failure of a game that could not be started or whose machine was lost."""
        if ended.cause == "program":
            return
        error_types: dict[str, RunnerErrorType] = {"refused": "game_unhealthy", "lost": "node_disruption"}
        raise RunnerEpisodeError(f"the game {ended.reason}", error_type=error_types.get(ended.cause, "platform_error"))

    def failure_of(self, seat: Seat) -> RunnerEpisodeError:
        """Return the error for a player that ended badly, with the end of its log."""
        return seat.failure(self.log_summary(seat.program.running) if seat.program else "")

    def log_summary(self, running: Running) -> str:
        """Return the exception that a program's log ends with, else its last line, for a message."""
        stream: Literal["stdout", "stderr"] = "stdout" if running.spec.combined_log else "stderr"
        log = self.redactor().plain(running.log(stream)[-LOG_TAIL:])
        text = log.decode(errors="replace")
        advice = missing_package_advice(text, running.spec.image)
        return describe_log_end(text) + (f" ({advice})" if advice else "")

    def check_declared_failure(self) -> None:
        """Raise the failure that the game declared for a seat, unless its results (and required replay) exist."""
        required = [self.artifacts.results_path]
        if self.options.verify_replay:
            required.append(self.artifacts.replay_path)
        if all(path.exists() for path in required):
            return
        failure = read_player_failure(self.artifacts.player_failure_path, len(self.seats))
        if failure is not None:
            raise failure

    async def wait_for_players(self) -> None:
        """Wait for the players to end after the game, at most `player_exit_seconds`."""
        programs = [seat.program.ended for seat in self.seats if seat.program]
        if programs:
            await asyncio.wait(programs, timeout=max(0.5, self.budget.at_most(self.options.player_exit_seconds)))
        for seat in self.seats:
            if seat.program is not None and seat.exit is None:
                raise RunnerEpisodeError(
                    f"the player of slot {seat.slot} was still running when its time after the game's end was over",
                    error_type="episode_inconclusive",
                )
        dead = self.crashed_seat()
        if dead and self.options.clean_exits:
            raise self.failure_of(dead)

    def read_results(self) -> None:
        """Read the results, which must match the manifest."""
        schema = self.manifest.game.results_schema
        self.results = read_results(self.artifacts.results_path, schema, len(self.seats))

    # The end

    def collect(self) -> None:
        """Copy the game's output to the workspace, without tokens."""
        if self._collected or self.game is None:
            return
        self._collected = True
        try:
            clean = Redactor(self.tokens, [self.admin_token])
            left_out = collect_game_files(self.artifacts, self.game.running, clean)
        except OSError as error:
            raise RunnerEpisodeError(
                f"the game's files could not be kept: {error.strerror}", error_type="artifact_transport_error"
            ) from None
        if "results.json" in left_out:
            raise RunnerEpisodeError(f"results.json {left_out['results.json']}", error_type="results_malformed")

    def redactor(self) -> Redactor:
        """Return the redactor for logs and messages; it also removes the players' secrets."""
        hidden = [self.admin_token, *secret_values(self.options.secret_env)]
        for variables in self.options.player_secret_env.values():
            hidden += secret_values(variables)
        return Redactor(self.tokens, hidden)

    @property
    def statuses(self) -> list[PlayerRuntimeStatus]:
        """Return how the players ended, before the runner stopped the rest."""
        return self._statuses if self._statuses is not None else self.player_statuses()

    def player_statuses(self) -> list[PlayerRuntimeStatus]:
        return [seat.status() for seat in self.seats]

    async def finish(self) -> None:
        """End everything and leave its traces; may be called twice."""
        if self._statuses is not None:
            return
        self._statuses = self.player_statuses()
        programs = [seat.program for seat in self.seats if seat.program]
        everything = [*programs, *([self.game] if self.game else [])]
        await end_all(everything)
        try:
            self.collect()
        finally:
            try:
                self.keep_traces()
            finally:
                for program in everything:
                    program.running.close()
                if self._gates is not None:
                    self._gates.close()
                if self._reservation is not None:
                    self._reservation.close()

    def keep_traces(self) -> None:
        """Save logs, artifacts of players, statuses and the record of the isolation."""
        clean, receipts = self.redactor(), []
        for seat in self.seats:
            if seat.program is not None:
                keep_player_files(self.artifacts, seat.program.running, seat.slot, clean)
                refused = list(seat.gate.refused) if seat.gate else []
                keep_posted_log(self.artifacts.posted_log_path(seat.slot), seat.gate, clean)
                receipts.append({"slot": seat.slot, **seat.program.running.receipt(), "refused_requests": refused})
        inspected = {"schema_version": "1", "observation": "before_runner_cleanup", "players": list(receipts)}
        write_document(self.artifacts.workspace / "player_containers.json", inspected, mode=0o600)
        if self.game is not None:
            keep_game_logs(self.artifacts, self.game.running, clean)
            keep_posted_log(self.artifacts.posted_log_path(None), self._game_gate, clean)
            receipts.insert(0, dict(self.game.running.receipt()))
        statuses = PlayerRuntimeStatuses(players=self.statuses)
        write_document(self.artifacts.player_status_path, statuses.model_dump(mode="json"), mode=0o600)
        isolation = {"schema_version": "1", "engine": self.engine.name, "runnables": receipts}
        write_document(self.artifacts.isolation_path, isolation)
