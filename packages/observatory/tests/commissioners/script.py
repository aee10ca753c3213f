"""A commissioner that follows a script: two divisions, a few rounds, one episode of each kind.

It decides from messages alone, so that it decides the same after a crash. `python script.py` serves
it.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from statistics import fmean
from typing import Any

from coworld.commissioner.protocol import (
    DivisionConfig,
    DivisionRanking,
    EpisodeAccepted,
    EpisodeCancel,
    EpisodeFailed,
    EpisodeRequest,
    EpisodeResult,
    EpisodesRejected,
    LeagueMigrationConfigRequest,
    LeagueMigrationConfigResponse,
    LeagueMigrationRequest,
    LeagueMigrationResponse,
    MembershipInfo,
    Message,
    PolicyMembershipEventChange,
    RankingEntry,
    RoundComplete,
    RoundCompletedRequest,
    RoundCompletedResponse,
    RoundConfig,
    RoundSpec,
    RoundStart,
    ScheduleEpisodes,
    ScheduleRoundsRequest,
    ScheduleRoundsResponse,
)
from coworld.commissioner.server import serve_commissioner
from coworld.errors import CoworldError

ROUNDS = int(os.environ.get("SCRIPT_ROUNDS", "2"))
VARIANT = "quick"
PLAYED = {"played", "swapped"}


class Script:
    """The handler of one connection."""

    def __init__(self) -> None:
        self.start: RoundStart | None = None
        self.results: dict[str, EpisodeResult] = {}
        self.failed: dict[str, EpisodeFailed] = {}
        self.rejected: dict[str, str] = {}

    def __call__(self, message: Message) -> list[Message]:
        match message:
            case LeagueMigrationConfigRequest():
                return [_divisions()]
            case LeagueMigrationRequest():
                return [_moves(message)]
            case ScheduleRoundsRequest():
                return [_rounds(message)]
            case RoundCompletedRequest() if ROUNDS > 2:  # a review after each round, for tests that kill in reviews
                return [RoundCompletedResponse()]
            case RoundStart():
                self.start = message
                self.results = {result.request_id: result for result in message.completed_episodes}
                return [ScheduleEpisodes(episodes=list(self.episodes())), *self.ending()]
            case EpisodeAccepted():
                cancels = "cancelled" in message.request_ids
                return [EpisodeCancel(request_id="cancelled", reason="not wanted")] if cancels else []
            case EpisodesRejected():
                self.rejected |= message.errors
                return self.ending()
            case EpisodeResult():
                self.results[message.request_id] = message
                return self.ending()
            case EpisodeFailed():
                self.failed[message.request_id] = message
                return self.ending()
        raise CoworldError(f"the script has no answer to {message.message_type}")

    def entrants(self) -> list[MembershipInfo]:
        assert self.start is not None
        division = self.start.state["round_config"]["current_division_id"]
        members = [member for member in self.start.memberships if str(member.division_id) == division]
        return sorted(members, key=lambda member: str(member.player_name))

    def episodes(self) -> Iterator[EpisodeRequest]:
        """One that is played, one that a player breaks, one that is cancelled, one that cannot be played."""
        first, second, *_, breaks = [entrant.policy_version_id for entrant in self.entrants()]
        for name, seats, variant in (
            ("played", [first, second], VARIANT),
            ("swapped", [second, first], VARIANT),
            ("broken", [first, breaks], VARIANT),
            ("cancelled", [first, second], VARIANT),
            ("impossible", [first, second], "no-such-variant"),
        ):
            yield EpisodeRequest(request_id=name, variant_id=variant, policy_version_ids=seats)

    def ending(self) -> list[Message]:
        """The end of the round, when everything is known that it depends on."""
        if PLAYED - set(self.results) or "broken" not in self.failed or not self.rejected:
            return []
        assert self.start is not None
        entrants = self.entrants()
        scores: dict[Any, list[float]] = {entrant.policy_version_id: [] for entrant in entrants}
        for name in PLAYED:  # what should be cancelled is played if the program is killed before it says so
            result = self.results[name]
            for score in result.scores:
                scores[score.policy_version_id].append(score.score)
        blamed = self.failed["broken"].failed_policy_version_id
        means = {version: fmean(values or [0.0]) for version, values in scores.items()}
        ranked = sorted(entrants, key=lambda entrant: (-means[entrant.policy_version_id], entrant.player_name))
        division = ranked[0].division_id
        rankings = [
            RankingEntry(policy_version_id=entrant.policy_version_id, rank=rank, score=means[entrant.policy_version_id])
            for rank, entrant in enumerate(ranked, 1)
        ]
        state = dict(self.start.state)
        del state["round_config"]
        seen = [*state.get("seen", []), round(sum(means.values()), 6)]
        events = [
            PolicyMembershipEventChange(
                league_policy_membership_id=entrant.id,
                from_division_id=division,
                status="disqualified",
                substatus="crash",
                reason="It broke an episode of every round",
            )
            for entrant in entrants
            if entrant.policy_version_id == blamed and len(seen) == ROUNDS
        ]
        return [
            RoundComplete(
                results=[DivisionRanking(division_id=division, rankings=rankings)],
                policy_membership_events=events,
                state={**state, "seen": seen},
                round_display={"rejected": sorted(self.rejected)},
            )
        ]


def _divisions() -> LeagueMigrationConfigResponse:
    return LeagueMigrationConfigResponse(
        divisions=[
            DivisionConfig(name="Waiting", level=-1, type="staging"),
            DivisionConfig(name="Premier", level=1, previous_name="Competition", description="The best"),
        ]
    )


def _moves(request: LeagueMigrationRequest) -> LeagueMigrationResponse:
    """Send everyone called eve to the waiting room."""
    waiting = next(division for division in request.divisions if division.name == "Waiting")
    return LeagueMigrationResponse(
        policy_membership_events=[
            PolicyMembershipEventChange(
                league_policy_membership_id=member.id,
                from_division_id=member.division_id,
                to_division_id=waiting.id,
                status="qualifying",
                reason="Has to qualify",
            )
            for member in request.memberships
            if member.player_name == "eve"
        ]
    )


def _rounds(request: ScheduleRoundsRequest) -> ScheduleRoundsResponse:
    premier = next(division for division in request.divisions if division.name == "Premier")
    if sum(round_.status == "completed" for round_ in request.recent_rounds) == ROUNDS:
        return ScheduleRoundsResponse()
    key = f"round {len(request.recent_rounds) + 1}"
    spec = RoundSpec(division_id=premier.id, round_config=RoundConfig(), idempotency_key=key)
    return ScheduleRoundsResponse(rounds=[spec, spec])


if __name__ == "__main__":
    serve_commissioner(Script)
