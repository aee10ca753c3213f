"""How many episodes show that a policy became better by some Elo points, from the history of a division.

For each variant of the game: the outcomes of the anchor policy (1 for a win over the best opponent, 0.5 for a tie, 0
for a loss), or of all entrants without an anchor. Their mean is the operating point p. An improvement by e Elo points
moves p by delta = 1 / (1 + 10^-((d + e) / 400)) - p, where d = 400 log10(p / (1 - p)). Each of two arms then needs
n = DEFF * 2 * variance * (z(1 - alpha/2) + z(power))^2 / delta^2 episodes; DEFF accounts for pairs with one seed.
"""

from __future__ import annotations

import math
import statistics
import uuid
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass

from sqlalchemy import select
from sqlalchemy.orm import Session, joinedload, selectinload

from observatory.database.tables.leagues import Division, Membership, Round
from observatory.database.tables.policies import Policy, PolicyVersion
from observatory.database.tables.requests import EpisodeRequest, EpisodeRequestStatus
from observatory.errors import BadRequest
from observatory.leagues import repository
from observatory.leagues.schemas import PowerRequest
from observatory.public_ids import public_id
from softmax.wire.leagues import PowerAnalysis, PowerAnchor, PowerMode, PowerModeMix, PowerRow, PowerWindow

__all__ = ["analyse"]

MAX_ROUNDS = 50
DEFAULT_ELO = (25.0, 50.0, 100.0, 200.0)
DEFAULT_MODE = "default"
LOW_HISTORY = 30


@dataclass(frozen=True)
class _Outcome:
    seed: int | None
    value: float
    is_zero: bool
    """both scored nothing"""


@dataclass(frozen=True)
class _Mode:
    outcomes: list[_Outcome]
    dropped: int

    @property
    def mean(self) -> float:
        return statistics.fmean(outcome.value for outcome in self.outcomes) if self.outcomes else 0.5

    @property
    def variance(self) -> float:
        return statistics.pvariance([outcome.value for outcome in self.outcomes]) if self.outcomes else 0.0

    def pairs(self) -> list[tuple[float, float]]:
        """Return the outcomes of two episodes with the same seed."""
        by_seed: dict[int, list[float]] = defaultdict(list)
        for outcome in self.outcomes:
            if outcome.seed is not None:
                by_seed[outcome.seed].append(outcome.value)
        return [(values[0], values[1]) for values in by_seed.values() if len(values) == 2]

    def correlation(self) -> float:
        first, second = zip(*self.pairs(), strict=True) if self.pairs() else ((), ())
        if len(set(first)) < 2 or len(set(second)) < 2:
            return 0.0
        return statistics.correlation(first, second)

    def design_effect(self) -> float:
        if not self.outcomes:
            return 1.0
        paired = 2 * len(self.pairs()) / len(self.outcomes)
        return max(0.0, 1.0 + paired * self.correlation())

    def shift(self, elo: float) -> float:
        """Return by how much an improvement raises the mean outcome."""
        p = min(max(self.mean, 0.01), 0.99)
        distance = 400 * math.log10(p / (1 - p))
        return 1 / (1 + 10 ** (-(distance + elo) / 400)) - p

    def described(self) -> PowerMode:
        values = [outcome.value for outcome in self.outcomes]
        ties = [outcome for outcome in self.outcomes if outcome.value == 0.5]
        zero = sum(outcome.is_zero for outcome in ties)
        return PowerMode(
            episodes_used=len(values),
            ally_episodes_excluded=0,
            episodes_dropped_unclean=self.dropped,
            wins=values.count(1.0),
            ties_mutual_loss=len(ties) - zero,
            ties_zero=zero,
            losses=values.count(0.0),
            operating_point=self.mean,
            score_variance=self.variance,
            pairs_detected=len(self.pairs()),
            pair_correlation=self.correlation(),
            design_effect=self.design_effect(),
            flags=self._flags(),
        )

    def _flags(self) -> list[str]:
        if not self.outcomes:
            return ["no_usable_history"]
        flags = {
            "low_history": len(self.outcomes) < LOW_HISTORY,
            "degenerate_operating_point": not 0.05 <= self.mean <= 0.95,
            "zero_variance": self.variance == 0,
        }
        return [name for name, is_set in flags.items() if is_set]


def analyse(session: Session, division: Division, body: PowerRequest) -> PowerAnalysis:
    anchor = None if body.policy_ref is None else _anchor(session, division, body.policy_ref)
    rounds = repository.completed_rounds(session, division.id, MAX_ROUNDS)
    episodes = _episodes(session, rounds)
    pooled = _modes(episodes, None)
    modes = pooled if anchor is None else _modes(episodes, anchor.id)
    used = {name: len(mode.outcomes) for name, mode in modes.items()}
    total = sum(used.values())
    fractions = {name: number / total for name, number in used.items()} if total else {}
    name = None if anchor is None else f"{anchor.policy.name}:v{anchor.version}"
    return PowerAnalysis(
        division_id=public_id("div", division.id),
        anchor=None if anchor is None else PowerAnchor(policy_ref=name or "", policy_version_id=anchor.id),
        note=None if total else "No completed episodes to learn from yet; the sample sizes are unknown",
        window=PowerWindow(
            rounds=len(rounds),
            episodes_scanned=len(episodes),
            oldest_round_at=rounds[-1].created_at if rounds else division.created_at,
        ),
        mode_mix=PowerModeMix(fractions=fractions, source="history"),
        modes={name: mode.described() for name, mode in modes.items()},
        league_pooled={name: mode.described() for name, mode in pooled.items()},
        table=[_row(elo, modes, fractions, body, name or "all entrants") for elo in body.elo_grid or DEFAULT_ELO],
    )


def _row(elo: float, modes: dict[str, _Mode], fractions: dict[str, float], body: PowerRequest, name: str) -> PowerRow:
    normal = statistics.NormalDist()
    factor = (normal.inv_cdf(1 - body.alpha / 2) + normal.inv_cdf(body.power)) ** 2

    def needed(variance: float, shift: float) -> int | None:
        return math.ceil(variance * factor / shift**2) if variance > 0 and shift > 0 else None

    per_mode = {name: needed(2 * mode.design_effect() * mode.variance, mode.shift(elo)) for name, mode in modes.items()}
    known = [number for number in per_mode.values() if number is not None]
    variance = sum(share * modes[name].design_effect() * modes[name].variance for name, share in fractions.items())
    shift = sum(share * modes[name].shift(elo) for name, share in fractions.items())
    return PowerRow(
        elo=elo,
        per_mode_n_per_arm=per_mode,
        blended_n_per_arm=needed(2 * variance, shift),
        blended_n_range=(min(known), max(known)) if known else None,
        one_arm_n=needed(variance, shift),
        anchor=name,
    )


def _anchor(session: Session, division: Division, reference: str) -> PolicyVersion:
    """Return a member of the division: `name`, `name:v3`, `name:3`, `name@3` or the id of a version."""
    statement = (
        select(PolicyVersion)
        .join(Policy)
        .join(Membership, Membership.policy_version_id == PolicyVersion.id)
        .where(Membership.division_id == division.id)
        .options(joinedload(PolicyVersion.policy))
    )
    name, _, number = reference.replace("@", ":").partition(":")
    number = number.removeprefix("v")
    try:
        statement = statement.where(PolicyVersion.id == uuid.UUID(reference))
    except ValueError:
        statement = statement.where(Policy.name == name)
        if number:
            statement = statement.where(PolicyVersion.version == (int(number) if number.isdecimal() else -1))
    row = session.scalar(statement.order_by(Membership.created_at.desc(), PolicyVersion.version.desc()).limit(1))
    if row is None:
        raise BadRequest(f"No policy {reference!r} is or was in this division")
    return row


def _episodes(session: Session, rounds: Sequence[Round]) -> Sequence[EpisodeRequest]:
    statement = (
        select(EpisodeRequest)
        .where(EpisodeRequest.round_id.in_([round_.id for round_ in rounds]))
        .options(selectinload(EpisodeRequest.seats))
    )
    return session.scalars(statement.order_by(EpisodeRequest.created_at, EpisodeRequest.id)).all()


def _modes(episodes: Sequence[EpisodeRequest], anchor_id: uuid.UUID | None) -> dict[str, _Mode]:
    outcomes: dict[str, list[_Outcome]] = defaultdict(list)
    dropped: dict[str, int] = defaultdict(int)
    for episode in episodes:
        name = episode.variant_id or DEFAULT_MODE
        scores = _scores(episode)
        entrants = list(scores) if anchor_id is None else [anchor_id]
        if anchor_id is not None and anchor_id not in {seat.policy_version_id for seat in episode.seats}:
            continue
        if episode.status is not EpisodeRequestStatus.COMPLETED or len(scores) < 2 or not set(entrants) <= set(scores):
            dropped[name] += 1
            continue
        outcomes[name] += [_outcome(episode.seed, scores, entrant) for entrant in entrants]
    names = sorted({*outcomes, *dropped}) or [DEFAULT_MODE]
    return {name: _Mode(outcomes[name], dropped[name]) for name in names}


def _scores(episode: EpisodeRequest) -> dict[uuid.UUID, float]:
    """Return the mean score of each policy version over the seats that count."""
    seats: dict[uuid.UUID, list[float]] = defaultdict(list)
    for seat in episode.seats:
        if seat.policy_version_id is not None and seat.score is not None and not seat.is_filler:
            seats[seat.policy_version_id].append(seat.score)
    return {version: statistics.fmean(scores) for version, scores in seats.items()}


def _outcome(seed: int | None, scores: dict[uuid.UUID, float], entrant: uuid.UUID) -> _Outcome:
    own, best = scores[entrant], max(score for version, score in scores.items() if version != entrant)
    value = 1.0 if own > best else 0.0 if own < best else 0.5
    return _Outcome(seed, value, own == best == 0)
