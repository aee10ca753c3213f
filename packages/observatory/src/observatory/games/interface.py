"""The interface between the server, its workers and a game. All values are plain data, paths, or models of the wire.

A game says what is wrong with a `ValueError`; its sentence is shown to users.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

from softmax.wire import AxisScore, DiagnosisFinding, MissionMetrics, MissionSpec

if TYPE_CHECKING:
    from observatory.games.coworlds import GameDoor

__all__ = [
    "ERROR_INFO",
    "RESULTS",
    "Game",
    "LiveDoor",
    "LiveFeed",
    "LivePiece",
    "OutputFile",
    "PlayedMissions",
    "PolicyToPlay",
    "SeasonGame",
]

RESULTS, ERROR_INFO = "results.json", "error_info.json"
"""files that `Game.play` writes, see there"""

PlayedMissions = Mapping[str, Sequence[tuple[Mapping[str, Any], Mapping[str, Any]]]]
"""by mission: the (job, result) of each completed episode"""


@dataclass(frozen=True)
class PolicyToPlay:
    """A policy of an episode: a local address or an image, and the settings of its process."""

    name: str
    uri: str
    egress: Sequence[str] = ()
    secrets: Mapping[str, str] = field(default_factory=dict, repr=False)
    may_use_index: bool = True
    """whether its setup script may use the package index of this machine"""
    image: str | None = None
    """the reference of its container image; then `uri` is empty"""
    program: Mapping[str, Any] = field(default_factory=dict)
    """of an image: `run`, `resources` and `startup`, where the upload gave them"""


class OutputFile(Protocol):
    """A file that an episode may leave."""

    @property
    def name(self) -> str: ...
    @property
    def max_bytes(self) -> int: ...
    @property
    def policy_index(self) -> int | None:
        """Return the position of the policy that the file is about; None for the whole episode."""

    @property
    def is_log(self) -> bool:
        """Return whether it is the log of that policy: it counts as the owner's, and expires as logs do."""

    @property
    def is_replay(self) -> bool:
        """Return whether it expires as replays do."""

    @property
    def is_digested(self) -> bool:
        """Return whether its digest is recorded with the job."""


class LivePiece(Protocol):
    """Messages for people who watch: those of `/global` of a live game, up to a tick."""

    @property
    def tick(self) -> int: ...
    @property
    def played_at(self) -> float:
        """Return when the tick was played, by the monotonic clock; earlier ticks may have this time too."""

    @property
    def messages(self) -> Sequence[bytes]: ...


class LiveFeed(Protocol):
    """The recording of an episode that is being played. One thread reads it."""

    @property
    def has_ended(self) -> bool: ...
    @property
    def has_more(self) -> bool:
        """Return whether there is something to read."""

    def mark_soon(self) -> None:
        """Ask the episode for a mark after its current step: what is read ends at marks."""

    def read(self) -> Iterable[LivePiece]:
        """Return what was not read before, from the first tick on."""

    def rewind(self) -> None:
        """Let `read` begin with the first tick again."""


class LiveDoor(Protocol):
    """The way from an episode to people who watch it."""

    @property
    def hides_secrets(self) -> bool:
        """Return whether people must not learn secrets of the game, such as roles, while it is played."""

    def show(self, feed: LiveFeed) -> None:
        """Send what a feed has while people watch, in another thread."""

    def game_door(self) -> GameDoor:
        """Return the way from the server to the pages of a game that shows itself."""


class Game(Protocol):
    """The games of one engine, for jobs and workers.

    Methods import what they need when they are called, so that finding a game is cheap.
    """

    @property
    def replay_file(self) -> str:
        """Return the name of the file without which an episode is not complete, besides its results."""

    @property
    def machine_errors(self) -> frozenset[str]:
        """Return the error types of `error_info.json` that are a machine's fault: the job is played again."""

    def check_job(self, spec: Mapping[str, Any]) -> None:
        """Raise `ValueError` for a job that cannot be played: malformed, or with seats that do not fit."""

    def has_policy(self, name: str) -> bool:
        """Return whether a policy with this short name is installed."""

    def output_files(self, spec: Mapping[str, Any]) -> Sequence[OutputFile]:
        """Return the files that a worker may send for a job."""

    def read_result(self, data: bytes) -> dict[str, Any]:
        """Return the content of `results.json`, checked; `ValueError` if it is malformed.

        It has `rewards` and `action_timeouts` with a number for each agent, `stats` with `game` and `agent`, and
        `steps`.
        """

    def read_runtime(self, data: bytes) -> dict[str, Any]:
        """Return the content of `runtime_info.json`, checked; `ValueError` if it is malformed."""

    def prepare_to_play(self) -> None:
        """Import what `play` needs; a worker forks its episodes from a process that has done so."""

    def play(
        self,
        folder: Path,
        spec: dict[str, Any],
        policies: Sequence[PolicyToPlay],
        *,
        minimum: str,
        time_limit_seconds: float,
        live: LiveDoor | None = None,
    ) -> None:
        """Play an episode, with the policies isolated at least as `minimum` says, and write its files to the folder.

        A game that can be watched shows itself through `live`.

        `results.json` and the `replay_file` exist unless the episode could not be played; `error_info.json` says why it
        could not, or which policy did not play to the end. An error of `machine_errors` is the machine's fault.
        """


class SeasonGame(Game, Protocol):
    """The games of an engine with missions, for seasons, assays and uploaded bundles."""

    @property
    def bundle_inspector(self) -> str:
        """Return the module of the program that reads an untrusted bundle in a sandbox.

        It gets the archive on standard input and prints one JSON document: `{"manifests": {name: text}}` or
        `{"refused": "why"}`. It runs nothing of the bundle.
        """

    @property
    def bundle_inspector_packages(self) -> Sequence[str]:
        """Return the packages that the inspector imports; the sandbox contains no others."""

    def env_config(
        self, mission: str, *, variants: Sequence[str], num_agents: int, max_steps: int | None
    ) -> dict[str, Any]:
        """Return the environment of a mission; `ValueError` when there is no such mission or variant."""

    def pack_policy(self, name: str, path: Path) -> None:
        """Write the bundle of an installed policy."""

    def read_policy_spec(self, folder: Path) -> dict[str, Any]:
        """Return the policy spec from the manifest in a folder; `FileNotFoundError` without one, or `ValueError`."""

    def measure_missions(self, played: PlayedMissions) -> dict[str, MissionMetrics]:
        """Return the metrics of each mission of an assay."""

    def score_axes(self, played: PlayedMissions) -> list[AxisScore]:
        """Return scores of the axes for which a mission was played."""

    def diagnosis_missions(self) -> list[MissionSpec]:
        """Return the missions of a diagnosis, which finds out what is wrong with a policy. This is slow."""

    def diagnose(self, played: PlayedMissions) -> list[DiagnosisFinding]:
        """Return the weaknesses of a policy that played the missions of a diagnosis, the worst first."""

    @property
    def viewer_page(self) -> str:
        """Return the name of the viewer's page in its folder: `?watch=` names a running match, `?replay=` a file."""

    @property
    def viewer_file(self) -> str:
        """Return the name of the output file that the viewer opens."""

    def viewer_folder(self) -> Path | None:
        """Return the folder of the viewer, with its page and `assets/`; None if it was not built."""

    def viewer_policy(self) -> str:
        """Return the Content-Security-Policy of the replay viewer."""
