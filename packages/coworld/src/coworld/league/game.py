"""Coworlds, for the server of a league and its workers.

The methods are those of `observatory.games.Game` and `observatory.games.coworlds.CoworldGame`. They exchange plain
data, and they import what they need when they are called. A job of this engine has

    game_engine     "coworld"
    manifest        of the Coworld; the server adds it to a lease
    game_config     without tokens
    policy_uris     one for each seat; `GAME_PLAYER` for a player of the game itself
    game_players    one for each seat: the id of such a player in the manifest, or None
    policy_names    the names people see, one for each seat
    assignments     [0, 1, ...]: every seat has a policy of its own
    episode_tags
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

if TYPE_CHECKING:
    from coworld.league.commissioning import MessagePipe
    from coworld.league.playing import SeatedPolicy
    from coworld.league.showing import GameDoor

__all__ = ["GAME", "CoworldGames", "OutputFile"]

MEGABYTE = 1 << 20
_ROLE_OUTPUTS = {
    "report.zip": 256 * MEGABYTE,
    "report.html": 64 * MEGABYTE,
    "report.md": 64 * MEGABYTE,
    "event_log.parquet": 256 * MEGABYTE,
    "grade.json": 16 * MEGABYTE,
    "diagnosis.zip": 256 * MEGABYTE,
    "diagnosis.md": 64 * MEGABYTE,
}
"""files that a reporter, grader or diagnoser may leave, and how large they may be"""


@dataclass(frozen=True)
class OutputFile:
    """A file that `play` may leave; the fields are those of `observatory.games.OutputFile`."""

    name: str
    max_bytes: int
    policy_index: int | None = None
    is_log: bool = False
    is_replay: bool = False
    is_digested: bool = True


class LiveDoor(Protocol):
    """The way from an episode to people who watch it."""

    def game_door(self) -> GameDoor:
        """Return the way from the server to the pages of the game."""


class CoworldGames:
    """Games of the engine `coworld`: third-party games behind a manifest."""

    replay_file = "replay"
    inspector = "coworld.league.inspection"
    inspector_packages = ("coworld",)

    @property
    def machine_errors(self) -> frozenset[str]:
        """Return the failures that say nothing about a policy or the game; another attempt may succeed."""
        from coworld.runner.failures import RETRYABLE_RUNNER_ERROR_TYPES

        return frozenset(RETRYABLE_RUNNER_ERROR_TYPES)

    def episode_config(
        self, manifest: Mapping[str, Any], *, variant_id: str | None, overrides: Mapping[str, Any], seats: int
    ) -> dict[str, Any]:
        """Return the configuration of an episode; raise `ValueError`."""
        from coworld.league.configs import episode_config

        return episode_config(manifest, variant_id=variant_id, overrides=overrides, seats=seats)

    def installed_manifest(self, name: str) -> dict[str, Any] | None:
        """Return the manifest of a Coworld that an installed package brings; None for an unknown name."""
        from coworld.manifest.installed_worlds import manifest_of

        path = manifest_of(name)
        if path is None:
            return None
        manifest: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
        return manifest

    def is_own_image(self, image: str) -> bool:
        """Return whether an installed package brings the program of an image, so that it runs without containers."""
        from coworld.league.manifests import is_own_image

        return is_own_image(image)

    def is_own_reporter(self, reference: str) -> bool:
        """Return whether `owner/name@version` is a reporter that an installed package brings."""
        from coworld.league.manifests import is_own_reporter

        return is_own_reporter(reference)

    def own_commissioners(self) -> Sequence[Mapping[str, Any]]:
        """Return the commissioners that come with the package, as entries of a manifest; the first is the default."""
        from coworld.league.commissioners import OWN_COMMISSIONERS

        return OWN_COMMISSIONERS

    def commissioner_message(self, document: Mapping[str, Any]) -> dict[str, Any]:
        """Return a message of a commissioner with all its fields, in today's form; `ValueError` if it is malformed."""
        from coworld.league.commissioners import commissioner_message

        return commissioner_message(document)

    def next_patch(self, versions: Sequence[str]) -> str:
        """Return the patch version after the highest of these."""
        from coworld.league.manifests import next_patch

        return next_patch(versions)

    def own_players(self, manifest: Mapping[str, Any], *, variant_id: str | None) -> list[str]:
        """Return the ids of the game's own players for the seats of a variant, or of the certification fixture."""
        from coworld.league.manifests import own_players

        return own_players(manifest, variant_id=variant_id)

    def check_job(self, spec: Mapping[str, Any]) -> None:
        """Raise `ValueError` for a job that cannot be played."""
        from coworld.league.playing import check_job

        check_job(spec)

    def has_policy(self, name: str) -> bool:
        """Return whether an address names a player that comes with the game."""
        from coworld.league.playing import GAME_PLAYER

        return f"metta://policy/{name}" == GAME_PLAYER

    def output_files(self, spec: Mapping[str, Any]) -> list[OutputFile]:
        """Return the files that a job may leave."""
        kind = spec.get("kind")
        if kind == "commissioner":  # its messages are all that it leaves
            return []
        if kind == "hosted" and "episode_request_id" not in spec:  # a casual game leaves nothing
            return []
        if kind is not None and kind != "hosted":
            outputs = _ROLE_OUTPUTS if spec["kind"] == "role" else {}
            return [
                OutputFile("results.json", 16 * MEGABYTE),
                OutputFile("error_info.json", MEGABYTE, is_digested=False),
                *(OutputFile(name, max_bytes) for name, max_bytes in outputs.items()),
            ]
        seats = range(len(spec.get("assignments", [])))
        return [
            OutputFile("results.json", 64 * MEGABYTE),
            OutputFile("replay", 1024 * MEGABYTE, is_replay=True),
            OutputFile("events.json", 1024 * MEGABYTE, is_replay=True),
            OutputFile("error_info.json", MEGABYTE, is_digested=False),
            OutputFile("player_status.json", MEGABYTE),
            OutputFile("runtime_info.json", MEGABYTE, is_digested=False),
            OutputFile("game.log", 31 * MEGABYTE),
            *(OutputFile(f"policy_agent_{seat}.log", 11 * MEGABYTE, seat, is_log=True) for seat in seats),
            *(OutputFile(f"policy_artifact_{seat}.zip", 200 * MEGABYTE, seat, is_replay=True) for seat in seats),
            *(OutputFile(f"policy_annotations_{seat}.jsonl", 2 * MEGABYTE, seat) for seat in seats),
        ]

    def read_result(self, data: bytes) -> dict[str, Any]:
        """Return the results as the league counts them; raise `ValueError` if they are malformed."""
        from coworld.league.results import read_result

        return read_result(data)

    def read_runtime(self, data: bytes) -> dict[str, Any]:
        """Return the content of `runtime_info.json`; raise `ValueError` if it is malformed."""
        from coworld.league.runtime import EpisodeRuntime

        document: dict[str, Any] = EpisodeRuntime.model_validate_json(data).model_dump(mode="json")
        return document

    def prepare_to_play(self) -> None:
        """Import what `play` needs; a worker forks its episodes from a process that has done so."""
        import coworld.league.commissioning
        import coworld.league.hosting
        import coworld.league.playing  # noqa: F401

    def commission(
        self, folder: Path, spec: dict[str, Any], pipe: MessagePipe, *, minimum: str, time_limit_seconds: float
    ) -> None:
        """Run a commissioner and pass its messages to the server, and those of the server to it."""
        from coworld.league.commissioning import commission

        commission(folder, spec, pipe, minimum=minimum, time_limit_seconds=time_limit_seconds)

    def host(
        self,
        folder: Path,
        spec: dict[str, Any],
        policies: Sequence[SeatedPolicy],
        door: GameDoor,
        *,
        minimum: str,
        time_limit_seconds: float,
    ) -> None:
        """Run a game for people until it ends, or until the server ends it through the door."""
        from coworld.league.hosting import host

        host(folder, spec, policies, door, minimum=minimum, time_limit_seconds=time_limit_seconds)

    def play(
        self,
        folder: Path,
        spec: dict[str, Any],
        policies: Sequence[SeatedPolicy],
        *,
        minimum: str,
        time_limit_seconds: float,
        live: LiveDoor | None = None,
    ) -> None:
        """Play an episode, run a role or certify a Coworld, and write the files of that to the folder."""
        if spec.get("kind") == "role":
            from coworld.league.role_jobs import run_role_job

            run_role_job(folder, spec, minimum=minimum, time_limit_seconds=time_limit_seconds)
            return
        if spec.get("kind") == "certification":
            from coworld.league.certifying import certify_job

            certify_job(folder, spec, minimum=minimum, time_limit_seconds=time_limit_seconds)
            return
        from coworld.league.playing import play

        door = None if live is None else live.game_door()
        play(folder, spec, policies, minimum=minimum, time_limit_seconds=time_limit_seconds, door=door)


GAME = CoworldGames()
