"""What the server asks of the package `coworld`, besides the interface that every game has."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Protocol, cast

from observatory.games.finding import find
from observatory.games.interface import Game

__all__ = ["COWORLD_ENGINE", "CoworldGame", "coworlds"]

COWORLD_ENGINE = "coworld"
"""the `game_engine` of a job that plays an episode of a Coworld"""


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

    def is_own_image(self, image: str) -> bool:
        """Return whether an installed package brings the program of an image, so that it runs without containers."""

    def is_own_reporter(self, reference: str) -> bool:
        """Return whether `owner/name@version` is a reporter that an installed package brings."""

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
