"""The failure types of an episode, the party to blame for each, and whether a retry makes sense."""

from collections.abc import Mapping
from dataclasses import dataclass
from enum import Enum
from typing import Literal, get_args

RunnerErrorType = Literal[
    "platform_error",
    "episode_inconclusive",
    "player_error",
    "players_missing",
    "player_never_started",
    "node_disruption",
    "game_unhealthy",
    "game_contract_violation",
    "results_missing",
    "results_malformed",
    "replay_missing",
    "replay_unloadable",
    "episode_timeout",
    "crash",
    "worker_error",
    "config_error",
    "artifact_transport_error",
    "player_file_unavailable",
    "player_file_mismatch",
]

MESSAGE_LENGTH = 2000


class Party(Enum):
    """The party that has to act on a failure."""

    GAME = "game"
    """the author of the game"""
    PLAYER = "player"
    """the author of the player in one slot"""
    PLATFORM = "platform"
    """the operator that runs episodes; a retry may help"""
    NOBODY = "nobody"
    """no party is to blame; a retry may help"""


_GAME: tuple[RunnerErrorType, ...] = (
    "game_unhealthy",
    "game_contract_violation",
    "results_missing",
    "results_malformed",
    "replay_missing",
    "replay_unloadable",
    "episode_timeout",
    "crash",
    "players_missing",
)

PARTIES: Mapping[RunnerErrorType, Party] = {
    **dict.fromkeys(get_args(RunnerErrorType), Party.PLATFORM),
    **dict.fromkeys(_GAME, Party.GAME),
    "player_error": Party.PLAYER,
    "episode_inconclusive": Party.NOBODY,
}

PLATFORM_RUNNER_ERROR_TYPES = frozenset(name for name, party in PARTIES.items() if party is Party.PLATFORM)
INCONCLUSIVE_RUNNER_ERROR_TYPES = frozenset(name for name, party in PARTIES.items() if party is Party.NOBODY)
RETRYABLE_RUNNER_ERROR_TYPES = PLATFORM_RUNNER_ERROR_TYPES | INCONCLUSIVE_RUNNER_ERROR_TYPES


class RunnerEpisodeError(RuntimeError):
    """An episode has failed."""

    def __init__(
        self,
        message: str,
        *,
        error_type: RunnerErrorType,
        failed_policy_index: int | None = None,
        game_exit_code: int | None = None,
    ) -> None:
        super().__init__(message[:MESSAGE_LENGTH])
        self.error_type: RunnerErrorType = error_type
        self.failed_policy_index = failed_policy_index
        self.game_exit_code = game_exit_code


@dataclass(frozen=True)
class EpisodeFailure:
    """The contents of `error_info.json`, and the party to blame."""

    error_type: RunnerErrorType
    message: str
    slot: int | None = None
    """the player to blame; only `player_error` has one"""

    @classmethod
    def of(cls, error: RunnerEpisodeError) -> "EpisodeFailure":
        return cls(error.error_type, str(error), error.failed_policy_index)

    def exception(self) -> RunnerEpisodeError:
        """Return the failure as an exception."""
        return RunnerEpisodeError(self.message, error_type=self.error_type, failed_policy_index=self.slot)

    @property
    def party(self) -> Party:
        return PARTIES[self.error_type]

    @property
    def retryable(self) -> bool:
        return self.error_type in RETRYABLE_RUNNER_ERROR_TYPES

    def document(self) -> dict[str, object]:
        """Return the contents of `error_info.json`."""
        slot = {} if self.slot is None else {"failed_policy_index": self.slot}
        return {"error_type": self.error_type, "message": self.message, **slot}
