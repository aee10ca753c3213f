"""One round of the ruleset: its stages one after the other, then the ranking and what it does to members."""

from __future__ import annotations

import random
from collections.abc import Iterable
from statistics import fmean
from typing import Any
from uuid import UUID

from coworld.commissioner.protocol import (
    DivisionInfo,
    DivisionRanking,
    EpisodeFailed,
    EpisodeRequest,
    EpisodeResult,
    MembershipInfo,
    PolicyMembershipEventChange,
    RankingEntry,
    RoundComplete,
    RoundStart,
    VariantInfo,
)
from coworld.errors import CoworldError
from coworld.roles.round import divisions_of, seats_of
from coworld.roles.ruleset.config import Ruleset, StageRules, UpdateMembership
from coworld.roles.ruleset.divisions import division_key, entrants_of
from coworld.roles.ruleset.scoring import round_scores
from coworld.roles.ruleset.seating import episode_count, seat_tables, self_play_tables
from coworld.roles.ruleset.skill import Skill, replay

__all__ = ["RulesetRound"]


class RulesetRound:
    """A running round. It depends on the first message and on results alone: another program can continue it."""

    def __init__(self, start: RoundStart, ruleset: Ruleset) -> None:
        self.start, self.ruleset = start, ruleset
        [self.division] = divisions_of(start)[:1] or [_missing()]
        self.key = division_key(ruleset, self.division)
        self.variant = self._variant()
        self.seats = seats_of(self.variant)
        self.entrants = self._entrants()
        self.results = {result.request_id: result for result in start.completed_episodes}
        self.failed: dict[str, EpisodeFailed] = {}
        self.decided: dict[UUID, tuple[StageRules, str, list[UpdateMembership]]] = {}
        """entrants for which a rule of a stage applied: the stage, the rule and its actions"""
        self._stage = -1
        self._requests: dict[str, EpisodeRequest] = {}
        self._waiting: list[EpisodeRequest] = []

    def next_episodes(self) -> list[EpisodeRequest]:
        """Return episodes to ask for now; an empty list if some are still played, or the round is over."""
        while not self._waiting and not self._open():
            if not self._next_stage():
                return []
        limit = self.ruleset.dispatch_throttle or len(self._waiting)
        number = max(0, limit - len(self._open()))
        asked, self._waiting = self._waiting[:number], self._waiting[number:]
        self._requests |= {request.request_id: request for request in asked}
        return asked

    @property
    def is_over(self) -> bool:
        is_last = self._stage >= len(self.ruleset.stages(self.key)) - 1
        return not self._waiting and not self._open() and (is_last or not self._playing())

    def complete(self) -> RoundComplete:
        """Return the end of the round."""
        self._apply_rules()
        scores = round_scores(self.ruleset.scoring.round_score, self._counted(), list(self._members()))
        rankings = self._rankings(scores)
        state = self.start.state if isinstance(self.start.state, dict) else {}
        return RoundComplete(
            results=[DivisionRanking(division_id=self.division.id, rankings=rankings)],
            policy_membership_events=list(self._events(scores)),
            round_display={"episodes": len(self._counted()), "failed": len(self.failed), "stages": self._stage + 1},
            state={key: value for key, value in state.items() if key != "round_config"},
        )

    # --- stages

    def _open(self) -> list[str]:
        return [name for name in self._requests if name not in self.results and name not in self.failed]

    def _playing(self) -> list[MembershipInfo]:
        return [entrant for entrant in self.entrants if entrant.policy_version_id not in self.decided]

    def _next_stage(self) -> bool:
        """Start the next stage that has episodes; return False if there is none."""
        stages = self.ruleset.stages(self.key)
        while self._stage < len(stages) - 1:
            if self._stage >= 0:
                self._apply_rules()
            self._stage += 1
            tables = self._tables(stages[self._stage])
            requests = [self._request(stages[self._stage], number, table) for number, table in enumerate(tables)]
            for request in requests:
                if request.request_id in self.results:  # played for a former program
                    self._requests[request.request_id] = request
                else:
                    self._waiting.append(request)
            if self._waiting:
                return True
        return False

    def _request(self, stage: StageRules, number: int, table: list[UUID]) -> EpisodeRequest:
        return EpisodeRequest(
            request_id=f"{self.start.round_id}/{stage.id}/{number}",
            variant_id=self.variant.id,
            policy_version_ids=table,
            seed=random.Random(f"{self.start.round_id}/{stage.id}/{number}").randrange(2**31),
            tags={"round": str(self.start.round_number), "stage": stage.id},
        )

    def _tables(self, stage: StageRules) -> list[list[UUID]]:
        playing = [entrant.policy_version_id for entrant in self._playing()]
        rules = self.ruleset.seating(self.key)
        if not playing:
            return []
        if stage.schedule.self_play:
            tables = self_play_tables(len(playing), self.seats, stage.schedule)
        else:
            needed = min(rules.team_count, self.seats) if rules.seating == "team_blocks" else self.seats
            if rules.fill_seats == "fill_from_divisions":
                playing += self._fillers(playing, needed - len(playing))
            if len(playing) < needed and not self._may_repeat():
                return []
            episodes = episode_count(len(playing), self.seats, stage.schedule)
            tables = seat_tables(
                rules.seating,
                len(playing),
                self.seats,
                episodes,
                team_count=rules.team_count,
                seed=f"{self.start.round_id}/{stage.id}",
                order=self._order(playing),
            )
        return [[playing[seat] for seat in table] for table in tables]

    def _may_repeat(self) -> bool:
        """Return whether entrants may sit in several seats when there are too few of them."""
        rules = self.ruleset.seating(self.key)
        is_filled = rules.fill_seats == "fill_from_divisions" and rules.duplicate_after_fill
        return rules.fill_seats == "duplicate" or is_filled

    def _fillers(self, playing: list[UUID], number: int) -> list[UUID]:
        """Return members of other divisions for empty seats; they are not ranked."""
        found: list[UUID] = []
        for key in self.ruleset.seating(self.key).fill_from:
            for division in self.start.divisions:
                if division_key(self.ruleset, division, strict=False) == key:
                    members = entrants_of(self.ruleset, key, division, self.start.memberships)
                    found += [member.policy_version_id for member in members]
        return [policy for policy in dict.fromkeys(found) if policy not in playing][: max(0, number)]

    def _order(self, playing: list[UUID]) -> list[int]:
        """Return the entrants by strength, best first; with some luck where the seating asks for it."""
        skills = self._skills()
        luck = random.Random(f"{self.start.round_id}/luck")
        is_lucky = self.ruleset.seating(self.key).seating == "mmr_neighbors"

        def strength(number: int) -> tuple[float, int]:
            skill = skills.get(str(playing[number]), Skill())
            jitter = luck.gauss(0.0, skill.sigma / 4) if is_lucky else 0.0
            return -(skill.mu + jitter), number

        return [number for _, number in sorted(strength(number) for number in range(len(playing)))]

    def _skills(self) -> dict[str, Skill]:
        """Replay the recent rounds of this division, oldest first."""
        rounds: dict[int, dict[str, int]] = {}
        for result in self.start.recent_results:
            if result.division_id == self.division.id:
                rounds.setdefault(result.round_number, {})[str(result.policy_version_id)] = result.rank
        return replay(rounds[number] for number in sorted(rounds))

    # --- the end

    def _counted(self) -> list[EpisodeResult]:
        return [self.results[name] for name in self._requests if name in self.results]

    def _apply_rules(self) -> None:
        """Apply the rules of the current stage to the entrants that played in it."""
        stages = self.ruleset.stages(self.key)
        if not 0 <= self._stage < len(stages):
            return
        stage = stages[self._stage]
        prefix = f"{self.start.round_id}/{stage.id}/"
        results = [result for result in self._counted() if result.request_id.startswith(prefix)]
        playing = [entrant.policy_version_id for entrant in self._playing()]
        scores = round_scores(self.ruleset.scoring.round_score, results, playing)
        for policy in playing:
            completed = sum(any(score.policy_version_id == policy for score in result.scores) for result in results)
            score = fmean(scores[policy]) if scores[policy] else 0.0
            for rule in stage.on_episode_complete:
                if rule.criteria.hold(completed, score):
                    updates = [action.update_membership for action in rule.actions]
                    self.decided[policy] = (stage, rule.name or rule.id, updates)
                    break

    def _members(self) -> dict[UUID, MembershipInfo]:
        return {entrant.policy_version_id: entrant for entrant in self.entrants}

    def _rankings(self, scores: dict[UUID, list[float]]) -> list[RankingEntry]:
        """Rank by score, then by seed order: no two entrants share a place. Without an episode there is no ranking."""
        if not self._counted():
            return []
        seeds = {policy: number for number, policy in enumerate(self._members())}
        means = {policy: fmean(values) if values else 0.0 for policy, values in scores.items()}
        ordered = sorted(means, key=lambda policy: (-means[policy], seeds[policy], str(policy)))
        return [
            RankingEntry(
                policy_version_id=policy,
                player_id=self._members()[policy].player_id,
                rank=rank,
                score=means[policy],
                result_metadata={
                    "seed_order": seeds[policy],
                    "completed_episodes": self._completed(policy),
                    "ranked_scores": len(scores[policy]),
                    "score_kind": self.ruleset.scoring.round_score,
                },
            )
            for rank, policy in enumerate(ordered, 1)
        ]

    def _completed(self, policy: UUID) -> int:
        return sum(any(score.policy_version_id == policy for score in result.scores) for result in self._counted())

    def _events(self, scores: dict[UUID, list[float]]) -> Iterable[PolicyMembershipEventChange]:
        """Yield what changes; a change to what is already so is left out."""
        for policy, (stage, rule, updates) in self.decided.items():
            member = self._members()[policy]
            for update in updates:
                event = self._event(member, update, f"{stage.schedule.label}: {update.reason or rule}")
                if event is not None:
                    yield event

    def _event(
        self, member: MembershipInfo, update: UpdateMembership, reason: str
    ) -> PolicyMembershipEventChange | None:
        target = member.division_id
        if update.division is not None:
            target = self._target(update.division).id
        status = update.status or member.status
        substatus = update.substatus if update.substatus is not None or status != member.status else member.substatus
        if (target, status, substatus) == (member.division_id, member.status, member.substatus):
            return None
        return PolicyMembershipEventChange(
            league_policy_membership_id=member.id,
            from_division_id=member.division_id,
            to_division_id=target,
            status=status,
            substatus=substatus,
            reason=reason,
        )

    def _target(self, key: str) -> DivisionInfo:
        for division in self.start.divisions:
            if division_key(self.ruleset, division, strict=False) == key:
                return division
        raise CoworldError(f"the league has no division {self.ruleset.divisions[key].name!r}; migrate it first")

    # --- the beginning

    def _config(self) -> dict[str, Any]:
        state = self.start.state if isinstance(self.start.state, dict) else {}
        config = state.get("round_config")
        return config if isinstance(config, dict) else {}

    def _variant(self) -> VariantInfo:
        if not self.start.variants:
            raise CoworldError("the game has no variants, so nothing can be played")
        wanted = self._config().get("variant_id")
        return next((variant for variant in self.start.variants if variant.id == wanted), self.start.variants[0])

    def _entrants(self) -> list[MembershipInfo]:
        chosen = self._config().get("entrant_policy_version_ids")
        members = [member for member in self.start.memberships if member.division_id == self.division.id]
        if isinstance(chosen, list):
            order = {str(policy): number for number, policy in enumerate(chosen)}
            found = [member for member in members if str(member.policy_version_id) in order]
            return sorted(found, key=lambda member: order[str(member.policy_version_id)])
        return entrants_of(self.ruleset, self.key, self.division, members)


def _missing() -> DivisionInfo:
    raise CoworldError("round_start names a division that it does not list")
