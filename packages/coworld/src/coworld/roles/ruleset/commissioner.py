"""The handler of the ruleset: one for each connection."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Mapping
from datetime import UTC, datetime, timedelta
from uuid import UUID

from coworld.commissioner.protocol import (
    DescribeDivisionRequest,
    DescribeDivisionResponse,
    DivisionDescription,
    DivisionLeaderboardColumn,
    DivisionLeaderboardRow,
    DivisionLeaderboardView,
    EpisodeAccepted,
    EpisodeFailed,
    EpisodeResult,
    EpisodesRejected,
    LeagueInfo,
    LeagueMigrationConfigRequest,
    LeagueMigrationConfigResponse,
    LeagueMigrationRequest,
    LeagueMigrationResponse,
    Message,
    RankDivisionRequest,
    RankDivisionResponse,
    RoundAbort,
    RoundConfig,
    RoundSpec,
    RoundStart,
    ScheduleEpisodes,
    ScheduleRoundsRequest,
    ScheduleRoundsResponse,
    StageConfig,
)
from coworld.commissioner.server import HandlerFailed
from coworld.errors import CoworldError
from coworld.roles.commissioner import ROUND_ENDED
from coworld.roles.ruleset.config import Ruleset, load_ruleset, ruleset_for
from coworld.roles.ruleset.divisions import division_configs, division_key, entrants_of, migration_events
from coworld.roles.ruleset.round import RulesetRound
from coworld.roles.ruleset.scoring import PlayedRound, ewma_scores, mmr_order, mmr_skills

__all__ = ["RulesetCommissioner"]

EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


class RulesetCommissioner:
    """Decides by a configuration; see `coworld.roles.ruleset`."""

    def __init__(
        self, base: Ruleset | None = None, *, clock: Callable[[], datetime] = lambda: datetime.now(UTC)
    ) -> None:
        self._base = load_ruleset(os.environ) if base is None else base
        self._clock = clock
        self.round: RulesetRound | None = None

    def __call__(self, message: Message) -> Message | Iterable[Message] | None:
        match message:
            case ScheduleRoundsRequest():
                return self.schedule(message)
            case LeagueMigrationConfigRequest():
                configs = division_configs(self.ruleset(message.league), message.divisions)
                return LeagueMigrationConfigResponse(divisions=configs)
            case LeagueMigrationRequest():
                events = migration_events(self.ruleset(message.league), message.divisions, message.memberships)
                return LeagueMigrationResponse(policy_membership_events=events)
            case RoundStart():
                self.round = RulesetRound(message, self.ruleset(message.league))
                return self._continue()
            case EpisodeAccepted():
                return None
            case EpisodesRejected():
                first = next(iter(message.errors.values()), "no reason given")
                raise HandlerFailed(f"the platform refused {len(message.request_ids)} episodes: {first}")
            case EpisodeResult():
                self._running().results[message.request_id] = message
                return self._continue()
            case EpisodeFailed():
                self._running().failed[message.request_id] = message
                return self._continue()
            case RoundAbort():
                self.round = None
                return None
            case RankDivisionRequest():
                return self.rank(message)
            case DescribeDivisionRequest():
                return self.describe(message)
        raise CoworldError(f"the ruleset has no answer to {message.message_type}")

    def ruleset(self, league: LeagueInfo) -> Ruleset:
        return ruleset_for(league.commissioner_config, self._base)

    def schedule(self, request: ScheduleRoundsRequest) -> ScheduleRoundsResponse:
        """Schedule a round for each division that is due: one for every interval, if enough entrants are there."""
        ruleset = self.ruleset(request.league)
        slot = self._slot(ruleset)
        rounds = []
        for division in request.divisions:
            key = division_key(ruleset, division, strict=False)
            earlier = [round_ for round_ in request.recent_rounds if round_.division_id == division.id]
            if key is None or any(round_.status not in ROUND_ENDED for round_ in earlier):
                continue
            if any(_time(round_.created_at) >= slot for round_ in earlier):
                continue
            entrants = entrants_of(ruleset, key, division, request.active_memberships)
            if len(entrants) < ruleset.seating(key).min_entries_to_start:
                continue
            stages = [
                StageConfig(
                    label=stage.schedule.label,
                    num_episodes=stage.schedule.episodes,
                    min_episodes_per_entrant=stage.schedule.min_episodes_per_entrant,
                    self_play=stage.schedule.self_play,
                )
                for stage in ruleset.stages(key)
            ]
            policies = [entrant.policy_version_id for entrant in entrants]
            rounds.append(
                RoundSpec(
                    division_id=division.id,
                    round_config=RoundConfig(stages=stages, entrant_policy_version_ids=policies),
                    execution_backend=ruleset.backend,
                    idempotency_key=f"{division.id}-{slot:%Y%m%dT%H%M}",
                )
            )
        return ScheduleRoundsResponse(rounds=rounds)

    def _slot(self, ruleset: Ruleset) -> datetime:
        """Return the beginning of the current interval."""
        minutes = int((self._clock() - EPOCH).total_seconds() // 60)
        return EPOCH + timedelta(minutes=minutes - minutes % ruleset.schedule_interval_minutes)

    def rank(self, request: RankDivisionRequest) -> RankDivisionResponse:
        """Return the table of a division from all completed rounds."""
        board = self.ruleset(request.league).scoring.leaderboard
        rounds = _played_rounds(request)
        names = {result.player_id: result.player_name for result in request.round_results}
        if board.type == "ewma":
            scores = ewma_scores(rounds, board.half_life_hours)
            order = sorted(scores, key=lambda player: (-scores[player], names.get(player) or "", player))
            label = "Score"
        else:
            skills = mmr_skills(rounds)
            scores = {player: skill.shown for player, skill in skills.items()}
            order, label = mmr_order(skills), "MMR"
        played = {player: sum(player in each.results for each in rounds) for player in order}
        policies: dict[str, set[UUID]] = {player: set() for player in order}
        for result in request.round_results:
            if result.player_id in policies:
                policies[result.player_id].add(result.policy_version_id)
        return RankDivisionResponse(
            views=[
                DivisionLeaderboardView(
                    key="score",
                    title=label,
                    primary_column="score",
                    columns=[
                        DivisionLeaderboardColumn(key="rank", label="Rank", value_type="integer", sort="asc"),
                        DivisionLeaderboardColumn(key="score", label=label, value_type="number", sort="desc"),
                        DivisionLeaderboardColumn(key="rounds_played", label="Rounds", value_type="integer"),
                    ],
                    rows=[
                        DivisionLeaderboardRow(
                            subject_id=player,
                            subject_name=names.get(player),
                            values={"rank": rank, "score": scores[player], "rounds_played": played[player]},
                            policy_version_ids=policies[player],
                        )
                        for rank, player in enumerate(order, 1)
                    ],
                )
            ]
        )

    def describe(self, request: DescribeDivisionRequest) -> DescribeDivisionResponse:
        ruleset = self.ruleset(request.league)
        key = division_key(ruleset, request.division)
        rules, board = ruleset.seating(key), ruleset.scoring.leaderboard
        entrants = entrants_of(ruleset, key, request.division, request.active_memberships)
        missing = rules.min_entries_to_start - len(entrants)
        following = self._slot(ruleset) + timedelta(minutes=ruleset.schedule_interval_minutes)
        stages = ", then ".join(
            f"{stage.schedule.label} ({'against itself' if stage.schedule.self_play else rules.seating})"
            for stage in ruleset.stages(key)
        )
        table = (
            f"Mean of the round scores; a round loses half its weight every {board.half_life_hours:g} hours"
            if board.type == "ewma"
            else "A skill from the order of each round (Plackett-Luce), less three deviations"
        )
        return DescribeDivisionResponse(
            description=DivisionDescription(
                round_schedule=f"A round every {ruleset.schedule_interval_minutes} minutes",
                next_round=f"Waits for {missing} more entrants" if missing > 0 else f"{following:%H:%M} UTC",
                round_structure=stages,
                leaderboard_rules=table,
                scoring_mechanics=_MECHANICS[ruleset.scoring.round_score],
            )
        )

    def _running(self) -> RulesetRound:
        if self.round is None:
            raise CoworldError("there is no round: the platform sends round_start first")
        return self.round

    def _continue(self) -> list[Message]:
        """Return the next episodes, or the end of the round."""
        round_ = self._running()
        episodes = round_.next_episodes()
        if episodes:
            return [ScheduleEpisodes(episodes=episodes)]
        if not round_.is_over:
            return []
        self.round = None
        return [round_.complete()]


_MECHANICS: Mapping[str, str] = {
    "mean": "The mean score of an entrant's episodes; a 0 beside a negative score does not count",
    "rank": "The mean place of an entrant in its episodes, counted from the last",
    "win": "The share of episodes in which an entrant has the top score",
}


def _time(text: str | None) -> datetime:
    if text is None:
        return EPOCH
    moment = datetime.fromisoformat(text)
    return moment if moment.tzinfo is not None else moment.replace(tzinfo=UTC)


def _played_rounds(request: RankDivisionRequest) -> list[PlayedRound]:
    """Return completed rounds, oldest first, with the best result of each player."""
    rounds = sorted(request.completed_rounds, key=lambda round_: round_.round_number)
    found = []
    for round_ in rounds:
        best: dict[str, tuple[int, float]] = {}
        for result in request.round_results:
            if result.round_id == round_.id:
                entry = (result.rank, result.score)
                best[result.player_id] = min(best.get(result.player_id, entry), entry)
        found.append(PlayedRound(_time(round_.completed_at), best))
    return found
