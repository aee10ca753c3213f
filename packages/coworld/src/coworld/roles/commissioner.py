"""The default commissioner: round-robin rounds, ranked by mean score.

`python -m coworld.roles.commissioner` serves `/healthz` and `/round`. A league's `commissioner_config` may set
`episodes_per_pairing` (1), `variants` (a list of ids; all), `rounds_that_count` (10), `promote` and `relegate` (0):
how many move between neighbouring divisions after a round.
"""

from __future__ import annotations

import sys
from collections import defaultdict
from collections.abc import Iterable, Mapping
from typing import Any
from uuid import UUID

from coworld.commissioner.protocol import (
    DescribeDivisionRequest,
    DescribeDivisionResponse,
    DivisionConfig,
    DivisionDescription,
    DivisionInfo,
    EpisodeAccepted,
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
    PolicyMembershipEventChange,
    PolicyMembershipEventEvidence,
    RankDivisionRequest,
    RankDivisionResponse,
    RoundAbort,
    RoundCompletedRequest,
    RoundCompletedResponse,
    RoundConfig,
    RoundSpec,
    RoundStart,
    ScheduleEpisodes,
    ScheduleRoundsRequest,
    ScheduleRoundsResponse,
    StageConfig,
    default_competing_entrants,
)
from coworld.commissioner.server import serve_commissioner
from coworld.errors import CoworldError
from coworld.roles.ranking import score_view
from coworld.roles.round import Round

ROUND_ENDED = frozenset({"completed", "complete", "failed", "cancelled", "canceled", "aborted"})
"""a division gets its next round when its last one has one of these states"""
ROUNDS_THAT_COUNT = 10


class DefaultCommissioner:
    """The handler of one connection; it holds the running round."""

    def __init__(self) -> None:
        self.round: Round | None = None

    def __call__(self, message: Message) -> Message | Iterable[Message] | None:
        match message:
            case ScheduleRoundsRequest():
                return self.schedule(message)
            case LeagueMigrationConfigRequest():
                return self.divisions(message)
            case LeagueMigrationRequest():
                return self.migrate(message)
            case RoundStart():
                self.round = Round(message)
                return self._go_on(ScheduleEpisodes(episodes=self.round.open()))
            case EpisodeAccepted():
                return None
            case EpisodesRejected():
                self._running().reject(message)
                return self._go_on()
            case EpisodeResult():
                self._running().finish(message)
                return self._go_on()
            case EpisodeFailed():
                again, cancelled = self._running().fail(message)
                return self._go_on(*cancelled, ScheduleEpisodes(episodes=again))
            case RoundAbort():
                self.round = None
                return None
            case RankDivisionRequest():
                return self.rank(message)
            case DescribeDivisionRequest():
                return self.describe(message)
            case RoundCompletedRequest():
                return self.round_completed(message)
            case EpisodeCompletedRequest():
                return self.episode_completed(message)
        raise CoworldError(f"the default commissioner has no answer to {message.message_type}")

    def schedule(self, request: ScheduleRoundsRequest) -> ScheduleRoundsResponse:
        """Schedule a round for every division with two or more entrants and no open round."""
        rounds = []
        for division in request.divisions:
            earlier = [round_ for round_ in request.recent_rounds if round_.division_id == division.id]
            entrants = default_competing_entrants(request.active_memberships, division_id=division.id)
            if len(entrants) < 2 or any(round_.status not in ROUND_ENDED for round_ in earlier):
                continue
            number = max((round_.round_number for round_ in earlier), default=0) + 1
            policies = sorted(entrant.policy_version_id for entrant in entrants)
            stage = StageConfig(num_episodes=len(policies) * (len(policies) - 1), min_episodes_per_entrant=1)
            rounds.append(
                RoundSpec(
                    division_id=division.id,
                    round_config=RoundConfig(stages=[stage], entrant_policy_version_ids=policies),
                    notes=f"Round {number}: round robin",
                    idempotency_key=f"{division.id}-{number}",
                )
            )
        return ScheduleRoundsResponse(rounds=rounds)

    def divisions(self, request: LeagueMigrationConfigRequest) -> LeagueMigrationConfigResponse:
        """Keep the divisions; create one for a league without any."""
        existing = [
            DivisionConfig(name=division.name, level=division.level, type=division.type, previous_name=division.name)
            for division in request.divisions
        ]
        return LeagueMigrationConfigResponse(divisions=existing or [DivisionConfig(name="Open", level=1)])

    def migrate(self, request: LeagueMigrationRequest) -> LeagueMigrationResponse:
        """Move the members of divisions that no longer exist to the lowest division."""
        if not request.divisions:
            return LeagueMigrationResponse()
        known = {division.id for division in request.divisions}
        lowest = min(request.divisions, key=lambda division: (division.type != "competition", division.level))
        return LeagueMigrationResponse(
            policy_membership_events=[
                PolicyMembershipEventChange(
                    league_policy_membership_id=membership.id,
                    from_division_id=membership.division_id,
                    to_division_id=lowest.id,
                    status=membership.status,
                    substatus=membership.substatus,
                    reason=f"The division is gone; {lowest.name} is the lowest there is",
                )
                for membership in request.memberships
                if membership.division_id not in known
            ]
        )

    def rank(self, request: RankDivisionRequest) -> RankDivisionResponse:
        """Rank players by the mean score of the last rounds."""
        config = request.league.commissioner_config or {}
        last = sorted(request.completed_rounds, key=lambda round_: round_.round_number)
        counted = {round_.id for round_ in last[-_count(config, "rounds_that_count", ROUNDS_THAT_COUNT) :]}
        scores: dict[str, list[float]] = defaultdict(list)
        policies: dict[str, set[UUID]] = defaultdict(set)
        names: dict[str, str | None] = {}
        for result in request.round_results:
            if result.round_id in counted:
                scores[result.player_id].append(result.score)
                policies[result.player_id].add(result.policy_version_id)
                names[result.player_id] = result.player_name
        rows = [(player, names[player], policies[player], player_scores) for player, player_scores in scores.items()]
        return RankDivisionResponse(views=[score_view(rows)])

    def describe(self, request: DescribeDivisionRequest) -> DescribeDivisionResponse:
        config = request.league.commissioner_config or {}
        entrants = default_competing_entrants(request.active_memberships, division_id=request.division.id)
        running = [round_ for round_ in request.recent_rounds if round_.status not in ROUND_ENDED]
        if running:
            following = f"Round {running[-1].round_number} is {running[-1].status}"
        elif len(entrants) < 2:
            following = f"Waits for a second entrant; {len(entrants)} there"
        else:
            following = f"Starts with {len(entrants)} entrants as soon as the platform asks"
        return DescribeDivisionResponse(
            description=DivisionDescription(
                round_schedule="A new round as soon as the last one has ended",
                next_round=following,
                round_structure="Every champion plays every other in every seat, on each variant",
                leaderboard_rules="Mean score of the last "
                f"{_count(config, 'rounds_that_count', ROUNDS_THAT_COUNT)} rounds; equal scores share a place",
                scoring_mechanics="The mean of a policy's episodes; one it broke counts as the round's worst score",
            )
        )

    def round_completed(self, request: RoundCompletedRequest) -> RoundCompletedResponse:
        """Promote the top and relegate the bottom of a division, as many as the league's settings say."""
        config = request.commissioner_config or request.league.commissioner_config or {}
        results = sorted(request.round_results, key=lambda result: (result.rank, result.policy_version_id))
        up, down = _count(config, "promote", 0), _count(config, "relegate", 0)
        above = _neighbour(request.all_divisions, request.division, 1)
        below = _neighbour(request.all_divisions, request.division, -1)
        movers: dict[UUID, tuple[DivisionInfo, str]] = {}
        if below is not None and down:
            movers |= {
                result.policy_version_id: (below, f"Rank {result.rank}: relegated") for result in results[-down:]
            }
        if above is not None:
            movers |= {result.policy_version_id: (above, f"Rank {result.rank}: promoted") for result in results[:up]}
        ranked = {result.policy_version_id: result for result in results}
        events = [
            PolicyMembershipEventChange(
                league_policy_membership_id=member.id,
                from_division_id=request.division.id,
                to_division_id=movers[member.policy_version_id][0].id,
                status=member.status,
                reason=movers[member.policy_version_id][1],
                evidence=[
                    PolicyMembershipEventEvidence(
                        type="round_result",
                        title=movers[member.policy_version_id][1],
                        metadata={"score": ranked[member.policy_version_id].score},
                    )
                ],
            )
            for member in request.division_memberships
            if member.policy_version_id in movers
        ]
        return RoundCompletedResponse(policy_membership_events=events)

    def episode_completed(self, request: EpisodeCompletedRequest) -> EpisodeCompletedResponse:
        """Return the next episodes after one episode, for platforms that track the round themselves."""
        round_ = Round(request.round_start)
        round_.open()
        failed = request.episode_failed
        for result in request.completed_episode_results:
            round_.finish(result)
        for earlier in request.failed_episodes:
            if failed is None or earlier.request_id != failed.request_id:
                round_.fail(earlier)
        return EpisodeCompletedResponse(episodes=round_.fail(failed)[0] if failed is not None else [])

    def _running(self) -> Round:
        if self.round is None:
            raise CoworldError("there is no round: the platform sends round_start first")
        return self.round

    def _go_on(self, *messages: Message) -> list[Message]:
        """Return the messages that are not empty, and the end of the round when no episode is open."""
        outgoing = [message for message in messages if not isinstance(message, ScheduleEpisodes) or message.episodes]
        if self.round is not None and self.round.over:
            outgoing.append(self.round.complete())
            self.round = None
        return outgoing


def _count(config: Mapping[str, Any], key: str, default: int) -> int:
    value = config.get(key, default)
    return value if isinstance(value, int) and not isinstance(value, bool) and value >= 0 else default


def _neighbour(divisions: Iterable[DivisionInfo], division: DivisionInfo, step: int) -> DivisionInfo | None:
    """Return the next division above (+1) or below (-1); the highest level is the top."""
    others = [other for other in divisions if (other.level - division.level) * step > 0]
    return min(others, key=lambda other: abs(other.level - division.level), default=None)


if __name__ == "__main__":
    serve_commissioner(DefaultCommissioner)
    sys.exit(0)
