"""An episode whose game and players the cluster runs. Order, probes, results and blame are those of every episode."""

import asyncio
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, cast

from coworld.engines.base import Address, Place, RunnableSpec
from coworld.engines.kubernetes.engine import KubernetesEngine
from coworld.engines.kubernetes.player_pods import ARTIFACT_PORT
from coworld.engines.kubernetes.running import PlayerPodRunning
from coworld.models.requests import CoworldEpisodeJobSpec
from coworld.models.runnables import CoworldRunnableSpec
from coworld.runner import launch, probes
from coworld.runner.artifacts import EpisodeArtifacts
from coworld.runner.budget import Budget
from coworld.runner.episode import Episode
from coworld.runner.failures import EpisodeFailure, RunnerEpisodeError
from coworld.runner.game_hosted import GameHostedEpisode
from coworld.runner.gate import PlayerGates, SeatGate
from coworld.runner.kubernetes.endpoints import WorkerEndpoints
from coworld.runner.kubernetes.timings import Timings
from coworld.runner.options import EpisodeOptions
from coworld.runner.seats import Seat, Watched

POLL_SECONDS = 1.0
"""pause between looks for the game's files"""
VIEWER_SECONDS = 1.0
"""players start after the first message of `/global`, or after this time"""


class NoGates:
    """Stands in for the local gates: in a cluster, players reach the game through its Service."""

    def __init__(self) -> None:
        self._gates: list[SeatGate] = []

    def open(self, *, only_log: bool = False) -> SeatGate:
        self._gates.append(SeatGate(only_log=only_log))
        return self._gates[-1]

    def close(self) -> None:
        for gate in self._gates:
            gate.log.close()


if TYPE_CHECKING:
    _Base = Episode
else:
    _Base = object


class InCluster(_Base):
    """What differs in a cluster: the init container has written tokens and config, the game runs already, players are
    released through the worker's port, and the game's files end the episode."""

    def __init__(
        self,
        request: CoworldEpisodeJobSpec,
        artifacts: EpisodeArtifacts,
        engine: KubernetesEngine,
        options: EpisodeOptions,
        *,
        tokens: Sequence[str],
        endpoints: WorkerEndpoints,
        timings: Timings,
        on_failure: Callable[[EpisodeFailure], None],
    ) -> None:
        super().__init__(request, artifacts, engine, options)
        self.tokens = list(tokens)
        self.id = engine.episode.job_id
        self._endpoints, self._timings, self._on_failure = endpoints, timings, on_failure
        self._viewer: asyncio.Task[None] | None = None

    @property
    def _cluster_engine(self) -> KubernetesEngine:
        return cast(KubernetesEngine, self.engine)

    async def run(self) -> None:
        """Play the episode; the first failure is published before anything is deleted."""
        try:
            await super().run()
        except RunnerEpisodeError as error:
            self._on_failure(EpisodeFailure.of(error))
            raise
        except asyncio.CancelledError:
            self._on_failure(EpisodeFailure("node_disruption", "the worker was stopped before the episode ended"))
            raise

    def write_config(self) -> bytes:
        """Return the config that the init container has written."""
        return b""

    def gates(self) -> PlayerGates:
        self._reservation = self._reservation or self.engine.reserve()
        self._gates = self._gates or cast(PlayerGates, NoGates())
        return self._gates

    async def start_early_players(self) -> None:
        """Create the Service and the pods that start before the game, and wait until those are ready."""
        await asyncio.to_thread(self._cluster_engine.create_network)
        for seat, player in zip(self.seats, self.request.players, strict=True):
            if isinstance(player, CoworldRunnableSpec) and player.startup is not None:
                await self._warm_up(seat, player)

    async def _warm_up(self, seat: Seat, player: CoworldRunnableSpec) -> None:
        startup = player.startup
        assert startup is not None
        self.start_player(seat, player)
        program = seat.program
        assert program is not None and isinstance(program.running, PlayerPodRunning)
        own = Budget(self.budget.at_most(startup.timeout_seconds))
        problem: str | None = "its pod has no address yet"
        while problem is not None and not program.has_ended() and not own.over:
            endpoint = program.running.startup_address()
            if endpoint is None:
                await asyncio.sleep(own.at_most(0.1))
            else:
                problem = await probes.wait_healthy(endpoint, startup.path, program.has_ended, own)
        if problem is None:
            return
        if program.exit is not None and program.exit.cause != "program":
            raise self.failure_of(seat)
        ended = program.exit
        reason = ended.reason if ended else f"was not ready within {own.seconds:g} s: {problem}"
        raise RunnerEpisodeError(
            f"the player of slot {seat.slot} {reason} (start-up page {startup.path})",
            error_type="player_error",
            failed_policy_index=seat.slot,
        )

    def start_game(self, config: bytes) -> Watched:
        """Watch the game, which the cluster has started with the variables of `game_environment`."""
        game = self.manifest.game.runnable
        name = f"{self.options.prefix}-game-{self.id}"
        return self.start_listening(RunnableSpec(role="game", name=name, image=game.image, run=game.run, listens=True))

    async def wait_for_game(self, address: Address) -> None:
        with self._timings.phase("health"):
            await super().wait_for_game(address)

    async def probe_pages(self, address: Address) -> None:
        """Probe the pages and open `/global`, which stays open while players start."""
        with self._timings.phase("probes"):
            await super().probe_pages(address)
            self._viewer = asyncio.create_task(super().watch_as_viewer(address))
            await asyncio.wait({self._viewer}, timeout=VIEWER_SECONDS)
            if self._viewer.done():
                self._viewer.result()

    async def watch_as_viewer(self, address: Address) -> None:
        if self._viewer is not None:
            await self._viewer

    def start_players(self) -> None:
        """Create the pods that do not exist yet, and release those that wait."""
        with self._timings.phase("start_players"):
            super().start_players()
        self._endpoints.players_ready.set()
        for seat in self.seats:
            if seat.program is not None and isinstance(seat.program.running, PlayerPodRunning):
                seat.program.running.restart_clock()

    def player_variables(self, slot: int, place: Place, *, startup: bool) -> dict[str, str]:
        variables = super().player_variables(slot, place, startup=False)
        host, _ = place.game
        variables["COWORLD_PLAYER_ARTIFACT_UPLOAD_URL"] = (
            f"http://{host}:{ARTIFACT_PORT}/player-artifact/{slot}/{self.tokens[slot]}"
        )
        variables.pop("COGAME_LOG_URI", None)  # no gate takes posted lines here
        if startup:
            variables["COWORLD_PLAYER_START_URL"] = f"http://{host}:9090/players-ready"
        return variables

    async def play_out(self) -> None:
        """Wait until the game has written its files or has ended. A lost or refused player is noticed at once."""
        game = self.game
        assert game is not None
        before: list[int] = []
        with self._timings.phase("play"):
            while not await game.exited_within(self.budget.at_most(POLL_SECONDS)):
                sizes = self._output_sizes()
                if sizes and sizes == before:  # complete: nothing was written since the last look
                    self._require_started_players()
                    return
                before = sizes
                self._check_declared()
                dead = self.crashed_seat()
                if dead and (self.options.clean_exits or dead.never_played):
                    if not self._output_sizes():
                        raise self.failure_of(dead)
                elif self.budget.over:
                    self.blame_timeout(dead)
        if not self._output_sizes():
            self._check_declared()
            self.blame_game_exit(game)
        self._require_started_players()

    def _require_started_players(self) -> None:
        """Refuse results of an episode in which a player had no chance: its pod never started."""
        for seat in self.seats:
            running = seat.program.running if seat.program else None
            if isinstance(running, PlayerPodRunning) and not running.confirm_started():
                if seat.never_played:
                    raise self.failure_of(seat)
                reason = running.pending_reason()
                message = f"the player of slot {seat.slot} had not started when the game ended: {reason}"
                raise RunnerEpisodeError(message, error_type="player_never_started")

    def _output_sizes(self) -> list[int]:
        """Return the sizes of results and replay; empty while one is missing."""
        folder = self._cluster_engine.place.workdir
        game = self.game
        if game is None or not all(game.running.has(name) for name in ("results.json", "replay")):
            return []
        return [(folder / name).lstat().st_size for name in ("results.json", "replay")]

    def _check_declared(self) -> None:
        game = self.game
        if game is not None and game.running.has("player_failure.json"):
            game.running.collect("player_failure.json", self.artifacts.player_failure_path, 1 << 20)
            self.check_declared_failure()

    async def wait_for_players(self) -> None:
        """Give players time to upload their artifacts; only certification needs clean exits."""
        with self._timings.phase("players_end"):
            if self.options.clean_exits:
                await super().wait_for_players()
                return
            programs = [seat.program.ended for seat in self.seats if seat.program]
            if programs:
                await asyncio.wait(programs, timeout=self.options.player_exit_seconds)

    async def finish(self) -> None:
        if self._viewer is not None and not self._viewer.done():
            self._viewer.cancel()
            await asyncio.wait({self._viewer})
        with self._timings.phase("finish"):
            await super().finish()


class ClusterEpisode(InCluster, Episode):
    """An episode whose players are pods."""


class HostedClusterEpisode(InCluster, GameHostedEpisode):
    """An episode of a game that runs its players itself; the init container has staged their files."""

    def resolve(self) -> None:
        return

    def game_files(self) -> dict[str, object]:
        return {}

    async def start_early_players(self) -> None:
        return

    def start_players(self) -> None:
        return

    async def wait_for_players(self) -> None:
        return


def game_environment(request: CoworldEpisodeJobSpec, episode_id: str) -> dict[str, str]:
    """Return the variables of the game's container. It gets no admin token: a game in a cluster is not administered."""
    place = Place(folder="/coworld", host="0.0.0.0", port=8080, game=("", 0))
    game = request.manifest.game
    hosted = game.player_runtime == "game-hosted"
    variables = launch.game_variables(game, episode_id, place, hosted=hosted, admin_token="")
    del variables["COGAME_ADMIN_TOKEN"]
    return {**game.runnable.env, **variables}
