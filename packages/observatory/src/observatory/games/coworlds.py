"""What the server asks of the package `coworld`, besides the interface that every game has."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Protocol, cast

from observatory.games.finding import find
from observatory.games.interface import Game, PolicyToPlay

__all__ = ["COWORLD_ENGINE", "CoworldGame", "GameDoor", "LiveGame", "MessagePipe", "coworlds"]

COWORLD_ENGINE = "coworld"
"""the `game_engine` of a job that plays an episode of a Coworld"""


class MessagePipe(Protocol):
    """The way from a commissioner to the server. Each call blocks until the server has answered."""

    def connect(self) -> bool:
        """Say that a program listens; return False if the conversation is over."""

    def receive(self, text: str) -> bool:
        """Pass on a message of the commissioner; return False if the conversation is over."""

    def fetch(self) -> tuple[list[str], bool]:
        """Wait a while for messages; return them, and False if the conversation is over after them."""

    def close(self, reason: str, *, is_refusal: bool) -> None:
        """Say that the program ended or does not work; `is_refusal` if it closed the socket over a message."""


class LiveGame(Protocol):
    """A game that can be reached from the worker's machine. Its tokens stay there."""

    @property
    def address(self) -> tuple[str, int]: ...
    @property
    def pages(self) -> str: ...
    @property
    def tokens(self) -> Sequence[str]: ...
    @property
    def replay_uri(self) -> str | None: ...


class GameDoor(Protocol):
    """The way from the server to a hosted game."""

    async def serve(self, game: LiveGame) -> str:
        """Let people in until the server ends the game; return why it did."""

    async def close(self, reason: str) -> None:
        """Tell the server that the game has ended by itself."""


class CoworldGame(Game, Protocol):
    """Games behind a manifest. A `ValueError` says what is wrong; its sentence is shown to users."""

    @property
    def inspector(self) -> str:
        """Return the module of the program that checks untrusted documents in a sandbox.

        Its argument is `manifest`, or `config` for an object with `config_schema`, `game_config` and `seats`. It gets
        the document on standard input and prints another one: `{"accepted": true}` or `{"refused": "why"}`.
        """

    @property
    def inspector_packages(self) -> Sequence[str]:
        """Return the packages that the inspector imports; the sandbox contains no others."""

    def installed_manifest(self, name: str) -> dict[str, Any] | None:
        """Return the manifest of a Coworld that an installed package brings; None for an unknown name."""

    def is_own_image(self, image: str) -> bool:
        """Return whether an installed package brings the program of an image, so that it runs without containers."""

    def is_own_reporter(self, reference: str) -> bool:
        """Return whether `owner/name@version` is a reporter that an installed package brings."""

    def own_commissioners(self) -> Sequence[Mapping[str, Any]]:
        """Return the commissioners that come with the package, as entries of a manifest; the first is the default."""

    def commissioner_message(self, document: Mapping[str, Any]) -> dict[str, Any]:
        """Return a message of a commissioner with all its fields, in today's form; `ValueError` if it is malformed.

        Parts that are too large or unsafe are left out, and `warnings` says so.
        """

    def commission(
        self, folder: Path, spec: dict[str, Any], pipe: MessagePipe, *, minimum: str, time_limit_seconds: float
    ) -> None:
        """Run a commissioner until the conversation is over; a fault of the machine is in `error_info.json` then."""

    def host(
        self,
        folder: Path,
        spec: dict[str, Any],
        policies: Sequence[PolicyToPlay],
        door: GameDoor,
        *,
        minimum: str,
        time_limit_seconds: float,
    ) -> None:
        """Run a game for people, or let it show a replay, until it ends or the server ends it through the door.

        A fault, or the server's reason, is in `error_info.json` then. A game that is an episode leaves its files too.
        """

    def next_patch(self, versions: Sequence[str]) -> str:
        """Return the patch version after the highest of these."""

    def own_players(self, manifest: Mapping[str, Any], *, variant_id: str | None) -> list[str]:
        """Return the ids of the game's own players for the seats of a variant, or of the certification fixture."""

    def episode_config(
        self, manifest: Mapping[str, Any], *, variant_id: str | None, overrides: Mapping[str, Any], seats: int
    ) -> dict[str, Any]:
        """Return the configuration of an episode: a variant, or the certification fixture, with overrides.

        `ValueError` for an unknown variant, a number of seats that the game does not have, a key that only the runner
        may set, or a reference to a secret. Only the inspector applies the game's schema.
        """


def coworlds() -> CoworldGame:
    """Return the games of the package `coworld`; `GameMissing` if it is not installed."""
    return cast(CoworldGame, find(COWORLD_ENGINE))
