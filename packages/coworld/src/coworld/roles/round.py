"""One round of the default commissioner: the requested episodes, their results, and the ranking.

An entrant's score is the mean over its episodes. An episode an entrant broke counts as the worst score anybody had
in the round (at best 0); an episode the platform could not play is asked for once more. An entrant that broke three
episodes plays no more: its open episodes are cancelled.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from statistics import fmean
from uuid import UUID

from coworld.commissioner.protocol import (
    CommissionerCalcStep,
    CommissionerEntrantReport,
    CommissionerRoundReport,
    DivisionInfo,
    DivisionLeaderboard,
    DivisionRanking,
    EpisodeCancel,
    EpisodeFailed,
    EpisodeRequest,
    EpisodeResult,
    EpisodesRejected,
    MembershipInfo,
    RankingEntry,
    RoundComplete,
    RoundStart,
    VariantInfo,
    default_competing_entrants,
    default_competing_membership_events,
)
from coworld.roles.pairing import pair
from coworld.roles.ranking import ranks, score_view

BROKEN_EPISODES = 3
"""broken episodes after which an entrant stops playing in this round"""
PLAYED_AGAIN = frozenset(
    "platform_error player_never_started node_disruption worker_error config_error artifact_transport_error "
    "player_file_unavailable episode_inconclusive".split()
)
RETRY_MARK = "/again"


def seats_of(variant: VariantInfo) -> int:
    """Return the number of seats of a variant: from its list of players, else its number of agents."""
    players = variant.game_config.get("players")
    agents = variant.game_config.get("num_agents")
    if isinstance(players, list) and players:
        return len(players)
    return agents if isinstance(agents, int) and agents > 0 else max(variant.num_agents, 1)


def divisions_of(start: RoundStart) -> list[DivisionInfo]:
    """Return the divisions that play in a round: the one that the platform names in the state, else all."""
    state = start.state if isinstance(start.state, dict) else {}
    config = state.get("round_config")
    config = config if isinstance(config, dict) else {}
    wanted = config.get("current_division_id") or config.get("division_id")
    return [division for division in start.divisions if wanted in (None, str(division.id))]


class Round:
    """A running round."""

    def __init__(self, start: RoundStart) -> None:
        self.start = start
        config = start.league.commissioner_config or {}
        repeats = config.get("episodes_per_pairing", 1)
        self._repeats = repeats if isinstance(repeats, int) and 1 <= repeats <= 100 else 1
        variant_ids = config.get("variants")
        self._variants = [
            variant for variant in start.variants if not isinstance(variant_ids, list) or variant.id in variant_ids
        ]
        self.entrants: dict[UUID, list[MembershipInfo]] = {
            division.id: sorted(
                default_competing_entrants(start.memberships, division_id=division.id),
                key=lambda entrant: entrant.policy_version_id,
            )
            for division in divisions_of(start)
        }
        self.requests: dict[str, EpisodeRequest] = {}
        self.division_of: dict[str, UUID] = {}
        self.results: dict[str, EpisodeResult] = {}
        self.dropped: dict[str, str] = {}
        """episodes that will not be played, with the reason"""
        self.broken: dict[str, UUID] = {}
        """episodes that an entrant broke, with the entrant"""

    def open(self) -> list[EpisodeRequest]:
        """Make the list of episodes, take over what is played already, and return the rest."""
        for division, entrants in self.entrants.items():
            tables = pair(len(entrants), [seats_of(variant) for variant in self._variants], seed=self._seed(division),
                          repeats=self._repeats)  # fmt: skip
            for index, table in enumerate(tables if len(entrants) > 1 else []):
                request = EpisodeRequest(
                    request_id=f"{self.start.round_id}/{division}/{index}",
                    variant_id=self._variants[table.variant].id,
                    policy_version_ids=[entrants[seat].policy_version_id for seat in table.seats],
                    seed=table.seed,
                    tags={"round": str(self.start.round_number)},
                )
                self.requests[request.request_id] = request
                self.division_of[request.request_id] = division
        for result in self.start.completed_episodes:
            self.finish(result)
        return [request for name, request in self.requests.items() if not self._settled(name)]

    def finish(self, result: EpisodeResult) -> None:
        if result.request_id.endswith(RETRY_MARK) and result.request_id not in self.requests:
            self._again(result.request_id.removesuffix(RETRY_MARK))  # played before the commissioner was restarted
        if result.request_id in self.requests:
            self.results.setdefault(result.request_id, result)

    def reject(self, message: EpisodesRejected) -> None:
        for name in message.request_ids:
            if name in self.requests:
                self.dropped[name] = message.errors.get(name, "rejected")

    def fail(self, failure: EpisodeFailed) -> tuple[list[EpisodeRequest], list[EpisodeCancel]]:
        """Take a failed episode; returns what to play instead and what to cancel."""
        name = failure.request_id
        if name not in self.requests or self._settled(name):
            return [], []
        if failure.error_type in PLAYED_AGAIN and not name.endswith(RETRY_MARK):
            self.dropped[name] = f"{failure.error_type}: played again"
            return [self._again(name)], []
        culprit = self._culprit(failure)
        if culprit is None:
            self.dropped[name] = failure.error_type or failure.error
            return [], []
        self.broken[name] = culprit
        return [], list(self._bench(culprit))

    @property
    def over(self) -> bool:
        return all(self._settled(name) for name in self.requests)

    def complete(self) -> RoundComplete:
        divisions = {division.id: division for division in divisions_of(self.start)}
        rankings = {division: self._ranking(division) for division in divisions}
        done = self.start.state if isinstance(self.start.state, dict) else {}
        return RoundComplete(
            results=[
                DivisionRanking(division_id=division_id, rankings=ranking) for division_id, ranking in rankings.items()
            ],
            leaderboards=[self._leaderboard(division_id, ranking) for division_id, ranking in rankings.items()],
            policy_membership_events=[
                event
                for division in divisions
                for event in default_competing_membership_events(self.start.memberships, division_id=division)
            ],
            round_display={"episodes": len(self.results), "broken": len(self.broken), "dropped": len(self.dropped)},
            state={**done, "rounds_completed": int(done.get("rounds_completed", 0)) + 1},
            observability=self._report(divisions, rankings),
        )

    # --- inside

    def _seed(self, division: UUID) -> int:
        return (self.start.round_id.int ^ division.int) % 2**32

    def _settled(self, name: str) -> bool:
        return name in self.results or name in self.dropped or name in self.broken

    def _again(self, name: str) -> EpisodeRequest:
        request = self.requests[name].model_copy(update={"request_id": name + RETRY_MARK})
        self.requests[request.request_id] = request
        self.division_of[request.request_id] = self.division_of[name]
        self.dropped.setdefault(name, "played again")
        return request

    def _culprit(self, failure: EpisodeFailed) -> UUID | None:
        policies = self.requests[failure.request_id].policy_version_ids
        if failure.failed_policy_version_id in policies:
            return failure.failed_policy_version_id
        index = failure.failed_policy_index
        return policies[index] if index is not None and 0 <= index < len(policies) else None

    def _bench(self, policy: UUID) -> Iterator[EpisodeCancel]:
        if sum(culprit == policy for culprit in self.broken.values()) < BROKEN_EPISODES:
            return
        for name, request in self.requests.items():
            if policy in request.policy_version_ids and not self._settled(name):
                reason = f"an entrant broke {BROKEN_EPISODES} episodes of this round"
                self.dropped[name] = reason
                yield EpisodeCancel(request_id=name, reason=reason)

    def _scores(self, division: UUID) -> dict[UUID, list[float]]:
        """Return every entrant's scores, including those of broken episodes."""
        division_scores: dict[UUID, list[float]] = defaultdict(list)
        for name, result in self.results.items():
            if self.division_of[name] == division:
                for score in result.scores:
                    division_scores[score.policy_version_id].append(score.score)
        worst = min((score for scores in division_scores.values() for score in scores), default=0.0)
        for name, culprit in self.broken.items():
            if self.division_of[name] == division:
                division_scores[culprit].append(min(worst, 0.0))
        return division_scores

    def _ranking(self, division: UUID) -> list[RankingEntry]:
        scores = self._scores(division)
        members = self.entrants[division]
        means = {entrant.policy_version_id: fmean(scores[entrant.policy_version_id] or [0.0]) for entrant in members}
        places = ranks(means)
        return sorted(
            (
                RankingEntry(
                    policy_version_id=entrant.policy_version_id,
                    player_id=entrant.player_id,
                    rank=places[entrant.policy_version_id],
                    score=means[entrant.policy_version_id],
                    result_metadata={
                        "episodes": len(scores[entrant.policy_version_id]),
                        "broken": sum(culprit == entrant.policy_version_id for culprit in self.broken.values()),
                    },
                )
                for entrant in members
            ),
            key=lambda entry: (entry.rank, entry.policy_version_id),
        )

    def _leaderboard(self, division: UUID, ranking: list[RankingEntry]) -> DivisionLeaderboard:
        names = {entrant.policy_version_id: entrant for entrant in self.entrants[division]}
        rows = [
            (names[entry.policy_version_id].player_id or str(entry.policy_version_id),
             names[entry.policy_version_id].player_name, {entry.policy_version_id}, [entry.score])
            for entry in ranking
        ]  # fmt: skip
        return DivisionLeaderboard(division_id=division, views=[score_view(rows)])

    def _report(
        self, divisions: dict[UUID, DivisionInfo], rankings: dict[UUID, list[RankingEntry]]
    ) -> CommissionerRoundReport:
        reports = [
            CommissionerEntrantReport(
                policy_version_id=entry.policy_version_id,
                player_id=entry.player_id,
                outcome=f"rank {entry.rank} of {len(ranking)} in {divisions[division].name}",
                score=entry.score,
                steps=[
                    CommissionerCalcStep(label="episodes that count", value=entry.result_metadata["episodes"]),
                    CommissionerCalcStep(label="of them broken", value=entry.result_metadata["broken"]),
                    CommissionerCalcStep(label="mean score", value=entry.score),
                ],
            )
            for division, ranking in rankings.items()
            for entry in ranking
        ]
        notes = [f"{name}: {why}" for name, why in self.dropped.items()]
        return CommissionerRoundReport(
            rule_id="mean-score",
            rule_description="Round robin, ranked by mean score; a broken episode counts as the worst score.",
            entrants=reports,
            notes=notes,
        )
