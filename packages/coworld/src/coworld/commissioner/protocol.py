"""The protocol between a platform and a commissioner: models of all messages, parsing, default decisions.

A commissioner listens on port 8080, answers `GET /healthz`, and speaks JSON objects with a `type` on `WS /round`.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any
from uuid import UUID

from pydantic import ValidationError

from coworld.commissioner.leaderboards import (
    DivisionLeaderboard,
    DivisionLeaderboardAxis,
    DivisionLeaderboardColumn,
    DivisionLeaderboardEntry,
    DivisionLeaderboardRow,
    DivisionLeaderboardTable,
    DivisionLeaderboardView,
    LeaderboardValue,
)
from coworld.commissioner.messages import (
    COMMISSIONER_MESSAGES,
    COMMISSIONER_STATE_MAX_BYTES,
    PLATFORM_MESSAGES,
    DescribeDivisionRequest,
    DescribeDivisionResponse,
    EpisodeAccepted,
    EpisodeCancel,
    EpisodeCompletedRequest,
    EpisodeCompletedResponse,
    EpisodeFailed,
    EpisodeResult,
    EpisodesRejected,
    LeagueMigrationConfigRequest,
    LeagueMigrationConfigResponse,
    LeagueMigrationRequest,
    LeagueMigrationResponse,
    Message,
    RankDivisionRequest,
    RankDivisionResponse,
    RoundAbort,
    RoundComplete,
    RoundCompletedRequest,
    RoundCompletedResponse,
    RoundStart,
    ScheduleEpisodes,
    ScheduleRoundsRequest,
    ScheduleRoundsResponse,
)
from coworld.commissioner.shapes import (
    CommissionerCalcStep,
    CommissionerChangelogEntry,
    CommissionerEntrantReport,
    CommissionerRoundReport,
    DivisionConfig,
    DivisionDescription,
    DivisionInfo,
    DivisionRanking,
    EpisodeRequest,
    EpisodeScore,
    LeaderboardRoundResultInfo,
    LeagueInfo,
    MembershipChange,
    MembershipInfo,
    PersistentPlayerRuntimeRequest,
    PolicyMembershipEventChange,
    PolicyMembershipEventEvidence,
    RankingEntry,
    RecentResult,
    RecordedEpisodeSpec,
    RoundConfig,
    RoundInfo,
    RoundResultInfo,
    RoundSpec,
    StageConfig,
    VariantInfo,
)
from coworld.errors import CoworldError, DocumentError
from coworld.schema.problems import problems_of

__all__ = [
    "COMMISSIONER_MESSAGES",
    "COMMISSIONER_MESSAGE_MAX_BYTES",
    "COMMISSIONER_STATE_MAX_BYTES",
    "PLATFORM_MESSAGES",
    "POLICY_MEMBERSHIP_STATUS_COMPETING",
    "POLICY_MEMBERSHIP_SUBSTATUS_ACTIVE",
    "POLICY_MEMBERSHIP_SUBSTATUS_BENCHED",
    "CommissionerCalcStep",
    "CommissionerChangelogEntry",
    "CommissionerEntrantReport",
    "CommissionerMessage",
    "CommissionerRoundReport",
    "DescribeDivisionRequest",
    "DescribeDivisionResponse",
    "DivisionConfig",
    "DivisionDescription",
    "DivisionInfo",
    "DivisionLeaderboard",
    "DivisionLeaderboardAxis",
    "DivisionLeaderboardColumn",
    "DivisionLeaderboardEntry",
    "DivisionLeaderboardRow",
    "DivisionLeaderboardTable",
    "DivisionLeaderboardView",
    "DivisionRanking",
    "EpisodeAccepted",
    "EpisodeCancel",
    "EpisodeCompletedRequest",
    "EpisodeCompletedResponse",
    "EpisodeFailed",
    "EpisodeRequest",
    "EpisodeResult",
    "EpisodeScore",
    "EpisodesRejected",
    "LeaderboardRoundResultInfo",
    "LeaderboardValue",
    "LeagueInfo",
    "LeagueMigrationConfigRequest",
    "LeagueMigrationConfigResponse",
    "LeagueMigrationRequest",
    "LeagueMigrationResponse",
    "MembershipChange",
    "MembershipInfo",
    "Message",
    "PersistentPlayerRuntimeRequest",
    "PlatformMessage",
    "PolicyMembershipEventChange",
    "PolicyMembershipEventEvidence",
    "RankDivisionRequest",
    "RankDivisionResponse",
    "RankingEntry",
    "RecentResult",
    "RecordedEpisodeSpec",
    "RoundAbort",
    "RoundComplete",
    "RoundCompletedRequest",
    "RoundCompletedResponse",
    "RoundConfig",
    "RoundInfo",
    "RoundResultInfo",
    "RoundSpec",
    "RoundStart",
    "ScheduleEpisodes",
    "ScheduleRoundsRequest",
    "ScheduleRoundsResponse",
    "StageConfig",
    "VariantInfo",
    "default_competing_entrants",
    "default_competing_membership_events",
    "merged_game_config",
    "message_problems",
]

COMMISSIONER_MESSAGE_MAX_BYTES = 16 << 20
POLICY_MEMBERSHIP_STATUS_COMPETING = "competing"
POLICY_MEMBERSHIP_SUBSTATUS_ACTIVE = "active"
POLICY_MEMBERSHIP_SUBSTATUS_BENCHED = "benched"


def _read(data: Any, known: Iterable[type[Message]]) -> Message:
    """Read a JSON object as one of the known messages.

    Raises:
        CoworldError: no known message has this `type`.
        ValidationError: its fields are wrong, as pydantic reports them.
    """
    if not isinstance(data, dict):
        raise CoworldError("a commissioner message is a JSON object", hint='send {"type": ...}')
    kinds = {kind.message_type: kind for kind in known}
    name = data.get("type")
    kind = kinds.get(name) if isinstance(name, str) else None
    if kind is None:
        raise CoworldError(f"Unknown commissioner message type: {name!r}", hint=f"known: {', '.join(kinds)}")
    return kind.model_validate({key: value for key, value in data.items() if key != "type"})


def message_problems(error: ValidationError) -> DocumentError:
    """Convert what pydantic reports about a message to problems with a path and a fix."""
    kinds = {kind.__name__: kind for kind in (*PLATFORM_MESSAGES, *COMMISSIONER_MESSAGES)}
    return DocumentError(problems_of(error, kinds[error.title]))


CommissionerMessageType = (
    ScheduleEpisodes
    | EpisodeCancel
    | RoundComplete
    | ScheduleRoundsResponse
    | LeagueMigrationConfigResponse
    | LeagueMigrationResponse
    | RankDivisionResponse
    | DescribeDivisionResponse
    | RoundCompletedResponse
    | EpisodeCompletedResponse
)
"""every message of a commissioner"""


class CommissionerMessage:
    """Any message of a commissioner to a platform."""

    @staticmethod
    def from_json(data: dict[str, Any]) -> Message:
        """Read the message in a JSON object.

        Raises:
            CoworldError: no commissioner sends such a message.
            pydantic.ValidationError: its fields are wrong; `message_problems` explains it.
        """
        return _read(data, COMMISSIONER_MESSAGES)


class _AnyPlatformMessage(type):
    """Let `isinstance(message, PlatformMessage)` hold for every message of a platform."""

    def __instancecheck__(cls, instance: object) -> bool:
        return isinstance(instance, PLATFORM_MESSAGES)


class PlatformMessage(metaclass=_AnyPlatformMessage):
    """Any message of a platform to a commissioner."""

    @staticmethod
    def from_json(data: dict[str, Any]) -> Message:
        """Read the message in a JSON object; raises as `CommissionerMessage.from_json` does."""
        return _read(data, PLATFORM_MESSAGES)


def default_competing_entrants(memberships: list[MembershipInfo], *, division_id: UUID) -> list[MembershipInfo]:
    """Return the default entrants of a round: the division's competing champions."""
    return [membership for membership in _competing(memberships, division_id) if membership.is_champion]


def default_competing_membership_events(
    memberships: list[MembershipInfo],
    *,
    division_id: UUID,
    reason: str = "Champions play, the others wait",
) -> list[PolicyMembershipEventChange]:
    """Return the events that make competing champions `active` and other competing members `benched`."""
    events = []
    for membership in _competing(memberships, division_id):
        substatus = (
            POLICY_MEMBERSHIP_SUBSTATUS_ACTIVE if membership.is_champion else POLICY_MEMBERSHIP_SUBSTATUS_BENCHED
        )
        if membership.substatus != substatus:
            events.append(
                PolicyMembershipEventChange(
                    league_policy_membership_id=membership.id,
                    from_division_id=division_id,
                    to_division_id=division_id,
                    status=POLICY_MEMBERSHIP_STATUS_COMPETING,
                    substatus=substatus,
                    reason=reason,
                )
            )
    return events


def _competing(memberships: Iterable[MembershipInfo], division_id: UUID) -> list[MembershipInfo]:
    return [
        membership
        for membership in memberships
        if membership.division_id == division_id and membership.status == POLICY_MEMBERSHIP_STATUS_COMPETING
    ]


def merged_game_config(game_config: dict[str, Any], overrides: dict[str, Any]) -> dict[str, Any]:
    """Return a variant's configuration with the overrides of an episode request; values are replaced, not merged.

    Raises:
        CoworldError: the overrides hold tokens or a secret.
    """
    if "tokens" in overrides:
        raise CoworldError("game_config_overrides must not hold tokens", hint="the runner adds them")
    if _holds_secret(overrides):
        raise CoworldError("game_config_overrides must not hold secret:// addresses", hint="write plain values")
    return {**game_config, **overrides}


def _holds_secret(value: Any) -> bool:
    if isinstance(value, dict):
        return any(_holds_secret(item) for item in value.values())
    if isinstance(value, list):
        return any(_holds_secret(item) for item in value)
    return isinstance(value, str) and value.startswith("secret://")
